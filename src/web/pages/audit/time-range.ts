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

/** Where a day of the reader's calendar begins, or one of the days after it. */
const startOf = (text: string, daysLater = 0): string | undefined => {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const time = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(time.getTime()) || time.getFullYear() < 1900 ? undefined : time.toISOString();
};

/** The times that a range stands for; both days of `from` and `to` are in it. */
export const timesOf = ({ range, from, to }: Range, now: Date): { since?: string; until?: string } => {
  if (isSpan(range)) return { since: new Date(now.getTime() - spans[range]).toISOString() };
  if (range !== 'days') return {};
  const since = startOf(from);
  const until = startOf(to, 1);
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
};
