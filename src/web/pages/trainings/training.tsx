import { Anchor, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { CopyableId } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime } from '../../kit/formats.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Name, TextSkeleton, useCatalogNames, usePersonNames } from '../../kit/names.tsx';
import type { Names } from '../../kit/names.tsx';
import { DetailState, Page, Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { isNotFound } from '../../server/problem.ts';
import { api, app } from '../../server/server.ts';
import { EvaluationOf } from './evaluation.tsx';
import { lengthOf, TrainingStatus, useSeesOthers } from './training-words.tsx';
import type { Training } from './training-words.tsx';
import classes from './trainings.module.css';

/** The reason why there is no evaluation. */
const NotScored = ({ status }: { status: Exclude<Training['status'], 'scored'> }) => {
  const t = useText();
  const reasons: Readonly<Record<typeof status, string>> = {
    running: t(
      'Die Bewertung ist nach dem Ende des Trainings verfügbar.',
      'The evaluation will be available after the training has ended.',
    ),
    ended: t(
      'Die Bewertung erscheint hier, sobald sie verfügbar ist.',
      'The evaluation will appear here as soon as it is available.',
    ),
    aborted: t('Abgebrochene Trainings werden nicht bewertet.', 'Canceled trainings are not scored.'),
  };
  const title =
    status === 'aborted' ? t('Keine Bewertung', 'No evaluation') : t('Noch keine Bewertung', 'No evaluation yet');
  return (
    <Panel title={t('Bewertung', 'Evaluation')}>
      <Empty title={title}>{reasons[status]}</Empty>
    </Panel>
  );
};

interface Back {
  to: string;
  label: string;
}

const TrainingView = ({ training, back }: { training: Training; back: Back }) => {
  const t = useText();
  const { id, status, situation_id, personality_id, industry_id, role_id } = training;
  const names = useCatalogNames([situation_id, personality_id, industry_id, role_id]);
  return (
    <Page title={names.get(situation_id ?? '') ?? t('Training', 'Training')} back={back}>
      <TrainingFacts training={training} names={names} />
      {status === 'scored' ? <EvaluationOf trainingId={id} /> : <NotScored status={status} />}
    </Page>
  );
};

export default function TrainingPage() {
  const t = useText();
  const { id = '' } = useParams();
  const query = useTraining(id);
  const { data: training, error } = query;
  const back = { to: '/trainings', label: t('Trainings', 'Trainings') };
  if (training && !isNotFound(error)) return <TrainingView training={training} back={back} />;
  return (
    <DetailState
      title={t('Training', 'Training')}
      back={back}
      query={query}
      missing={t('Training nicht gefunden', 'Training not found')}
      advice={t(
        'Es existiert nicht, oder Sie haben keinen Zugriff darauf.',
        'It does not exist, or you don’t have access to it.',
      )}
    />
  );
}

const Person = ({ userId }: { userId: string }) => {
  const t = useText();
  const names = usePersonNames([userId]);
  const name = names.get(userId);
  if (name === undefined) return <TextSkeleton />;
  return (
    <Anchor component={Link} to={`/trainings?user_id=${userId}`} inherit>
      {name ?? t('Unbekannt', 'Unknown')}
    </Anchor>
  );
};

const Assignment = ({ id }: { id: string }) => {
  const t = useText();
  const seesOthers = useSeesOthers();
  const { data, error } = useQuery(api.assignments.get.queryOptions({ assignment_id: id }, { enabled: seesOthers }));
  if (seesOthers && !data && !error) return <TextSkeleton />;
  return (
    <Anchor component={Link} to={`/assignments?assignment_id=${id}`} inherit>
      {data?.title ?? t('Aufgabe öffnen', 'Open assignment')}
    </Anchor>
  );
};

interface TrainingFactsProps {
  training: Training;
  /** The names of catalog items. */
  names: Names;
}

/** All details of a training. */
const TrainingFacts = ({ training, names }: TrainingFactsProps) => {
  const t = useText();
  const seesOthers = useSeesOthers();
  const gone = t('Nicht mehr im Katalog', 'No longer in the catalog');
  const named = (id: string | null) => (id === null ? '–' : <Name id={id} names={names} unknown={gone} />);
  const sources: Readonly<Record<Training['source'], string>> = {
    app: t('In der App', 'In the app'),
    phone: t('Am Telefon', 'On the phone'),
    api: t('Über die API', 'Through the API'),
  };
  const { created_at, duration_s, external_ref, assignment_id } = training;
  const facts: readonly (Fact | false)[] = [
    seesOthers && { name: t('Mitglied', 'Member'), value: <Person userId={training.user_id} /> },
    { name: t('Situation', 'Situation'), value: named(training.situation_id), alone: 'when narrow' },
    { name: t('Persönlichkeit', 'Personality'), value: named(training.personality_id) },
    { name: t('Branche', 'Industry'), value: named(training.industry_id) },
    training.role_id !== null && { name: t('Rolle', 'Role'), value: named(training.role_id) },
    { name: t('Begonnen', 'Started'), value: created_at === null ? '–' : <ExactTime at={created_at} /> },
    { name: t('Dauer', 'Duration'), value: duration_s === null ? '–' : lengthOf(duration_s) },
    { name: t('Quelle', 'Source'), value: sources[training.source] },
    assignment_id !== null && { name: t('Aufgabe', 'Assignment'), value: <Assignment id={assignment_id} /> },
    { name: 'ID', alone: 'always', value: <CopyableId id={training.id} what={t('ID', 'ID')} /> },
    external_ref !== null && {
      name: t('Externe Referenz', 'External reference'),
      alone: 'always',
      value: (
        <Code block className={classes['reference'] ?? ''}>
          {JSON.stringify(external_ref, null, 2)}
        </Code>
      ),
    },
  ];
  return (
    <Panel title={t('Details', 'Details')} actions={<TrainingStatus status={training.status} />}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};

/** A training, if the reader may see it. */
const useTraining = (training_id: string) => {
  const seesOthers = useSeesOthers();
  const own = useQuery(app.myTrainings.get.queryOptions({ training_id }, { enabled: !seesOthers }));
  const any = useQuery(api.trainings.get.queryOptions({ training_id }, { enabled: seesOthers }));
  return seesOthers ? any : own;
};
