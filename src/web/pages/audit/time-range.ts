import { startOf } from '../../kit/formats.tsx';

interface Range {
  /** The name of a span that ends now, or `days` for what `from` and `to` say. */
  range: string;
  from: string;
  to: string;
}

const day = 86_400_000;

export const spans = { day, week: 7 * day, month: 30 * day } as const;
export type Span = keyof typeof spans;

export const isSpan = (text: string): text is Span => Object.hasOwn(spans, text);

/** The times that a range stands for; both days of `from` and `to` are in it. */
export const timesOf = ({ range, from, to }: Range, now: Date): { since?: string; until?: string } => {
  if (isSpan(range)) return { since: new Date(now.getTime() - spans[range]).toISOString() };
  if (range !== 'days') return {};
  const since = startOf(from);
  const until = startOf(to, 1);
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
};
