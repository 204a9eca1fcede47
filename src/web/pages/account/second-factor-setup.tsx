import { Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Copy } from '../../kit/copy.tsx';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { useText } from '../../language/language.ts';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { BackupCodes } from './backup-codes.tsx';
import { PasswordProof } from './password-proof.tsx';
import { QrCode } from './qr-code.tsx';

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
export const SecondFactorSetup = ({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) => {
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
