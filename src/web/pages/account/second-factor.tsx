import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { tell } from '../../kit/notify.ts';
import { Panel } from '../../kit/panel.tsx';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { Status } from '../../kit/status.tsx';
import { useText } from '../../language/language.ts';
import { entrance } from '../../server/server.ts';
import { BackupCodes } from './backup-codes.tsx';
import { PasswordProof } from './password-proof.tsx';
import { SecondFactorSetup } from './second-factor-setup.tsx';

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
