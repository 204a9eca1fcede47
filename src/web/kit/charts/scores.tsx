import { Group, Progress as Bar, Text, VisuallyHidden } from '@mantine/core';
import { Hint } from '../text/text.tsx';
import type { ScoreDimension } from '../../../modules/trainings/schema.ts';
import { locale, t } from '../../language/language.tsx';
import { alike, count } from '../text/figures.ts';
import { changeText, toneOfChange } from './change.ts';
import classes from './scores.module.css';
import type { AppOutputs } from '../../server/server.ts';

export type { ScoreDimension };

/** The names of the areas in which a conversation is scored. */
export const scoreDimensions = (): Readonly<Record<ScoreDimension, string>> => ({
  closing: t('Abschluss', 'Closing'),
  conversation_control: t('Gesprächsführung', 'Conversation control'),
  needs_analysis: t('Bedarfsanalyse', 'Needs analysis'),
  objection_handling: t('Einwandbehandlung', 'Objection handling'),
  value_argument: t('Nutzenargumentation', 'Value argument'),
});

export interface DimensionScore {
  dimension: ScoreDimension;
  value: number;
}

/** The scores of all areas, in the order in which they are shown. */
export const marksOf = (scores: Readonly<Record<ScoreDimension, number>>): DimensionScore[] =>
  (['closing', 'conversation_control', 'needs_analysis', 'objection_handling', 'value_argument'] as const).map(
    (dimension) => ({ dimension, value: scores[dimension] }),
  );

interface DimensionBarsProps {
  /** For screen readers. */
  label: string;
  /** If there is a `change`, or a value of the `team`, it is shown beside the value. */
  values: readonly {
    dimension: ScoreDimension | null;
    value: number | null;
    change?: number | null;
    team?: number | null;
  }[];
}

/** A bar from 0 to 100 for each area. */
export const DimensionBars = ({ label, values }: DimensionBarsProps) => {
  const names = scoreDimensions();
  const shown = alike(values.map(({ value }) => value));
  return (
    <ul className={classes['bars']} aria-label={label}>
      {values.map(
        ({ dimension, value, change, team }) =>
          dimension !== null && (
            <li key={dimension} className={classes['row']}>
              <Text size="sm" component="span">
                {names[dimension]}
              </Text>
              <Text size="sm" component="span" fw={600} className={classes['number']}>
                {typeof change === 'number' && (
                  <>
                    <Delta value={change} />{' '}
                  </>
                )}
                {shown(value)}
                {typeof team === 'number' && (
                  <>
                    {' '}
                    <Text size="sm" component="span" c="dimmed">
                      {t(`Team ${shown(team)}`, `team ${shown(team)}`)}
                    </Text>
                  </>
                )}
              </Text>
              <Bar value={value ?? 0} size={8} color="var(--mantine-color-anchor)" bg="var(--plain-back)" aria-hidden />
            </li>
          ),
      )}
    </ul>
  );
};

/** The change of an average; null if there is nothing to compare with. */
export const Delta = ({ value }: { value: number | null }) => {
  if (value === null) {
    return (
      <span>
        <span aria-hidden>–</span>
        <VisuallyHidden>{t('kein Vergleichswert', 'no previous value')}</VisuallyHidden>
      </span>
    );
  }
  const tone = toneOfChange(value);
  return (
    <Text span inherit data-change={tone} {...(tone !== 'plain' && { c: `var(--${tone})`, fw: 550 })}>
      {changeText(value)}
    </Text>
  );
};

export type Progress = AppOutputs['progress']['mine'];

/** The average score of a person, the number of trainings behind it, and its change. */
export const AverageScore = ({ progress: { avg_score, trend_delta, scored } }: { progress: Progress }) => (
  <Group justify="space-between" align="flex-end">
    <div>
      <Text fz={32} fw={650} lh={1.2}>
        {avg_score?.toLocaleString(locale())}
      </Text>
      <Hint>
        {t('Durchschnittliche Punktzahl,', 'Average score,')}{' '}
        {count(scored ?? 0, t('Training', 'training'), t('Trainings', 'trainings'))}
      </Hint>
    </div>
    {trend_delta !== null && (
      <Text size="sm" c="dimmed" component="div">
        <Delta value={trend_delta} /> {t('in 30 Tagen', 'in 30 days')}
      </Text>
    )}
  </Group>
);
