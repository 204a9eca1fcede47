import { Stack, Text } from '@mantine/core';
import type { OwnAssignment } from '../../../modules/assignments/schema.ts';
import { Empty } from '../../kit/messages.tsx';
import { useCatalogNames } from '../../kit/names.ts';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { AssignmentLink } from './assignment-link.tsx';
import { AssignmentMoves } from './assignment-moves.tsx';
import { AssignmentStatusMark, Due } from './assignment-words.tsx';
import { FilterBar, useAssignmentFilters } from './filter-bar.tsx';
import { NotFoundYet, NothingMatches } from './nothing-found.tsx';

/** What somebody was given to do themselves. */
export const OwnAssignments = () => {
  const t = useText();
  const { asked, clear } = useAssignmentFilters();
  const pages = app.usePages('assigning.mine', asked);
  const { rows, hasNextPage, error, refetch } = pages;
  const names = useCatalogNames(rows?.map((row) => row.situation_id) ?? []);
  const practiceOf = ({ situation_id, title }: OwnAssignment) => {
    const name = names?.get(situation_id ?? '');
    return name === title ? null : name;
  };
  return (
    <Stack gap="md">
      <FilterBar />
      {rows?.length === 0 && hasNextPage ? (
        <NotFoundYet {...pages} />
      ) : (
        <DataTable
          label={t('Ihre Aufgaben', 'Your assignments')}
          rows={rows}
          keyOf={({ id }) => id}
          error={error}
          retry={() => void refetch()}
          more={pages}
          empty={
            Object.keys(asked).length > 0 ? (
              <NothingMatches onClear={clear} />
            ) : (
              <Empty title={t('Nichts zu tun', 'Nothing to do')}>
                {t(
                  'Wenn ein Admin Ihres Teams Ihnen eine Aufgabe gibt, bekommen Sie eine Mail, und die Aufgabe erscheint hier.',
                  'When an admin of your team gives you an assignment, you get a mail, and the assignment appears here.',
                )}
              </Empty>
            )
          }
          columns={[
            {
              label: t('Aufgabe', 'Assignment'),
              cell: (row) => (
                <div>
                  <AssignmentLink assignment={row} />
                  <Text size="xs" c="dimmed" fw={400}>
                    {practiceOf(row)}
                  </Text>
                </div>
              ),
            },
            { label: t('Fällig', 'Due'), cell: (row) => <Due on={row.due_date} overdue={row.overdue} /> },
            { label: t('Status', 'Status'), cell: (row) => <AssignmentStatusMark status={row.status} /> },
            { label: '', align: 'end', cell: (row) => <AssignmentMoves of={row} /> },
          ]}
        />
      )}
    </Stack>
  );
};
