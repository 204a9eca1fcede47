import { styleText } from 'node:util';

/** A number of a try, and the limit that it must not exceed. Without a limit, it is only shown. */
export interface Figure {
  name: string;
  value: number;
  /** The same at the beginning of the run. */
  before?: number;
  atMost?: number | undefined;
}

const shown = (value: number | undefined): string =>
  value === undefined || value === Infinity ? '' : Number.isInteger(value) ? String(value) : value.toFixed(1);

/** Prints the figures as a table of Markdown, and sets exit code 1 if one exceeds its limit. */
export const report = (figures: readonly Figure[]): void => {
  const head = ['What', 'At the beginning', 'Value', 'At most'];
  const rows = figures.map(({ name, value, before, atMost }) => [name, shown(before), shown(value), shown(atMost)]);
  const missed = figures.map(({ value, atMost }) => atMost !== undefined && !(value <= atMost)); // also NaN
  // A column in which nothing stands is left out.
  const columns = head.map((_, index) => index).filter((index) => rows.some((row) => row[index] !== ''));
  const widths = head.map((_, index) => Math.max(...[head, ...rows].map((row) => row[index]?.length ?? 0)));
  const cell = (row: readonly string[]) => (index: number) =>
    index === 0 ? (row[0] ?? '').padEnd(widths[0] ?? 0) : (row[index] ?? '').padStart(widths[index] ?? 0);
  const line = (row: readonly string[]) => `| ${columns.map(cell(row)).join(' | ')} |`;
  console.log(line(head));
  console.log(`| ${columns.map((index) => '-'.repeat(widths[index] ?? 0)).join(' | ')} |`);
  for (const [index, row] of rows.entries())
    console.log(missed[index] ? `${line(row)} ${styleText('red', 'MISSED')}` : line(row));
  if (missed.includes(true)) process.exitCode = 1;
};
