import { Button, Stack } from '@mantine/core';
import { Link } from 'react-router';
import { useFilters } from '../../kit/filters.tsx';
import { startOf } from '../../kit/formats.tsx';
import { Empty } from '../../kit/messages.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { stateIn } from './state-choice.tsx';
import { TrainingFilters } from './training-filters.tsx';
import { useTrainingColumns } from './training-words.tsx';

const given = (text: string): string | undefined => (text === '' ? undefined : text);

/** What everybody in the team practised. */
export const TeamTrainings = () => {
  const t = useText();
  const filters = useFilters('status', 'user_id', 'since', 'assignment_id');
  const list = api.usePages('trainings.list', {
    status: stateIn(filters.valueOf('status')),
    user_id: given(filters.valueOf('user_id')),
    since: startOf(filters.valueOf('since')),
    assignment_id: given(filters.valueOf('assignment_id')),
  });
  const columns = useTrainingColumns(list.rows, { people: true });
  return (
    <Stack gap="md">
      <TrainingFilters filters={filters} />
      <DataTable
        label={t('Trainings des Teams', 'The team’s trainings')}
        columns={columns}
        rows={list.rows}
        keyOf={({ id }) => id}
        error={list.error}
        retry={() => void list.refetch()}
        more={list}
        empty={
          filters.isSet ? (
            <Empty
              title={t('Nichts passt zu diesen Filtern', 'Nothing matches these filters')}
              action={
                <Button variant="default" onClick={filters.clear}>
                  {t('Filter entfernen', 'Remove filters')}
                </Button>
              }
            />
          ) : (
            <Empty
              title={t('Noch kein Training', 'No training yet')}
              action={
                <Button component={Link} to="/assignments" variant="default">
                  {t('Etwas zu üben geben', 'Give somebody something to practise')}
                </Button>
              }
            >
              {t('Die Trainings Ihres Teams erscheinen hier.', 'Your team’s trainings appear here.')}
            </Empty>
          )
        }
      />
    </Stack>
  );
};
