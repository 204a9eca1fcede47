import { Box, Code, Flex, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { idFact } from '../../kit/text/copy.tsx';
import { Facts, State, type Fact } from '../../kit/page/facts.tsx';
import type { StateWords } from '../../kit/page/tones.ts';
import { number } from '../../kit/text/figures.ts';
import { ExactTime } from '../../kit/text/formats.tsx';
import { Empty } from '../../kit/page/messages.tsx';
import { Name, useCatalogNames, usePersonNames, type Names } from '../../kit/names/names.tsx';
import { Detail, Page, Panel, Pending, TextSkeleton } from '../../kit/page/page.tsx';
import { DimensionBars, marksOf, scoreDimensions, type Mark } from '../../kit/charts/scores.tsx';
import { t } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { lengthOf } from './figures.ts';
import { TrainingStatus, useSeesOthers, type Evaluation, type Training } from './training-words.tsx';
import classes from './trainings.module.css';

/** The reason why there is no evaluation. */
const NotScored = ({ status }: { status: Exclude<Training['status'], 'scored'> }) => {
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

const back = { to: '/trainings', label: 'Trainings' };

const TrainingView = ({ training }: { training: Training }) => {
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
  const { id = '' } = useParams();
  return (
    <Detail
      title={t('Training', 'Training')}
      back={back}
      query={useTraining(id)}
      missing={t('Training nicht gefunden', 'Training not found')}
      advice={t(
        'Es existiert nicht, oder Sie haben keinen Zugriff darauf.',
        'It does not exist, or you don’t have access to it.',
      )}
    >
      {(training) => <TrainingView training={training} />}
    </Detail>
  );
}

const Person = ({ userId }: { userId: string }) => {
  const names = usePersonNames([userId]);
  const name = names.get(userId);
  if (name === undefined) return <TextSkeleton />;
  return (
    <TextLink to={`/trainings?user_id=${userId}`} inherit>
      {name ?? t('Unbekannt', 'Unknown')}
    </TextLink>
  );
};

const Assignment = ({ id }: { id: string }) => {
  const seesOthers = useSeesOthers();
  const { data, error } = useQuery(api.assignments.get.queryOptions({ assignment_id: id }, { enabled: seesOthers }));
  if (seesOthers && !data && !error) return <TextSkeleton />;
  return (
    <TextLink to={`/assignments?assignment_id=${id}`} inherit>
      {data?.title ?? t('Aufgabe öffnen', 'Open assignment')}
    </TextLink>
  );
};

interface TrainingFactsProps {
  training: Training;
  names: Names;
}

const TrainingFacts = ({ training, names }: TrainingFactsProps) => {
  const seesOthers = useSeesOthers();
  const gone = t('Nicht mehr im Katalog', 'No longer in the catalog');
  const named = (id: string | null) =>
    id === null ? (
      '–'
    ) : (
      // Long German words have no room in one of two columns on a phone.
      <span style={{ hyphens: 'auto' }}>
        <Name id={id} names={names} unknown={gone} />
      </span>
    );
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
    idFact(training.id),
    external_ref !== null && {
      name: t('Externe Referenz', 'External reference'),
      alone: 'always',
      value: (
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
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

type Goal = NonNullable<Evaluation['goal']>;
const goals = (): Readonly<Record<Goal, StateWords>> => ({
  reached: ['good', t('Gesprächsziel erreicht', 'Goal reached')],
  partial: ['warn', t('Gesprächsziel teilweise erreicht', 'Goal partially reached')],
  missed: ['bad', t('Gesprächsziel verfehlt', 'Goal missed')],
});

/** The strongest part of the conversation, and what to improve first. */
const InWords = ({ evaluation: { strongest, biggest_lever } }: { evaluation: Evaluation }) => {
  const parts = [
    { title: t('Größte Stärke', 'Greatest strength'), text: strongest },
    { title: t('Größtes Verbesserungspotenzial', 'Most room for improvement'), text: biggest_lever },
  ].filter(({ text }) => text !== null && text !== '');
  if (parts.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, sm: parts.length }} spacing="lg">
      {parts.map(({ title, text }) => (
        <Panel key={title} title={title}>
          <Text style={{ overflowWrap: 'anywhere' }}>{text}</Text>
        </Panel>
      ))}
    </SimpleGrid>
  );
};

const Total = ({ evaluation: { score, goal, methodology } }: { evaluation: Evaluation }) => {
  const names = useCatalogNames([methodology]);
  const method = methodology === null ? null : (names.get(methodology) ?? null);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <Group align="baseline" gap="xs">
        <Text fz={40} fw={650} lh={1.1}>
          {score.total === null ? '–' : number(score.total)}
        </Text>
        <Text c="dimmed">{t('von 100 Punkten', 'out of 100')}</Text>
      </Group>
      <Flex direction="column" gap={4} align={{ base: 'flex-start', sm: 'flex-end' }}>
        {goal !== null && <State words={goals()[goal]} />}
        {method !== null && (
          <Hint>
            {t('Methodik', 'Methodology')}: {method}
          </Hint>
        )}
      </Flex>
    </Group>
  );
};

const EvaluationView = ({ evaluation }: { evaluation: Evaluation }) => {
  const marks = marksOf(evaluation.score.dimensions);
  const { spread } = evaluation.score;
  return (
    <>
      <Panel title={t('Bewertung', 'Evaluation')}>
        <Total evaluation={evaluation} />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing={{ base: 'lg', lg: 'xl' }} style={{ alignItems: 'center' }}>
          <div>
            <DimensionBars label={t('Punktzahl nach Bereich', 'Score by area')} values={marks} />
            {spread !== null && (
              <Hint mt="md">
                {t(
                  'Abstand zwischen stärkstem und schwächstem Bereich',
                  'Difference between strongest and weakest area',
                )}
                : {number(spread)}
              </Hint>
            )}
          </div>
          <ScoreRadar marks={marks} />
        </SimpleGrid>
      </Panel>
      <InWords evaluation={evaluation} />
      <Tips tips={evaluation.tips} />
    </>
  );
};

/** The scores of a training, and tips. */
export const EvaluationOf = ({ trainingId }: { trainingId: string }) => {
  const query = useEvaluation(trainingId);
  return query.data ? <EvaluationView evaluation={query.data} /> : <Pending query={query} height={420} />;
};

const [width, height, radius] = [540, 270, 105];
const rings = [25, 50, 75, 100];

/** The point of a value on one of `count` axes. The first axis points up. */
const pointAt = (index: number, count: number, value: number): [x: number, y: number] => {
  const angle = (index / count) * 2 * Math.PI - Math.PI / 2;
  const far = (value / 100) * radius;
  return [width / 2 + far * Math.cos(angle), height / 2 + far * Math.sin(angle)];
};

const outline = (values: readonly number[]): string =>
  values
    .map((value, index) =>
      pointAt(index, values.length, value)
        .map((one) => one.toFixed(1))
        .join(),
    )
    .join(' ');

const anchorAt = (x: number): 'start' | 'middle' | 'end' => {
  if (Math.abs(x - width / 2) < 1) return 'middle';
  return x > width / 2 ? 'start' : 'end';
};

/** The scores as a radar chart. Decorative: the same numbers are shown beside it. */
const ScoreRadar = ({ marks }: { marks: readonly Mark[] }) => {
  const areas = scoreDimensions();
  return (
    <Box visibleFrom="lg" aria-hidden>
      <svg className={classes['radar']} viewBox={`0 0 ${width} ${height}`}>
        {rings.map((ring) => (
          <polygon key={ring} className={classes['ring']} points={outline(marks.map(() => ring))} />
        ))}
        {marks.map(({ dimension }, index) => {
          const [x, y] = pointAt(index, marks.length, 100);
          return <line key={dimension} className={classes['ring']} x1={width / 2} y1={height / 2} x2={x} y2={y} />;
        })}
        <polygon className={classes['shape']} points={outline(marks.map(({ value }) => value))} />
        {marks.map(({ dimension }, index) => {
          const [x, y] = pointAt(index, marks.length, 113);
          return (
            <text key={dimension} x={x} y={y} textAnchor={anchorAt(x)} dominantBaseline="middle">
              {areas[dimension]}
            </text>
          );
        })}
      </svg>
    </Box>
  );
};

type Tip = Evaluation['tips'][number];

const TipCard = ({ tip: { issue, moment, principle, rewrite, impact } }: { tip: Tip }) => (
  <Stack
    gap="md"
    component="li"
    p={{ base: 'md', sm: 'lg' }}
    bd="1px solid var(--line)"
    bdrs="lg"
    style={{ overflowWrap: 'anywhere' }}
  >
    <Title order={3} size="h5">
      {issue}
    </Title>
    <div>
      <Hint mb={4}>{t('Im Gespräch', 'In the conversation')}</Hint>
      <blockquote className={classes['quote']}>{moment}</blockquote>
    </div>
    <div>
      <Hint mb={4}>{t('Besser formuliert', 'Better wording')}</Hint>
      <blockquote className={classes['quote']} data-good>
        {rewrite}
      </blockquote>
    </div>
    <Text size="sm">
      <Text span inherit fw={600}>
        {principle}
      </Text>{' '}
      {impact}
    </Text>
  </Stack>
);

/** Tips for next time, each for a moment of the conversation. */
const Tips = ({ tips }: { tips: readonly Tip[] }) => {
  if (tips.length === 0) return null;
  return (
    <section aria-label={t('Tipps', 'Tips')}>
      <Title order={2} size="h4" mb="md">
        {t('Tipps für das nächste Training', 'Tips for your next training')}
      </Title>
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
        {tips.map((tip, index) => (
          <TipCard key={index} tip={tip} />
        ))}
      </Stack>
    </section>
  );
};

/** The evaluation of a training, if the reader may see it. */
const useEvaluation = (training_id: string) => {
  const seesOthers = useSeesOthers();
  const own = useQuery(app.myTrainings.evaluation.queryOptions({ training_id }, { enabled: !seesOthers }));
  const any = useQuery(api.trainings.evaluation.queryOptions({ training_id }, { enabled: seesOthers }));
  return seesOthers ? any : own;
};
