import { Box, Button, Stack } from '@mantine/core';
import { useFilters } from '../../kit/filters.tsx';
import { Empty } from '../../kit/messages.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { StateChoice, stateIn } from './state-choice.tsx';
import { useTrainingColumns } from './training-words.tsx';

/** What somebody practised themselves. */
export const OwnTrainings = () => {
  const t = useText();
  const filters = useFilters('status');
  const status = stateIn(filters.valueOf('status'));
  const list = app.usePages('myTrainings.list', { status });
  const columns = useTrainingColumns(list.rows);
  return (
    <Stack gap="md">
      <Box maw={240}>
        <StateChoice value={filters.valueOf('status')} onChange={(value) => filters.set('status', value)} />
      </Box>
      <DataTable
        label={t('Ihre Trainings', 'Your trainings')}
        columns={columns}
        rows={list.rows}
        keyOf={({ id }) => id}
        error={list.error}
        retry={() => void list.refetch()}
        more={list}
        empty={
          filters.isSet ? (
            <Empty
              title={t('Nichts in diesem Stand', 'Nothing in this state')}
              action={
                <Button variant="default" onClick={filters.clear}>
                  {t('Alle zeigen', 'Show all')}
                </Button>
              }
            />
          ) : (
            <Empty title={t('Noch kein Training', 'No training yet')}>
              {t('Ihre Übungsgespräche erscheinen hier.', 'Your practice conversations show up here.')}
            </Empty>
          )
        }
      />
    </Stack>
  );
};
