import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useCatalogNames } from '../../kit/names.ts';
import { Panel } from '../../kit/page.tsx';
import { DimensionBars } from '../../kit/scores.tsx';
import type { ScoreDimension } from '../../kit/scores.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { ScoreRadar } from './score-radar.tsx';
import { Tips } from './tips.tsx';
import type { Evaluation } from './training-words.tsx';
import classes from './trainings.module.css';
import { useEvaluation } from './use-training.ts';

export interface Mark {
  dimension: ScoreDimension;
  value: number;
}

const marksOf = ({ score: { dimensions } }: Evaluation): Mark[] => [
  { dimension: 'closing', value: dimensions.closing },
  { dimension: 'conversation_control', value: dimensions.conversation_control },
  { dimension: 'needs_analysis', value: dimensions.needs_analysis },
  { dimension: 'objection_handling', value: dimensions.objection_handling },
  { dimension: 'value_argument', value: dimensions.value_argument },
];

type Goal = NonNullable<Evaluation['goal']>;
const goalTones: Readonly<Record<Goal, Tone>> = { reached: 'good', partial: 'warn', missed: 'bad' };

const GoalStatus = ({ goal }: { goal: Goal }) => {
  const t = useText();
  const words: Readonly<Record<Goal, string>> = {
    reached: t('Gesprächsziel erreicht', 'Goal reached'),
    partial: t('Gesprächsziel zum Teil erreicht', 'Goal partly reached'),
    missed: t('Gesprächsziel verfehlt', 'Goal missed'),
  };
  return <Status tone={goalTones[goal]}>{words[goal]}</Status>;
};

/** What went best and what would help most. */
const InWords = ({ evaluation: { strongest, biggest_lever } }: { evaluation: Evaluation }) => {
  const t = useText();
  const parts = [
    { title: t('Am besten gelungen', 'What went best'), text: strongest },
    { title: t('Größter Hebel', 'Biggest lever'), text: biggest_lever },
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
  const method = methodology === null ? undefined : names?.get(methodology);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <Group align="baseline" gap="xs">
        <Text fz={40} fw={650} lh={1.1}>
          {score.total === null ? '–' : score.total.toLocaleString(locale)}
        </Text>
        <Text c="dimmed">{t('von 100 Punkten', 'of 100 points')}</Text>
      </Group>
      <Stack gap={4} className={classes['told'] ?? ''}>
        {goal !== null && <GoalStatus goal={goal} />}
        {method !== undefined && (
          <Text size="sm" c="dimmed">
            {t('Methode', 'Methodology')}: {method}
          </Text>
        )}
      </Stack>
    </Group>
  );
};

const Shown = ({ evaluation }: { evaluation: Evaluation }) => {
  const t = useText();
  const locale = useLocale();
  const marks = marksOf(evaluation);
  const { spread } = evaluation.score;
  return (
    <>
      <Panel title={t('Auswertung', 'Evaluation')}>
        <Total evaluation={evaluation} />
        <div className={classes['score']}>
          <div>
            <DimensionBars label={t('Punkte je Bereich', 'Points by area')} values={marks} />
            {spread !== null && (
              <Text size="sm" c="dimmed" mt="md">
                {t(
                  'Abstand zwischen bestem und schwächstem Bereich',
                  'Difference between the best and the weakest area',
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

/** How a training was scored, and what to learn from it. */
export const EvaluationOf = ({ trainingId }: { trainingId: string }) => {
  const t = useText();
  const { data, error, retry } = useEvaluation(trainingId);
  if (data) return <Shown evaluation={data} />;
  if (error) return <ProblemAlert error={error} retry={retry} />;
  return <Skeleton height={420} radius="lg" role="status" aria-label={t('Wird geladen', 'Loading')} />;
};
