import { useQuery } from '@tanstack/react-query';
import { ActionButton } from '../../kit/action-button.tsx';
import { Time } from '../../kit/formats.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { client, entrance } from '../../server/server.ts';

/** The assistants that the person has connected, in all their teams. */
export const OwnAssistants = () => {
  const t = useText();
  const query = useQuery(entrance.assistants.list.queryOptions({}));
  return (
    <Panel
      title={t('Verbundene Assistenten', 'Connected assistants')}
      lead={t(
        'Diese Assistenten greifen mit Ihren Berechtigungen auf die Daten eines Teams zu.',
        'These assistants access the data of one team with your permissions.',
      )}
    >
      <DataTable
        label={t('Verbundene Assistenten', 'Connected assistants')}
        list={{ ...query, rows: query.data?.assistants }}
        keyOf={({ id }) => id}
        empty={<Empty title={t('Keine Assistenten verbunden', 'No assistants connected')} />}
        columns={[
          {
            label: t('Assistent', 'Assistant'),
            cell: ({ client_name: name }) => <span style={{ overflowWrap: 'anywhere' }}>{name}</span>,
          },
          { label: t('Team', 'Team'), cell: ({ team_name: name }) => name },
          { label: t('Verbunden', 'Connected'), cell: ({ created_at }) => <Time at={created_at} /> },
          {
            label: t('Zuletzt verwendet', 'Last used'),
            cell: ({ last_used_at: at }) => (at === null ? t('noch nie', 'never') : <Time at={at} />),
          },
        ]}
        actions={({ id, client_name: name }) => (
          <ActionButton
            variant="default"
            size="xs"
            aria-label={t(`${name} trennen`, `Disconnect ${name}`)}
            act={() => client.entrance.assistants.disconnect.mutate({ connection_id: id })}
            done={t('Assistent getrennt.', 'Assistant disconnected.')}
          >
            {t('Trennen', 'Disconnect')}
          </ActionButton>
        )}
      />
    </Panel>
  );
};
