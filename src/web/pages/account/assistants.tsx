import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Time } from '../../kit/formats.tsx';
import { Empty, notify, ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { entrance } from '../../server/server.ts';

/** The assistants that the person has connected, in all their teams. */
export const OwnAssistants = () => {
  const t = useText();
  const { data, error, refetch } = useQuery(entrance.assistants.list.queryOptions({}));
  const disconnect = useMutation(entrance.assistants.disconnect.mutationOptions());
  return (
    <Panel title={t('Verbundene Assistenten', 'Connected assistants')}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(
            'Diese Assistenten greifen mit Ihren Berechtigungen auf die Daten eines Teams zu.',
            'These assistants access the data of one team with your permissions.',
          )}
        </Text>
        <ProblemAlert error={disconnect.error} />
        <DataTable
          label={t('Verbundene Assistenten', 'Connected assistants')}
          rows={data?.assistants}
          keyOf={({ id }) => id}
          error={error}
          retry={() => void refetch()}
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
            {
              label: '',
              align: 'end',
              cell: ({ id, client_name: name }) => (
                <Button
                  variant="default"
                  size="xs"
                  loading={disconnect.isPending && disconnect.variables.connection_id === id}
                  aria-label={t(`${name} trennen`, `Disconnect ${name}`)}
                  onClick={() =>
                    disconnect.mutate(
                      { connection_id: id },
                      { onSuccess: () => notify(t('Assistent getrennt.', 'Assistant disconnected.')) },
                    )
                  }
                >
                  {t('Trennen', 'Disconnect')}
                </Button>
              ),
            },
          ]}
        />
      </Stack>
    </Panel>
  );
};
