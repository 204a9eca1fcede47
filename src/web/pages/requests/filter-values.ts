import type { RequestQuery } from '../../../modules/requests/schema.ts';

// The values of the filters in the address.

type StatusClass = Extract<RequestQuery['status'], string>;

const statusClasses: Readonly<Record<StatusClass, true>> = { '2xx': true, '3xx': true, '4xx': true, '5xx': true };

const isStatusClass = (text: string): text is StatusClass => Object.hasOwn(statusClasses, text);

/** A status or a class of them; undefined if it is neither. */
export const statusOf = (text: string): StatusClass | number | undefined => {
  if (isStatusClass(text)) return text;
  return /^[1-5]\d\d$/.test(text) ? Number(text) : undefined;
};

/** A time in UTC; undefined if it is none. */
export const timeOf = (text: string): string | undefined =>
  Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();

/** Whether the server searches a limited number of rows for each page: with filters other than the key. */
export const isSearch = (query: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(query).some(([name, value]) => name !== 'key_id' && value !== undefined);
