import { Box, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { State } from '../../kit/facts.tsx';
import type { StateWords } from '../../kit/facts.tsx';
import { useCatalogNames } from '../../kit/names.tsx';
import { Panel, Pending } from '../../kit/page.tsx';
import { DimensionBars, marksOf, useDimensionName } from '../../kit/scores.tsx';
import type { Mark } from '../../kit/scores.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useSeesOthers } from './training-words.tsx';
import type { Evaluation } from './training-words.tsx';
import classes from './trainings.module.css';

type Goal = NonNullable<Evaluation['goal']>;
const goals: Readonly<Record<Goal, StateWords>> = {
  reached: ['good', 'Gesprächsziel erreicht', 'Goal reached'],
  partial: ['warn', 'Gesprächsziel teilweise erreicht', 'Goal partially reached'],
  missed: ['bad', 'Gesprächsziel verfehlt', 'Goal missed'],
};

/** The strongest part of the conversation, and what to improve first. */
const InWords = ({ evaluation: { strongest, biggest_lever } }: { evaluation: Evaluation }) => {
  const t = useText();
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
  const t = useText();
  const locale = useLocale();
  const names = useCatalogNames([methodology]);
  const method = methodology === null ? null : (names.get(methodology) ?? null);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <Group align="baseline" gap="xs">
        <Text fz={40} fw={650} lh={1.1}>
          {score.total === null ? '–' : score.total.toLocaleString(locale)}
        </Text>
        <Text c="dimmed">{t('von 100 Punkten', 'out of 100')}</Text>
      </Group>
      <Stack gap={4} className={classes['outcome'] ?? ''}>
        {goal !== null && <State words={goals[goal]} />}
        {method !== null && (
          <Text size="sm" c="dimmed">
            {t('Methodik', 'Methodology')}: {method}
          </Text>
        )}
      </Stack>
    </Group>
  );
};

const EvaluationView = ({ evaluation }: { evaluation: Evaluation }) => {
  const t = useText();
  const locale = useLocale();
  const marks = marksOf(evaluation.score.dimensions);
  const { spread } = evaluation.score;
  return (
    <>
      <Panel title={t('Bewertung', 'Evaluation')}>
        <Total evaluation={evaluation} />
        <div className={classes['score']}>
          <div>
            <DimensionBars label={t('Punktzahl nach Bereich', 'Score by area')} values={marks} />
            {spread !== null && (
              <Text size="sm" c="dimmed" mt="md">
                {t(
                  'Abstand zwischen stärkstem und schwächstem Bereich',
                  'Difference between strongest and weakest area',
                )}
                : {spread.toLocaleString(locale)}
              </Text>
            )}
          </div>
          <ScoreRadar marks={marks} />
        </div>
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
  const nameOf = useDimensionName();
  return (
    <Box visibleFrom="sm" aria-hidden>
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
              {nameOf(dimension)}
            </text>
          );
        })}
      </svg>
    </Box>
  );
};

type Tip = Evaluation['tips'][number];

const TipCard = ({ tip: { issue, moment, principle, rewrite, impact } }: { tip: Tip }) => {
  const t = useText();
  return (
    <Stack gap="md" component="li" className={classes['tip'] ?? ''}>
      <Title order={3} size="h5">
        {issue}
      </Title>
      <div>
        <Text size="sm" c="dimmed" mb={4}>
          {t('Im Gespräch', 'In the conversation')}
        </Text>
        <blockquote className={classes['quote']}>{moment}</blockquote>
      </div>
      <div>
        <Text size="sm" c="dimmed" mb={4}>
          {t('Besser formuliert', 'Better wording')}
        </Text>
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
};

/** Tips for next time, each for a moment of the conversation. */
const Tips = ({ tips }: { tips: readonly Tip[] }) => {
  const t = useText();
  if (tips.length === 0) return null;
  return (
    <section aria-label={t('Tipps', 'Tips')}>
      <Title order={2} size="h4" mb="md">
        {t('Tipps für das nächste Training', 'Tips for your next training')}
      </Title>
      <ol className={classes['tips']}>
        {tips.map((tip, index) => (
          <TipCard key={index} tip={tip} />
        ))}
      </ol>
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
