import { Box, Button, Code, Flex, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { skipToken, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { idFact } from '../../kit/text/copy.tsx';
import { Facts, State, type Fact } from '../../kit/page/facts.tsx';
import type { StateWords } from '../../kit/page/tones.ts';
import { number } from '../../kit/text/figures.ts';
import { ExactTime } from '../../kit/text/formats.tsx';
import { Empty } from '../../kit/page/messages.tsx';
import { Name, useCatalogNames, usePersonNames, type NamesById } from '../../kit/names/names.tsx';
import { Detail, Page, Panel, Pending, TextSkeleton } from '../../kit/page/page.tsx';
import { DimensionBars, marksOf, scoreDimensions, type DimensionScore } from '../../kit/charts/scores.tsx';
import { locale, t } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { NewAssignmentDialog } from '../assignments/new-assignment.tsx';
import { lengthOf } from './figures.ts';
import { TrainingStatus, useSeesOthers, type Evaluation, type Training } from './training-words.tsx';
import classes from './trainings.module.css';

/** The person of the training, if it is not the reader. `memberId` is null if they have left the team. */
interface OtherPerson {
  memberId: string | null;
  name: string;
}

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

/** The person of a training, if it is not the reader. */
const useOther = (userId: string): OtherPerson | undefined => {
  const { team } = useSignedIn();
  const seesOthers = useSeesOthers();
  const { data } = useQuery(app.members.names.queryOptions({ user_ids: [userId] }, { enabled: seesOthers }));
  const [person] = data?.data ?? [];
  if (!person || person.member_id === team.member_id) return undefined;
  return { memberId: person.member_id, name: person.name ?? person.email ?? t('Unbekannt', 'Unknown') };
};

const TrainingView = ({ training, isBrief }: { training: Training; isBrief: boolean }) => {
  const { id, status, situation_id, personality_id, industry_id, role_id } = training;
  const names = useCatalogNames([situation_id, personality_id, industry_id, role_id]);
  const other = useOther(training.user_id);
  const title = names.get(situation_id ?? '') ?? t('Training', 'Training');
  return (
    <Page
      title={other ? `${title} · ${other.name}` : title}
      back={back}
      actions={
        other && (
          <>
            {!isBrief && <Neighbours training={training} />}
            <FollowUp training={training} other={other} title={title} />
          </>
        )
      }
    >
      <TrainingFacts training={training} names={names} />
      {status === 'scored' ? (
        <EvaluationOf trainingId={id} isBrief={isBrief} {...(other && { other })} />
      ) : (
        <NotScored status={status} />
      )}
    </Page>
  );
};

/** Links to the person's trainings before and after this one. */
const Neighbours = ({ training }: { training: Training }) => {
  const { previous, next } = useNeighbours(training);
  return (
    <>
      <Neighbour to={previous}>{t('Vorheriges', 'Previous')}</Neighbour>
      <Neighbour to={next}>{t('Nächstes', 'Next')}</Neighbour>
    </>
  );
};

interface FollowUpProps {
  training: Training;
  other: OtherPerson;
  title: string;
}

/** An assignment that is created because of a training. */
const FollowUp = ({ training, other: { memberId, name }, title }: FollowUpProps) => {
  const { data: evaluation } = useQuery(
    api.trainings.evaluation.queryOptions({ training_id: training.id }, { enabled: training.status === 'scored' }),
  );
  const [assigning, { open, close }] = useDisclosure();
  const [weakest] = evaluation
    ? marksOf(evaluation.score.dimensions).toSorted((one, another) => one.value - another.value)
    : [];
  return (
    <>
      {memberId !== null && (
        <Button variant="filled" onClick={open}>
          {t('Folgeaufgabe zuweisen', 'Assign follow-up')}
        </Button>
      )}
      <NewAssignmentDialog
        opened={assigning}
        onClose={close}
        recipients={memberId === null ? [] : [{ value: memberId, label: name }]}
        filled={{
          combination: {
            situation_id: training.situation_id ?? '',
            personality_id: training.personality_id ?? '',
            industry_id: training.industry_id ?? '',
          },
          title,
          focus_dimension: weakest?.dimension ?? '',
        }}
      />
    </>
  );
};

/** A button that leads to another training. It is disabled if there is none. */
const Neighbour = ({ to, children }: { to: string | undefined; children: ReactNode }) =>
  to === undefined ? (
    <Button disabled>{children}</Button>
  ) : (
    <Button component={Link} to={`/trainings/${to}`}>
      {children}
    </Button>
  );

/** The person's trainings directly before and after one. */
const useNeighbours = ({ id, user_id, created_at: at }: Training): { previous?: string; next?: string } => {
  const before = useQuery(app.sessions.list.queryOptions(at === null ? skipToken : { user_id, until: at, limit: 1 }));
  const after = useQuery(
    app.sessions.list.queryOptions(
      at === null ? skipToken : { user_id, since: at, sort: { by: 'started', desc: false }, limit: 2 },
    ),
  );
  const [previous] = before.data?.data ?? [];
  const next = after.data?.data.find((one) => one.id !== id);
  return { ...(previous && { previous: previous.id }), ...(next && { next: next.id }) };
};

export default function TrainingPage() {
  const { id = '' } = useParams();
  return <OneTraining id={id} />;
}

/** The page of a training. With `isBrief`, only its head, for the panel beside the list. */
export const OneTraining = ({ id, isBrief = false }: { id: string; isBrief?: boolean }) => (
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
    {(training) => <TrainingView training={training} isBrief={isBrief} />}
  </Detail>
);

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

const TrainingFacts = ({ training, names }: { training: Training; names: NamesById }) => {
  const seesOthers = useSeesOthers();
  const gone = t('Nicht mehr im Katalog', 'No longer in the catalog');
  const named = (id: string | null) =>
    id === null ? (
      '–'
    ) : (
      // On a phone, long German words do not fit into one of two columns.
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

/** The strongest part of the conversation, and the part to improve first. */
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

/** The average of the person's trainings, for comparison. */
const TheirAverage = ({ memberId, name }: { memberId: string; name: string }) => {
  const { data } = useQuery(app.progress.of.queryOptions({ member_id: memberId }));
  if (typeof data?.avg_score !== 'number') return null;
  const average = data.avg_score.toLocaleString(locale());
  return <Hint>{t(`Durchschnitt von ${name}: ${average}`, `Average of ${name}: ${average}`)}</Hint>;
};

const Total = ({
  evaluation: { score, goal, methodology },
  other,
}: {
  evaluation: Evaluation;
  other?: OtherPerson;
}) => {
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
        {other && other.memberId !== null && <TheirAverage memberId={other.memberId} name={other.name} />}
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

interface EvaluationOptions {
  other?: OtherPerson;
  isBrief: boolean;
}

const EvaluationView = ({ evaluation, isBrief, ...whose }: EvaluationOptions & { evaluation: Evaluation }) => {
  const marks = marksOf(evaluation.score.dimensions);
  const { spread } = evaluation.score;
  if (isBrief) {
    return (
      <Panel title={t('Bewertung', 'Evaluation')}>
        <Total evaluation={evaluation} {...whose} />
        <DimensionBars label={t('Punktzahl nach Bereich', 'Score by area')} values={marks} />
      </Panel>
    );
  }
  return (
    <>
      <Panel title={t('Bewertung', 'Evaluation')}>
        <Total evaluation={evaluation} {...whose} />
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
      <Tips tips={evaluation.tips} {...whose} />
    </>
  );
};

/** The scores of a training, and tips. */
const EvaluationOf = ({ trainingId, ...shown }: EvaluationOptions & { trainingId: string }) => {
  const query = useEvaluation(trainingId);
  return query.data ? <EvaluationView evaluation={query.data} {...shown} /> : <Pending query={query} height={420} />;
};

const [width, height, radius] = [540, 270, 105];
const rings = [25, 50, 75, 100];

/** The point for a value on one of `count` axes. The first axis points up. */
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
const ScoreRadar = ({ marks }: { marks: readonly DimensionScore[] }) => {
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
const Tips = ({ tips, other }: { tips: readonly Tip[]; other?: OtherPerson }) => {
  if (tips.length === 0) return null;
  return (
    <section aria-label={t('Tipps', 'Tips')}>
      <Title order={2} size="h4" mb="md">
        {other
          ? t(`Tipps für ${other.name}`, `Tips for ${other.name}`)
          : t('Tipps für das nächste Training', 'Tips for your next training')}
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
