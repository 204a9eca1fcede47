import { Text, VisuallyHidden } from '@mantine/core';
import type { ScoreDimension } from '../../modules/trainings/schema.ts';
import { useLocale, useText } from '../language/language.tsx';
import { Status } from './facts.tsx';
import classes from './scores.module.css';

export type { ScoreDimension };

/** What a conversation is scored in, in words. */
export const useScoreDimensions = (): Readonly<Record<ScoreDimension, string>> => {
  const t = useText();
  return {
    closing: t('Abschluss', 'Closing'),
    conversation_control: t('Gesprächsführung', 'Conversation control'),
    needs_analysis: t('Bedarfsanalyse', 'Needs analysis'),
    objection_handling: t('Einwandbehandlung', 'Objection handling'),
    value_argument: t('Nutzenargumentation', 'Value argument'),
  };
};

export const useDimensionName = (): ((dimension: ScoreDimension) => string) => {
  const names = useScoreDimensions();
  return (dimension) => names[dimension];
};

interface DimensionBarsProps {
  /** What the numbers are of, for those who can’t see it. */
  label: string;
  values: readonly { dimension: ScoreDimension | null; value: number | null }[];
}

/** The five dimensions, each as a bar of a hundred with its number. */
export const DimensionBars = ({ label, values }: DimensionBarsProps) => {
  const nameOf = useDimensionName();
  const locale = useLocale();
  return (
    <ul className={classes['bars']} aria-label={label}>
      {values.map(
        ({ dimension, value }) =>
          dimension !== null && (
            <li key={dimension} className={classes['row']}>
              <Text size="sm" component="span">
                {nameOf(dimension)}
              </Text>
              <Text size="sm" component="span" fw={600} className={classes['number']}>
                {value === null ? '–' : value.toLocaleString(locale)}
              </Text>
              <span className={classes['track']} aria-hidden>
                <span className={classes['bar']} style={{ width: `${value ?? 0}%` }} />
              </span>
            </li>
          ),
      )}
    </ul>
  );
};

/** By how much a mean went up or down within a month; without enough to compare it says so. */
export const Delta = ({ value }: { value: number | null }) => {
  const t = useText();
  const locale = useLocale();
  if (value === null) {
    return (
      <span>
        <span aria-hidden>–</span>
        <VisuallyHidden>{t('noch kein Vergleich', 'nothing to compare yet')}</VisuallyHidden>
      </span>
    );
  }
  const text = value.toLocaleString(locale, { signDisplay: 'exceptZero' });
  if (value === 0) return <Status tone="plain">{text}</Status>;
  return <Status tone={value > 0 ? 'good' : 'warn'}>{text}</Status>;
};

interface SparklineProps {
  /** From left to right; null is a gap. */
  values: readonly (number | null)[];
  /** What it shows, for those who can’t see it. */
  label: string;
  height?: number;
}

const width = 100;
const margin = 4;

/** Neighbouring values, each with where it stands; a gap begins a new run. */
const runsOf = (values: readonly (number | null)[]): [index: number, value: number][][] => {
  const runs: [number, number][][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([index, value]);
  }
  return runs.filter((run) => run.length > 0);
};

/** A line of a few numbers, from the least of them to the most. A single number between gaps is a dot. */
export const Sparkline = ({ values, label, height = 48 }: SparklineProps) => {
  const numbers = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const tall = height - 2 * margin;
  const x = (index: number) => (index / Math.max(values.length - 1, 1)) * width;
  const y = (value: number) => margin + (most === least ? tall / 2 : ((most - value) / (most - least)) * tall);
  const at = ([index, value]: [number, number]) => `${x(index).toFixed(2)} ${y(value).toFixed(2)}`;
  return (
    <svg
      className={classes['sparkline']}
      viewBox={`0 0 ${width} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {runsOf(values).map((run) => (
        <path key={at(run[0] ?? [0, 0])} d={`M${run.map(at).join('L')}${run.length === 1 ? 'h0.01' : ''}`} />
      ))}
    </svg>
  );
};
