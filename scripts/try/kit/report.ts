import { styleText } from 'node:util';

/** A number of a try, and the limit that it must not exceed. Without a limit, it is only shown. */
export interface Figure {
  name: string;
  value: number;
  atMost?: number;
}

/** Prints the figures as a table, and sets exit code 1 if one exceeds its limit. */
export const report = (figures: readonly Figure[]): void => {
  const rows = figures.map(({ name, value, atMost }) => {
    const holds = atMost === undefined || value <= atMost; // false for NaN
    if (!holds) process.exitCode = 1;
    const shown = Number.isInteger(value) ? String(value) : value.toFixed(1);
    const limit = atMost === undefined || atMost === Infinity ? '' : `at most ${atMost}`;
    return { name, shown, limit, verdict: holds ? '' : styleText('red', 'MISSED') };
  });
  const widest = (pick: (row: (typeof rows)[number]) => string) => Math.max(...rows.map((row) => pick(row).length));
  const [names, values, limits] = [widest((row) => row.name), widest((row) => row.shown), widest((row) => row.limit)];
  for (const { name, shown, limit, verdict } of rows)
    console.log(`  ${name.padEnd(names)}  ${shown.padStart(values)}  ${limit.padEnd(limits)}  ${verdict}`.trimEnd());
};
