import { Text } from '@mantine/core';
import { useLocale } from '../language/language.ts';
import classes from './dimension-bars.module.css';
import { useDimensionName } from './dimensions.ts';
import type { ScoreDimension } from './dimensions.ts';

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
