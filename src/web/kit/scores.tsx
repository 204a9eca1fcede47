import { Text, VisuallyHidden } from '@mantine/core';
import type { ScoreDimension } from '../../modules/trainings/schema.ts';
import { useLocale, useText } from '../language/language.tsx';
import { Status } from './facts.tsx';
import classes from './scores.module.css';

export type { ScoreDimension };

/** The names of the areas in which a conversation is scored. */
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
  /** For screen readers. */
  label: string;
  values: readonly { dimension: ScoreDimension | null; value: number | null }[];
}

/** A bar from 0 to 100 for each area. */
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

/** The change of an average within 30 days; null if there is nothing to compare with. */
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
  /** From left to right. Null is a gap. */
  values: readonly (number | null)[];
  /** For screen readers. */
  label: string;
  height?: number;
}

const width = 100;
const margin = 4;

/** The values between gaps, each with its index. */
const runsOf = (values: readonly (number | null)[]): [index: number, value: number][][] => {
  const runs: [number, number][][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([index, value]);
  }
  return runs.filter((run) => run.length > 0);
};

/** A small line chart, scaled from the lowest value to the highest. A single value between gaps is a dot. */
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
