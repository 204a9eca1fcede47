import { Anchor, Skeleton, Stack } from '@mantine/core';
import { Link } from 'react-router';
import type { OwnAssignment } from '../../../modules/assignments/schema.ts';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { useCatalogNames } from '../../kit/names.ts';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { NextAssignment } from './next-assignment.tsx';
import classes from './overview.module.css';

const shown = 5;

/** As many as one page can have: what is due first may have been given long ago. */
const mostUnfinished = 200;

/** After every day there is. */
const never = '9999-12-31';

/** What is due first; of the same day, what was begun. */
const dueFirst = (a: OwnAssignment, b: OwnAssignment): number =>
  (a.due_date ?? never).localeCompare(b.due_date ?? never) || a.status.localeCompare(b.status);

const useNextAssignments = () => {
  const {
    data: page,
    error,
    refetch,
  } = app.useAnswer('assigning.mine', { status: 'unfinished', limit: mostUnfinished });
  return { next: page?.data.toSorted(dueFirst).slice(0, shown), error, refetch: () => void refetch() };
};

/** What somebody was given to practise and has not done yet. */
export const NextAssignments = () => {
  const t = useText();
  const { next, error, refetch } = useNextAssignments();
  const names = useCatalogNames(
    (next ?? []).flatMap(({ situation_id, personality_id, industry_id }) => [
      situation_id,
      personality_id,
      industry_id,
    ]),
  );
  return (
    <Panel
      title={t('Ihre nächsten Aufgaben', 'Your next assignments')}
      actions={
        <Anchor component={Link} to="/assignments" size="sm">
          {t('Alle Aufgaben', 'All assignments')}
        </Anchor>
      }
    >
      {!next && error ? <ProblemAlert error={error} retry={refetch} /> : null}
      {!next && !error ? (
        <Stack gap="md" role="status" aria-label={t('Wird geladen', 'Loading')}>
          {[1, 2, 3].map((one) => (
            <Skeleton key={one} height={88} radius="md" />
          ))}
        </Stack>
      ) : null}
      {next?.length === 0 && (
        <Empty title={t('Gerade ist nichts offen', 'Nothing is open right now')}>
          {t(
            'Sobald Ihnen jemand etwas zum Üben gibt, steht es hier.',
            'As soon as somebody gives you something to practise, it shows here.',
          )}
        </Empty>
      )}
      {next !== undefined && next.length > 0 && (
        <ul className={classes['list']}>
          {next.map((assignment) => (
            <NextAssignment key={assignment.id} assignment={assignment} names={names} />
          ))}
        </ul>
      )}
    </Panel>
  );
};
