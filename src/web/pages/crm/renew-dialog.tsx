import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { TokenField, useRefusals } from './connection-fields.tsx';

interface RenewDialogProps {
  connection: Connection;
  opened: boolean;
  onClose: () => void;
}

const Inside = ({ connection: { connection_id, provider, status }, onClose }: Omit<RenewDialogProps, 'opened'>) => {
  const t = useText();
  const renew = app.useChange('crm.renewToken');
  const [token, setToken] = useState('');
  const refusals = useRefusals(renew.error, ['token', 'url']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renew.mutate(
      { connection_id, token: token.trim() },
      {
        onSuccess: () => {
          tell(
            status === 'paused'
              ? t(
                  'Das Token ist gespeichert. Die Verbindung bleibt pausiert.',
                  'The token is saved. The connection stays paused.',
                )
              : t('Das Token ist gespeichert. Ein Abgleich startet.', 'The token is saved. A sync is starting.'),
          );
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <TokenField
          provider={provider}
          value={token}
          onChange={(text) => {
            setToken(text);
            renew.reset();
          }}
          error={refusals.at('token') ?? refusals.at('url')}
        />
        {!refusals.has && <ProblemAlert error={renew.error} />}
        <DialogButtons
          action={t('Testen und speichern', 'Test and save')}
          running={renew.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};

/** Replaces the token; the new one is tested first. */
export const RenewDialog = ({ connection, opened, onClose }: RenewDialogProps) => {
  const t = useText();
  return (
    <Dialog
      title={connection.has_token ? t('Token erneuern', 'Renew token') : t('Token eingeben', 'Enter token')}
      opened={opened}
      onClose={onClose}
    >
      <Inside connection={connection} onClose={onClose} />
    </Dialog>
  );
};
