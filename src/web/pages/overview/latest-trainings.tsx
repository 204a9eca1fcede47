import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Empty } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useTrainingColumns } from '../trainings/training-words.tsx';

const shown = 5;

/** What somebody practised last. */
export const LatestTrainings = () => {
  const t = useText();
  const { data, error, refetch } = app.useAnswer('myTrainings.list', { limit: shown });
  const columns = useTrainingColumns(data?.data);
  const title = t('Ihre letzten Trainings', 'Your latest trainings');
  return (
    <Panel
      title={title}
      actions={
        <Anchor component={Link} to="/trainings" size="sm">
          {t('Alle Trainings', 'All trainings')}
        </Anchor>
      }
    >
      <DataTable
        label={title}
        columns={columns}
        rows={data?.data}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title={t('Noch kein Training', 'No training yet')}>
            {t('Ihre Übungsgespräche erscheinen hier.', 'Your practice conversations show up here.')}
          </Empty>
        }
      />
    </Panel>
  );
};
