import { Button, Code, Group, List, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { encode } from 'uqr';
import { Copy, ShownOnce } from '../../kit/copy.tsx';
import { DialogButtons } from '../../kit/dialog-buttons.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { tell } from '../../kit/notify.ts';
import { Panel } from '../../kit/panel.tsx';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { Status } from '../../kit/status.tsx';
import { useText } from '../../language/language.ts';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';

const NewCodes = ({ onDone }: { onDone: () => void }) => {
  const t = useText();
  const make = entrance.useChange('account.newBackupCodes');
  if (make.data) return <BackupCodes codes={make.data.backup_codes} onDone={onDone} />;
  return (
    <PasswordProof
      consequences={t(
        'Die Ersatzcodes, die Sie bisher haben, gelten danach nicht mehr.',
        'The backup codes that you have now stop working.',
      )}
      action={t('Neue Ersatzcodes erzeugen', 'Make new backup codes')}
      error={make.error}
      running={make.isPending}
      act={(password) => make.mutate({ password })}
      onCancel={onDone}
    />
  );
};

const TurnOff = ({ onDone }: { onDone: () => void }) => {
  const t = useText();
  const stop = entrance.useChange('account.stopTwoFactor');
  return (
    <PasswordProof
      consequences={t(
        'Zum Anmelden genügt dann wieder Ihr Passwort allein. Geheimnis und Ersatzcodes werden gelöscht.',
        'Your password alone is then enough to sign in. The secret and the backup codes are deleted.',
      )}
      action={t('Ausschalten', 'Turn it off')}
      harmful
      error={stop.error}
      running={stop.isPending}
      act={(password) =>
        stop.mutate(
          { password },
          {
            onSuccess: () => {
              onDone();
              tell(t('Der zweite Faktor ist aus.', 'The second factor is off.'));
            },
          },
        )
      }
      onCancel={onDone}
    />
  );
};

/** Few enough that one should think of new ones. */
const few = 3;

/** A code from an app beside the password. */
export const SecondFactor = () => {
  const t = useText();
  const { data, error, refetch } = entrance.useAnswer('account.secondFactor', {});
  const [dialog, setDialog] = useState<'setup' | 'codes' | 'off'>();
  const close = () => setDialog(undefined);
  const left = data?.backup_codes_left ?? 0;
  const titles = {
    setup: t('Zweiten Faktor einrichten', 'Set up the second factor'),
    codes: t('Neue Ersatzcodes', 'New backup codes'),
    off: t('Zweiten Faktor ausschalten', 'Turn off the second factor'),
  };
  return (
    <Panel
      title={t('Zweiter Faktor', 'Second factor')}
      actions={data && <Status tone={data.on ? 'good' : 'plain'}>{data.on ? t('Ein', 'On') : t('Aus', 'Off')}</Status>}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {t(
            'Ein Code aus einer App auf Ihrem Telefon schützt Ihr Konto auch dann, wenn jemand Ihr Passwort kennt.',
            'A code from an app on your phone protects your account even from somebody who knows your password.',
          )}
        </Text>
        <ProblemAlert error={error} retry={() => void refetch()} />
        {!data && !error && <Skeleton height={36} width={220} />}
        {data?.on === true && (
          <Text size="sm" {...(left <= few && { c: 'var(--warn)', fw: 600 })}>
            {left === 1
              ? t('Noch ein Ersatzcode ist unbenutzt.', 'One backup code is left.')
              : t(`Noch ${left} Ersatzcodes sind unbenutzt.`, `${left} backup codes are left.`)}
          </Text>
        )}
        {data && (
          <Group>
            {data.on ? (
              <>
                <Button variant="default" onClick={() => setDialog('codes')}>
                  {t('Neue Ersatzcodes', 'New backup codes')}
                </Button>
                <Button variant="default" onClick={() => setDialog('off')}>
                  {t('Ausschalten', 'Turn off')}
                </Button>
              </>
            ) : (
              <Button onClick={() => setDialog('setup')}>{t('Einrichten', 'Set up')}</Button>
            )}
          </Group>
        )}
      </Stack>
      <Dialog title={dialog === undefined ? '' : titles[dialog]} opened={dialog !== undefined} onClose={close}>
        {dialog === 'setup' && <SecondFactorSetup onDone={close} onCancel={close} />}
        {dialog === 'codes' && <NewCodes onDone={close} />}
        {dialog === 'off' && <TurnOff onDone={close} />}
      </Dialog>
    </Panel>
  );
};

interface Started {
  uri: string;
  secret: string;
  backup_codes: string[];
}

/** In fours, as people read it out. */
const grouped = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ');

const FirstCode = ({ started, onConfirmed }: { started: Started; onConfirmed: () => void }) => {
  const t = useText();
  const confirm = entrance.useChange('account.confirmTwoFactor');
  const [code, setCode] = useState('');
  const isWrong = problemOf(confirm.error)?.field === 'code';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate({ code: code.replaceAll(/\s/g, '') }, { onSuccess: onConfirmed });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <List type="ordered" size="sm" spacing="xs">
          <List.Item>
            {t(
              'Öffnen Sie eine Authenticator-App auf Ihrem Telefon und scannen Sie diesen Code.',
              'Open an authenticator app on your phone and scan this code.',
            )}
          </List.Item>
          <List.Item>{t('Geben Sie den Code ein, den die App zeigt.', 'Enter the code that the app shows.')}</List.Item>
        </List>
        <Group justify="center">
          <QrCode
            text={started.uri}
            label={t('QR-Code für die Authenticator-App', 'QR code for the authenticator app')}
          />
        </Group>
        <Stack gap={4}>
          <Text size="sm" c="dimmed">
            {t('Ohne Kamera: dieses Geheimnis von Hand eingeben.', 'Without a camera: enter this secret by hand.')}
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Code data-testid="totp-secret" style={{ overflowWrap: 'anywhere' }}>
              {grouped(started.secret)}
            </Code>
            <Copy value={started.secret} what={t('Geheimnis', 'secret')} />
          </Group>
        </Stack>
        <TextInput
          label={t('Code aus der App', 'Code from the app')}
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={isWrong ? t('Der Code stimmt nicht.', 'The code is wrong.') : undefined}
          errorProps={{ role: 'alert' }}
        />
        {!isWrong && <ProblemAlert error={confirm.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={confirm.isPending}>
            {t('Einschalten', 'Turn it on')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

/** Password, then the app’s first code, then the backup codes. */
const SecondFactorSetup = ({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) => {
  const t = useText();
  const start = entrance.useChange('account.startTwoFactor');
  const [isOn, setOn] = useState(false);
  if (start.data && isOn) return <BackupCodes codes={start.data.backup_codes} onDone={onDone} />;
  if (start.data) return <FirstCode started={start.data} onConfirmed={() => setOn(true)} />;
  return (
    <PasswordProof
      consequences={t(
        'Danach brauchen Sie zum Anmelden Ihr Passwort und einen Code aus einer App auf Ihrem Telefon.',
        'From then on, signing in takes your password and a code from an app on your phone.',
      )}
      action={t('Weiter', 'Continue')}
      error={start.error}
      running={start.isPending}
      act={(password) => start.mutate({ password })}
      onCancel={onCancel}
    />
  );
};

interface PasswordProofProps {
  /** What follows once the password is right. */
  consequences: ReactNode;
  /** The word on the button: what is done. */
  action: string;
  harmful?: boolean;
  error: unknown;
  running: boolean;
  act: (password: string) => void;
  onCancel: () => void;
}

/** Asks who sits here for their password before something about their sign-in changes. */
const PasswordProof = ({
  consequences,
  action,
  harmful = false,
  error,
  running,
  act,
  onCancel,
}: PasswordProofProps) => {
  const t = useText();
  const [password, setPassword] = useState('');
  const isWrong = problemOf(error)?.field === 'password';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act(password);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{consequences}</Text>
        <PasswordInput
          label={t('Ihr Passwort', 'Your password')}
          name="password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isWrong ? t('Das Passwort stimmt nicht.', 'The password is wrong.') : undefined}
          errorProps={{ role: 'alert' }}
          visibilityToggleButtonProps={{ 'aria-label': t('Passwort zeigen', 'Show password'), tabIndex: 0 }}
        />
        {!isWrong && <ProblemAlert error={error} />}
        <DialogButtons action={action} running={running} onCancel={onCancel} harmful={harmful} />
      </Stack>
    </form>
  );
};

const save = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
};

/** Backup codes, which nobody sees again. */
const BackupCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const t = useText();
  const text = codes.join('\n');
  return (
    <ShownOnce value={text} what={t('die Ersatzcodes', 'the backup codes')}>
      <Group justify="space-between">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => save('backup-codes.txt', `${text}\n`)}
        >
          {t('Als Datei speichern', 'Save as a file')}
        </Button>
        <Button onClick={onDone}>{t('Ich habe sie aufbewahrt', 'I have kept them')}</Button>
      </Group>
    </ShownOnce>
  );
};

/** A text as a QR code, always dark on white: not every camera reads it the other way round. */
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
