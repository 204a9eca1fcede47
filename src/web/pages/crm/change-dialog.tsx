import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { IntervalField, LabelField, useRefusals } from './connection-fields.tsx';
import { draftOf, ObjectionFields, settingsOf } from './objection-fields.tsx';

const fields = ['label', 'interval_seconds', 'settings'];

interface ChangeDialogProps {
  connection: Connection;
  opened: boolean;
  onClose: () => void;
}

const Inside = ({ connection, onClose }: Omit<ChangeDialogProps, 'opened'>) => {
  const t = useText();
  const { connection_id, provider } = connection;
  const change = app.useChange('crm.change');
  const [label, setLabel] = useState(connection.label ?? '');
  const [seconds, setSeconds] = useState<number | undefined>(connection.interval_seconds);
  const [objections, setObjections] = useState(draftOf(connection.settings));
  const refusals = useRefusals(change.error, fields);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = label.trim();
    change.mutate(
      {
        connection_id,
        label: name === '' ? null : name,
        // An interval from before the limits may be outside of them; it stays unless it is changed.
        ...(seconds !== undefined && seconds !== connection.interval_seconds && { interval_seconds: seconds }),
        ...(provider !== 'feed' && { settings: settingsOf(objections) }),
      },
      {
        onSuccess: () => {
          tell(t('Die Verbindung ist geändert.', 'The connection is changed.'));
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <LabelField value={label} onChange={setLabel} error={refusals.at('label')} />
        <IntervalField value={seconds} onChange={setSeconds} error={refusals.at('interval_seconds')} />
        {provider !== 'feed' && (
          <ObjectionFields value={objections} onChange={setObjections} error={refusals.at('settings')} />
        )}
        {!refusals.has && <ProblemAlert error={change.error} />}
        <DialogButtons action={t('Speichern', 'Save')} running={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
};

/** Changes the name, the interval and the source of objections. */
export const ChangeDialog = ({ connection, opened, onClose }: ChangeDialogProps) => {
  const t = useText();
  return (
    <Dialog title={t('Verbindung bearbeiten', 'Edit connection')} opened={opened} onClose={onClose} size="lg">
      <Inside connection={connection} onClose={onClose} />
    </Dialog>
  );
};
