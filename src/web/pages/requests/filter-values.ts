import type { RequestQuery } from '../../../modules/requests/schema.ts';
import { intervalsOf, isPeriod, periodWith, type Period } from '../../kit/charts/periods.ts';

// The values of the filters in the address.

type StatusClass = Extract<RequestQuery['status'], string>;

const statusClasses: Readonly<Record<StatusClass, true>> = { '2xx': true, '3xx': true, '4xx': true, '5xx': true };

const isStatusClass = (text: string): text is StatusClass => Object.hasOwn(statusClasses, text);

/** A status or a class of statuses; undefined for any other text. */
export const statusOf = (text: string): StatusClass | number | undefined => {
  if (isStatusClass(text)) return text;
  return /^[1-5]\d\d$/.test(text) ? Number(text) : undefined;
};

/** A time in UTC; undefined for any other text. */
export const timeOf = (text: string): string | undefined =>
  Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();

const withoutSearch: readonly string[] = ['key_id', 'since', 'until'];

/** Whether the server searches a limited number of rows for each page: with filters other than the key and the time. */
export const isSearch = (query: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(query).some(([name, value]) => !withoutSearch.includes(name) && value !== undefined);

/**
 * The period of the chart: the chosen one, or else the longest one. If the list has a filter by its start, and the
 * chosen period does not contain this time or none is chosen: the shortest period that contains it.
 */
export const periodOf = (chosen: string, since: string | undefined, now: Date): Period => {
  if (since === undefined) return isPeriod(chosen) ? chosen : '30d';
  const from = new Date(since);
  return isPeriod(chosen) && (intervalsOf(chosen, now).starts[0] ?? now) <= from ? chosen : periodWith(from, now);
};

/** When the list begins: at the start of the chart, unless the reader has chosen times or one request. */
export const sinceOf = (
  { since, until, request_id }: { [Name in 'since' | 'until' | 'request_id']?: string | undefined },
  period: Period,
  now: Date,
): string | undefined =>
  [since, until, request_id].every((given) => given === undefined)
    ? intervalsOf(period, now).starts[0]?.toISOString()
    : since;
