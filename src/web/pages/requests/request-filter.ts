import type { RequestQuery } from '../../../modules/requests/schema.ts';
import { useFilters } from '../../kit/filters.tsx';
import { isProblemCode } from './problem-codes.ts';

type StatusClass = Extract<RequestQuery['status'], string>;

const classes: Readonly<Record<StatusClass, true>> = { '2xx': true, '3xx': true, '4xx': true, '5xx': true };

const isClass = (text: string): text is StatusClass => Object.hasOwn(classes, text);

const statusOf = (text: string): { status?: StatusClass | number } => {
  if (isClass(text)) return { status: text };
  return /^[1-5]\d\d$/.test(text) ? { status: Number(text) } : {};
};

const timeOf = (text: string): string | undefined =>
  Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();

const given = <Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } => {
  const empty: { [N in Name]?: string } = {};
  return value === undefined || value === '' ? empty : { ...empty, [name]: value };
};

/** What the log is searched for, as it stands in the address; what no search could mean is left out. */
export const useRequestFilter = () => {
  const filters = useFilters('key', 'request_id', 'status', 'code', 'method', 'route', 'since', 'until');
  const { valueOf } = filters;
  const code = valueOf('code');
  const query = {
    ...given('key_id', valueOf('key')),
    ...given('request_id', valueOf('request_id')),
    ...statusOf(valueOf('status')),
    ...(isProblemCode(code) && { code }),
    ...given('method', valueOf('method')),
    ...given('route', valueOf('route')),
    ...given('since', timeOf(valueOf('since'))),
    ...given('until', timeOf(valueOf('until'))),
  };
  return { filters, query };
};

export type RequestFilters = ReturnType<typeof useRequestFilter>['filters'];
