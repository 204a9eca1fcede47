import { Menu, Stack, Text } from '@mantine/core';
import { Consequences, useConfirm } from '../../kit/dialog.tsx';
import { Time } from '../../kit/formats.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Empty, notify } from '../../kit/messages.tsx';
import { DataTable, RowActions } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

interface Former {
  id: string;
  name: string | null;
  email: string;
}

const nameOf = ({ name, email }: Former): string => name ?? email;

/** What is deleted with a person, and what stays. */
const ErasureConsequences = ({ email }: Former) => {
  const t = useText();
  return (
    <Stack gap="sm">
      <Consequences
        points={[
          t(
            'Trainings, Auswertungen, Aufgaben und private Fälle dieser Person werden gelöscht.',
            'This person’s trainings, evaluations, assignments and private cases are deleted.',
          ),
          t(
            'Team-Fälle, Schlüssel, Ereignisse und Protokolle bleiben; dort steht „Gelöschte Person“ statt des Namens.',
            'Team cases, keys, events and logs remain; they say “Erased person” instead of the name.',
          ),
          t(
            `Name und Adresse (${email}) werden auch in Texten des Teams ersetzt. Das dauert je nach Datenmenge einige Minuten.`,
            `Name and address (${email}) are replaced in the team’s texts too. Depending on the amount of data this takes some minutes.`,
          ),
          t(
            'Das Benutzerkonto wird gelöscht, außer die Person ist oder war Mitglied eines anderen Teams.',
            'The account is deleted unless the person is or was a member of another team.',
          ),
        ]}
      />
      <Text size="sm" fw={600}>
        {t('Das lässt sich nicht rückgängig machen.', 'This cannot be undone.')}
      </Text>
    </Stack>
  );
};

/** People who left the team. The owner can erase their data. */
export const FormerMembers = () => {
  const t = useText();
  const confirm = useConfirm();
  const roleName = useRoleName();
  const list = app.usePages('formerMembers.list', {});
  const erase = app.useMutation('formerMembers.erase');
  const confirmErasure = (former: Former): void =>
    confirm({
      title: t(`Daten von ${nameOf(former)} löschen?`, `Erase the data of ${nameOf(former)}?`),
      consequences: <ErasureConsequences {...former} />,
      action: t('Endgültig löschen', 'Erase permanently'),
      act: async () => {
        await erase.mutateAsync({ member_id: former.id });
        notify(t('Die Daten der Person werden gelöscht.', 'The person’s data is being erased.'));
      },
    });
  return (
    <DataTable
      label={t('Ehemalige Mitglieder', 'Former members')}
      columns={[
        {
          label: t('Person', 'Person'),
          cell: (former) => (
            <div>
              <Text size="sm" fw={600}>
                {nameOf(former)}
              </Text>
              {former.name !== null && (
                <Text size="xs" c="dimmed">
                  {former.email}
                </Text>
              )}
            </div>
          ),
        },
        { label: t('Letzte Rolle', 'Last role'), cell: ({ role }) => roleName(role) },
        { label: t('Ausgeschieden', 'Left'), cell: ({ ended_at }) => <Time at={ended_at} /> },
        {
          label: '',
          align: 'end',
          cell: (former) => (
            <RowActions name={nameOf(former)}>
              <Menu.Item c="var(--bad)" onClick={() => confirmErasure(former)}>
                {t('Daten der Person löschen …', 'Erase the person’s data …')}
              </Menu.Item>
            </RowActions>
          ),
        },
      ]}
      rows={list.rows}
      keyOf={({ id }) => id}
      error={list.error}
      retry={() => void list.refetch()}
      more={list}
      empty={
        <Empty title={t('Keine ehemaligen Mitglieder', 'No former members')}>
          {t(
            'Entfernte Mitglieder erscheinen hier. Sie können deren Daten dann löschen.',
            'Removed members appear here. You can then erase their data.',
          )}
        </Empty>
      }
    />
  );
};
