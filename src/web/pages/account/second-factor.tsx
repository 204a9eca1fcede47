import { Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import { Hint } from '../../kit/text/text.tsx';
import { PasswordField, wrongPassword } from '../../kit/form/account-fields.tsx';
import { Copy, ShownOnce } from '../../kit/text/copy.tsx';
import { saveFile } from '../../kit/list/csv-download.ts';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { notify } from '../../kit/page/messages.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { client, entrance, type EntranceOutputs } from '../../server/server.ts';
import { areFew, codesLeftText } from './figures.ts';

const NewCodes = ({ onDone }: { onDone: () => void }) => {
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <BackupCodes codes={codes} onDone={onDone} />;
  return (
    <PasswordProof
      consequences={t(
        'Ihre bisherigen Wiederherstellungscodes werden dadurch ungültig.',
        'Your current recovery codes will stop working.',
      )}
      action={t('Neue Wiederherstellungscodes erstellen', 'Generate new recovery codes')}
      send={(password) => client.entrance.account.newBackupCodes.mutate({ password })}
      onSent={({ backup_codes }) => setCodes(backup_codes)}
      onCancel={onDone}
    />
  );
};

const TurnOff = ({ onDone }: { onDone: () => void }) => (
  <PasswordProof
    consequences={t(
      'Zur Anmeldung genügt dann Ihr Passwort. Ihre Wiederherstellungscodes werden gelöscht.',
      'You will sign in with your password only. Your recovery codes will be deleted.',
    )}
    action={t('Deaktivieren', 'Disable')}
    harmful
    send={(password) => client.entrance.account.stopTwoFactor.mutate({ password })}
    onSent={() => {
      onDone();
      notify(t('Zwei-Faktor-Authentifizierung deaktiviert.', 'Two-factor authentication disabled.'));
    }}
    onCancel={onDone}
  />
);

/** The second factor of the sign-in: a code from an app. */
export const SecondFactor = () => {
  const query = useQuery(entrance.account.secondFactor.queryOptions({}));
  const { data } = query;
  const [dialog, setDialog] = useState<'setup' | 'codes' | 'off'>();
  const close = () => setDialog(undefined);
  const left = data?.backup_codes_left ?? 0;
  const titles = {
    setup: t('Zwei-Faktor-Authentifizierung einrichten', 'Set up two-factor authentication'),
    codes: t('Neue Wiederherstellungscodes', 'New recovery codes'),
    off: t('Zwei-Faktor-Authentifizierung deaktivieren', 'Disable two-factor authentication'),
  };
  return (
    <Panel
      title={t('Zwei-Faktor-Authentifizierung', 'Two-factor authentication')}
      lead={t(
        'Schützen Sie Ihr Konto bei der Anmeldung zusätzlich mit einem Code aus einer Authenticator-App.',
        'Protect your account with an additional code from an authenticator app when you sign in.',
      )}
      actions={
        data && (
          <Status tone={data.on ? 'good' : 'plain'}>
            {data.on ? t('Aktiviert', 'Enabled') : t('Nicht aktiviert', 'Not enabled')}
          </Status>
        )
      }
    >
      <Stack>
        {!data && <Pending query={query} height={36} />}
        {data?.on === true && (
          <Text size="sm" {...(areFew(left) && { c: 'var(--warn)', fw: 600 })}>
            {codesLeftText(left)}
          </Text>
        )}
        {data && (
          <Group>
            {data.on ? (
              <>
                <Button onClick={() => setDialog('codes')}>
                  {t('Neue Wiederherstellungscodes', 'New recovery codes')}
                </Button>
                <Button onClick={() => setDialog('off')}>{t('Deaktivieren', 'Disable')}</Button>
              </>
            ) : (
              <Button variant="filled" onClick={() => setDialog('setup')}>
                {t('Einrichten', 'Set up')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
      <Dialog title={dialog === undefined ? '' : titles[dialog]} opened={dialog !== undefined} onClose={close}>
        {dialog === 'setup' && <SecondFactorSetup onDone={close} />}
        {dialog === 'codes' && <NewCodes onDone={close} />}
        {dialog === 'off' && <TurnOff onDone={close} />}
      </Dialog>
    </Panel>
  );
};

type StartedSecondFactor = EntranceOutputs['account']['startTwoFactor'];

/** The secret in groups of four characters, which are easier to type. */
const grouped = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ');

interface FirstCodeProps {
  started: StartedSecondFactor;
  onConfirmed: () => void;
  onCancel: () => void;
}

const FirstCode = ({ started, onConfirmed, onCancel }: FirstCodeProps) => {
  const form = useServerForm({
    initial: { code: '' },
    send: ({ code }) => client.entrance.account.confirmTwoFactor.mutate({ code: code.replaceAll(/\s/g, '') }),
    onSent: onConfirmed,
    errorsAt: (_, { field }) => ({ code: field === 'code' && t('Der Code ist falsch.', 'The code is wrong.') }),
  });
  return (
    <Form form={form} action={t('Aktivieren', 'Enable')} onCancel={onCancel}>
      <List type="ordered" size="sm" spacing="xs">
        <List.Item>
          {t(
            'Scannen Sie diesen QR-Code mit einer Authenticator-App auf Ihrem Smartphone.',
            'Scan this QR code with an authenticator app on your phone.',
          )}
        </List.Item>
        <List.Item>{t('Geben Sie den Code aus der App ein.', 'Enter the code from the app.')}</List.Item>
      </List>
      <Group justify="center">
        <QrCode
          text={started.uri}
          label={t('QR-Code für die Authenticator-App', 'QR code for the authenticator app')}
        />
      </Group>
      <Stack gap={4}>
        <Hint>
          {t(
            'Können Sie den QR-Code nicht scannen? Geben Sie diesen Einrichtungsschlüssel manuell ein.',
            'Can’t scan the QR code? Enter this setup key manually.',
          )}
        </Hint>
        <Group gap="xs" wrap="nowrap">
          <Code data-testid="totp-secret" style={{ overflowWrap: 'anywhere' }}>
            {grouped(started.secret)}
          </Code>
          <Copy value={started.secret} what={t('Einrichtungsschlüssel', 'setup key')} />
        </Group>
      </Stack>
      <TextInput
        label={t('Code aus der App', 'Code from the app')}
        name="code"
        autoFocus
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        errorProps={{ role: 'alert' }}
        {...form.getInputProps('code')}
      />
    </Form>
  );
};

/** Sets up the second factor in three steps: password, first code of the app, backup codes. */
const SecondFactorSetup = ({ onDone }: { onDone: () => void }) => {
  const [started, setStarted] = useState<StartedSecondFactor>();
  const [isOn, setOn] = useState(false);
  if (started && isOn) return <BackupCodes codes={started.backup_codes} onDone={onDone} />;
  if (started) return <FirstCode started={started} onConfirmed={() => setOn(true)} onCancel={onDone} />;
  return (
    <PasswordProof
      consequences={t(
        'Zur Anmeldung benötigen Sie dann Ihr Passwort und einen Code aus einer Authenticator-App.',
        'You will then need your password and a code from an authenticator app to sign in.',
      )}
      action={t('Weiter', 'Continue')}
      send={(password) => client.entrance.account.startTwoFactor.mutate({ password })}
      onSent={setStarted}
      onCancel={onDone}
    />
  );
};

interface PasswordProofProps<Answer> {
  consequences: string;
  action: string;
  harmful?: boolean;
  send: (password: string) => Promise<Answer>;
  /** Called after the password was confirmed. */
  onSent: (answer: Answer) => void;
  onCancel: () => void;
}

/** Asks for the person's password before their sign-in changes. */
function PasswordProof<Answer>({ consequences, send, onSent, ...buttons }: PasswordProofProps<Answer>) {
  const form = useServerForm({
    initial: { password: '' },
    send: ({ password }) => send(password),
    onSent,
    errorsAt: (_, problem) => ({ password: wrongPassword(problem) }),
  });
  return (
    <Form form={form} {...buttons}>
      <Text size="sm">{consequences}</Text>
      <PasswordField
        label={t('Ihr Passwort', 'Your password')}
        name="password"
        data-autofocus
        {...form.getInputProps('password')}
      />
    </Form>
  );
}

const BackupCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const text = codes.join('\n');
  return (
    <ShownOnce value={text} what={t('die Wiederherstellungscodes', 'the recovery codes')} plural>
      <Group justify="space-between">
        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), 'backup-codes.txt')}
        >
          {t('Herunterladen', 'Download')}
        </Button>
        <Button variant="filled" onClick={onDone}>
          {t('Ich habe die Codes gespeichert', 'I have saved the codes')}
        </Button>
      </Group>
    </ShownOnce>
  );
};

/** A QR code, always dark on white: not every camera reads inverted codes. */
const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      shapeRendering="crispEdges"
      style={{ borderRadius: 8, maxWidth: '100%' }}
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={dark.join('')} fill="#000000" />
    </svg>
  );
};
