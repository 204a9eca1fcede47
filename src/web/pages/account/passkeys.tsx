import { Button, Menu, Stack, Text, TextInput } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { LastTime } from '../../kit/text/formats.tsx';
import { Panel } from '../../kit/page/page.tsx';
import { RemovalItem, RowActions } from '../../kit/list/row-actions.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { client, entrance, type EntranceOutputs } from '../../server/server.ts';
import { hasPasskeys, makePasskey, PasskeyFailure } from '../../session/passkey.tsx';

type Passkey = EntranceOutputs['account']['passkeys']['passkeys'][number];

/** The length of the longest name that the server accepts. */
const nameCharacters = 60;

export const OwnPasskeys = () => {
  const confirm = useConfirm();
  const query = useQuery(entrance.account.passkeys.queryOptions({}));
  const [adding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey>();
  const isPossible = hasPasskeys();

  const confirmRemoval = ({ id, name }: Passkey) =>
    confirm({
      title: t('Passkey entfernen?', 'Remove the passkey?'),
      of: name,
      points: [
        t('Eine Anmeldung mit diesem Passkey ist nicht mehr möglich.', 'It can no longer be used to sign in.'),
        t(
          'Auf dem Gerät bleibt er gespeichert, bis Sie ihn auch dort löschen.',
          'The device keeps it until you delete it there as well.',
        ),
      ],
      action: t('Passkey entfernen', 'Remove passkey'),
      act: () => client.entrance.account.removePasskey.mutate({ passkey_id: id }),
      done: t('Passkey entfernt.', 'Passkey removed.'),
    });

  return (
    <Panel
      title="Passkeys"
      lead={t(
        'Mit einem Passkey melden Sie sich per Fingerabdruck, Gesicht oder PIN an: ohne Passwort und ohne Code. Er funktioniert nur auf dieser Website.',
        'With a passkey you sign in by fingerprint, face or PIN: without a password and without a code. It works on this website only.',
      )}
      actions={
        isPossible && <Button onClick={() => setAdding(true)}>{t('Passkey hinzufügen', 'Add a passkey')}</Button>
      }
    >
      <Stack>
        {!isPossible && (
          <Text size="sm">
            {t('Dieser Browser unterstützt hier keine Passkeys.', 'This browser does not support passkeys here.')}
          </Text>
        )}
        <DataTable
          label="Passkeys"
          list={{ ...query, rows: query.data?.passkeys }}
          keyOf={({ id }) => id}
          none={t('Noch keine Passkeys', 'No passkeys yet')}
          columns={[
            { label: t('Name', 'Name'), cell: ({ name }) => name },
            { label: t('Hinzugefügt', 'Added'), value: ({ created_at }) => created_at, cell: 'time' },
            { label: t('Zuletzt verwendet', 'Last used'), cell: ({ last_used_at: at }) => <LastTime at={at} /> },
          ]}
          actions={(row) => (
            <RowActions name={row.name}>
              <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setRenamed(row)}>
                {t('Umbenennen …', 'Rename …')}
              </Menu.Item>
              <RemovalItem onClick={() => confirmRemoval(row)}>{t('Entfernen …', 'Remove …')}</RemovalItem>
            </RowActions>
          )}
        />
      </Stack>
      <Dialog title={t('Passkey hinzufügen', 'Add a passkey')} opened={adding} onClose={() => setAdding(false)}>
        <NewPasskey onDone={() => setAdding(false)} />
      </Dialog>
      <Dialog
        title={t('Passkey umbenennen', 'Rename the passkey')}
        opened={renamed !== undefined}
        onClose={() => setRenamed(undefined)}
      >
        {renamed && <Renaming passkey={renamed} onDone={() => setRenamed(undefined)} />}
      </Dialog>
    </Panel>
  );
};

const NameField = ({ ...props }: { value?: string; defaultValue?: string }) => (
  <TextInput
    label={t('Name', 'Name')}
    description={t('Woran Sie ihn erkennen, zum Beispiel das Gerät.', 'How you recognize it, for instance the device.')}
    placeholder={t('Laptop im Büro', 'Laptop at the office')}
    required
    maxLength={nameCharacters}
    data-autofocus
    {...props}
  />
);

const wrongName = () => t('Dieser Name ist nicht erlaubt.', 'This name is not allowed.');

const NewPasskey = ({ onDone }: { onDone: () => void }) => {
  const form = useServerForm({
    initial: { name: '' },
    send: async ({ name }) => {
      const passkey = await makePasskey(await client.entrance.account.newPasskeyQuestion.mutate({}));
      return client.entrance.account.addPasskey.mutate({ name: name.trim(), passkey });
    },
    done: t('Passkey hinzugefügt.', 'Passkey added.'),
    onSent: onDone,
    errorsAt: ({ name }) => ({ name: name && wrongName() }),
  });
  return (
    <Form form={{ ...form, error: null }} action={t('Weiter', 'Continue')} onCancel={onDone}>
      <Text size="sm">
        {t(
          'Ihr Browser fragt gleich nach Fingerabdruck, Gesicht oder PIN.',
          'Your browser will ask for your fingerprint, face or PIN.',
        )}
      </Text>
      <NameField {...form.getInputProps('name')} />
      <PasskeyFailure error={form.error} />
    </Form>
  );
};

const Renaming = ({ passkey: { id, name: former }, onDone }: { passkey: Passkey; onDone: () => void }) => {
  const form = useServerForm({
    initial: { name: former },
    send: ({ name }) => client.entrance.account.renamePasskey.mutate({ passkey_id: id, name: name.trim() }),
    done: t('Name gespeichert.', 'Name saved.'),
    onSent: onDone,
    errorsAt: ({ name }) => ({ name: name && wrongName() }),
  });
  return (
    <Form form={form} action={t('Speichern', 'Save')} onCancel={onDone}>
      <NameField {...form.getInputProps('name')} />
    </Form>
  );
};
