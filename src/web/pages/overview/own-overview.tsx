import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Hint } from '../../kit/text/text.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { Day } from '../../kit/text/formats.tsx';
import { Empty } from '../../kit/page/messages.tsx';
import { ListPanel } from '../../kit/list/list-panel.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { AverageScore, DimensionBars, scoreDimensions, type Progress } from '../../kit/charts/scores.tsx';
import { t } from '../../language/language.tsx';
import { app, whileOpen } from '../../server/server.ts';
import { PersonTrend } from '../analytics/score-trend.tsx';
import {
  AssignmentStatusMark,
  OwnAssignmentActions,
  practiceOf,
  titleOf,
  type OwnAssignment,
} from '../assignments/assignment-parts.tsx';
import { nextOf } from '../assignments/order.ts';
import { trainingColumns } from '../trainings/training-words.tsx';
import classes from '../../kit/list/list.module.css';

/** The start page of a member: next assignments, progress, latest trainings. */
export default function OwnOverview() {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <NextAssignments />
        <OwnProgress />
      </SimpleGrid>
      <PersonTrend />
      <LatestTrainings />
    </Stack>
  );
}

/** The maximum of one page of the list: the assignment that is due first may be an old one. */
const maxUnfinished = 200;

const NextAssignments = () => {
  const query = useQuery(app.assigning.mine.queryOptions({ status: 'unfinished', limit: maxUnfinished }, whileOpen));
  const next = query.data && nextOf(query.data.data);
  return (
    <Panel
      title={t('Ihre nächsten Aufgaben', 'Your next assignments')}
      link={{ to: '/assignments', label: t('Alle Aufgaben', 'All assignments') }}
    >
      {!next && <Pending query={query} height={296} />}
      {next?.length === 0 && (
        <Empty title={t('Keine offenen Aufgaben', 'No open assignments')}>
          {t('Neue Aufgaben erscheinen hier.', 'New assignments appear here.')}
        </Empty>
      )}
      {next !== undefined && next.length > 0 && (
        <ul className={classes['list']}>
          {next.map((assignment) => (
            <NextAssignment key={assignment.id} assignment={assignment} />
          ))}
        </ul>
      )}
    </Panel>
  );
};

const When = ({ assignment: { due_date, overdue } }: { assignment: OwnAssignment }) => {
  if (due_date === null) return null;
  return (
    <Status tone={overdue ? 'bad' : 'plain'}>
      <span>
        {overdue ? t('Überfällig, fällig am', 'Overdue, due on') : t('Fällig am', 'Due on')} <Day on={due_date} />
      </span>
    </Status>
  );
};

/** An assignment, with buttons to begin and to finish it. */
const NextAssignment = ({ assignment }: { assignment: OwnAssignment }) => {
  const { note, focus_dimension: focus } = assignment;
  const about = [
    ...practiceOf(assignment),
    ...(focus === null ? [] : [`${t('Schwerpunkt', 'Focus')}: ${scoreDimensions()[focus]}`]),
  ];
  return (
    <li>
      <div className={classes['words']}>
        <Text fw={600}>{titleOf(assignment)}</Text>
        {about.length > 0 && <Hint>{about.join(' · ')}</Hint>}
        {note !== null && note !== '' && (
          <Text size="sm" mt={4} lineClamp={3}>
            {note}
          </Text>
        )}
      </div>
      <Group justify="space-between" gap="xs" mt="xs">
        <Group gap="xs">
          {assignment.status === 'in_progress' && <AssignmentStatusMark status={assignment.status} />}
          <When assignment={assignment} />
        </Group>
        <OwnAssignmentActions assignment={assignment} />
      </Group>
    </li>
  );
};

const OwnProgress = () => {
  const query = useQuery(app.progress.mine.queryOptions({}, whileOpen));
  return (
    <Panel title={t('Ihr Fortschritt', 'Your progress')}>
      {query.data ? <Scores progress={query.data} /> : <Pending query={query} height={292} />}
    </Panel>
  );
};

const Scores = ({ progress }: { progress: Progress }) => {
  if (progress.avg_score === null) {
    return (
      <Empty title={t('Noch keine Bewertungen', 'No evaluations yet')}>
        {t(
          'Ihr Fortschritt erscheint hier nach dem ersten bewerteten Training.',
          'Your progress appears here after your first scored training.',
        )}
      </Empty>
    );
  }
  return (
    <Stack gap="md">
      <AverageScore progress={progress} />
      <DimensionBars label={t('Ihre Punktzahl nach Bereich', 'Your score by area')} values={progress.dimensions} />
    </Stack>
  );
};

const maxTrainings = 5;

const LatestTrainings = () => {
  const query = useQuery(app.myTrainings.list.queryOptions({ limit: maxTrainings }, whileOpen));
  return (
    <ListPanel
      title={t('Ihre letzten Trainings', 'Your latest trainings')}
      query={query}
      all="/trainings"
      columns={trainingColumns()}
      keyOf={({ id }) => id}
      none={t('Noch keine Trainings', 'No trainings yet')}
      hint={t('Ihre Trainings erscheinen hier.', 'Your trainings appear here.')}
    />
  );
};
