import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { ProblemCode } from '../../../core/problem.ts';
import { DateField } from '../../kit/form/date-field.tsx';
import { FilterBar, type FilterBarProps } from '../../kit/list/filter-bar.tsx';
import { given, rangeNames, useFilters, useRange } from '../../kit/list/filters.tsx';
import { isPreset, rangeOptions } from '../../kit/list/date-range.ts';
import { dayInWords, shortTimeText, toLocalInput } from '../../kit/text/dates.ts';
import { teamTimeZone } from '../../../core/time-zone.ts';
import { t } from '../../language/language.tsx';
import { app, nextPage, usePages } from '../../server/server.ts';
import { periodOf, sinceOf, statusOf, timeOf } from './filter-values.ts';

export const timeNames = [...rangeNames, 'since', 'until'] as const;

/**
 * The filters of the request log from the URL, without invalid values. It also returns the period that the chart and
 * the list share, and the times that the reader has chosen.
 */
export const useRequestFilter = () => {
  const filters = useFilters('key', 'request_id', 'status', 'code', 'method', 'route', 'period', ...timeNames);
  const { valueOf } = filters;
  const range = useRange(filters);
  const code = valueOf('code');
  const query = {
    key_id: given(valueOf('key')),
    request_id: given(valueOf('request_id')),
    status: statusOf(valueOf('status')),
    code: isProblemCode(code) ? code : undefined,
    method: given(valueOf('method')),
    route: given(valueOf('route')),
    since: timeOf(valueOf('since')),
    until: timeOf(valueOf('until')),
    // A range of days replaces the times to the minute.
    ...range,
  };
  const { since, until, request_id } = query;
  const chosen = valueOf('period');
  // The time is not computed at each rendering, because another time would mean another list.
  const shared = useMemo(() => {
    const now = new Date();
    const period = periodOf(chosen, since, now);
    return { period, since: sinceOf({ since, until, request_id }, period, now) };
  }, [chosen, since, until, request_id]);
  return { filters, query: { ...query, since: shared.since }, period: shared.period, times: { since, until } };
};

type RequestFilters = ReturnType<typeof useRequestFilter>['filters'];

interface FilterOption {
  value: string;
  label: string;
}

/** The options, and the current value even if it is not one of them. */
const withCurrent = (options: FilterOption[], value: string): FilterOption[] =>
  value === '' || options.some((option) => option.value === value) ? options : [...options, { value, label: value }];

const useKeyOptions = (): FilterOption[] => {
  const {
    rows = [],
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  } = usePages(app.keys.list.infiniteQueryOptions({}, nextPage));
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return rows.map(({ key_id, name, prefix }) => ({ value: key_id, label: `${name} (${prefix}…)` }));
};

const useRoutes = (): { routes: string[]; methods: string[] } => {
  const { data } = useQuery(app.reference.scopes.queryOptions({}));
  const pairs = (data?.scopes ?? []).flatMap(({ routes }) => routes).map((route) => route.split(' '));
  return {
    routes: [...new Set(['/me', ...pairs.map(([, path = '']) => path)])].toSorted(),
    methods: [...new Set(pairs.map(([method = '']) => method))].toSorted(),
  };
};

/** The days or times that are chosen. */
const rangeInWords = ({ valueOf }: RequestFilters): string | undefined => {
  const preset = rangeOptions().find(({ value }) => isPreset(value) && value === valueOf('range'));
  const ends = [valueOf('since') || valueOf('from'), valueOf('until') || valueOf('to')];
  if (preset || ends.every((text) => text === '')) return preset?.label;
  return ends
    .map((text) => dayInWords(text) ?? (timeOf(text) === undefined ? '…' : shortTimeText(new Date(text))))
    .join(' – ');
};

/** The requests, with their filters. */
export const RequestFilterBar = ({
  filters,
  rows,
  children,
}: Pick<FilterBarProps<string>, 'rows' | 'children'> & { filters: RequestFilters }) => {
  const { valueOf } = filters;
  const keys = useKeyOptions();
  const { routes, methods } = useRoutes();
  const choice = (name: 'key' | 'status' | 'code' | 'method' | 'route', label: string, options: FilterOption[]) =>
    ({ kind: 'choice', name, label, options: withCurrent(options, valueOf(name)) }) as const;
  const same = (values: readonly string[]): FilterOption[] => values.map((value) => ({ value, label: value }));
  const statuses: FilterOption[] = [
    { value: '2xx', label: t('2xx, erfolgreich', '2xx, successful') },
    { value: '4xx', label: t('4xx, abgelehnt', '4xx, rejected') },
    { value: '429', label: t('429, Rate-Limit', '429, rate limited') },
    { value: '5xx', label: t('5xx, fehlgeschlagen', '5xx, failed') },
  ];
  return (
    <FilterBar
      list="requests"
      filters={filters}
      rows={rows}
      search={{ name: 'request_id', label: t('Anfrage-ID', 'Request ID') }}
      fields={[
        choice('key', t('Schlüssel', 'Key'), keys),
        choice('status', t('Status', 'Status'), statuses),
        choice('code', t('Fehler', 'Error'), same(problemCodes)),
        choice('method', t('Methode', 'Method'), same(methods)),
        choice('route', t('Route', 'Route'), same(routes)),
        {
          kind: 'own',
          names: timeNames,
          label: t('Zeitraum', 'Time range'),
          words: rangeInWords(filters),
          input: <TimeRange filters={filters} />,
        },
      ]}
      views={[
        { name: t('Abgelehnt', 'Rejected'), filters: { status: '4xx' } },
        { name: t('Fehlgeschlagen', 'Failed'), filters: { status: '5xx' } },
      ]}
    >
      {children}
    </FilterBar>
  );
};

/**
 * A range of days in the team's time zone, or times to the minute, chosen in local time and stored in the URL in UTC.
 */
const TimeRange = ({ filters }: { filters: RequestFilters }) => {
  const [, ...options] = rangeOptions();
  const days = useRange(filters);
  const { valueOf, set } = filters;
  const times = { since: valueOf('since') || days.since, until: valueOf('until') || days.until };
  const preset = valueOf('range');
  const isOwn = !isPreset(preset) && (preset === 'own' || times.since !== undefined || times.until !== undefined);
  const choose = (range: string, next: { [Name in keyof typeof times]?: string | undefined } = {}) => {
    const all = { range, since: next.since, until: next.until, from: undefined, to: undefined };
    for (const name of timeNames) set(name, all[name] ?? null);
  };
  const field = (name: 'since' | 'until') => ({
    value: toLocalInput(new Date(times[name] ?? '')),
    onChange: (value: string) =>
      choose('own', { ...times, [name]: value === '' ? undefined : new Date(value).toISOString() }),
  });
  return (
    <>
      <NativeSelect
        label={t('Zeitraum', 'Time range')}
        title={t(`Tage in der Zeitzone ${teamTimeZone}`, `Days in the time zone ${teamTimeZone}`)}
        value={isOwn ? 'own' : preset}
        onChange={({ currentTarget: { value } }) => choose(value, value === 'own' ? times : {})}
        data={[{ value: '', label: t('Wie im Diagramm', 'As in the chart') }, ...options]}
      />
      {isOwn && (
        <>
          <DateField withTime label={t('Von', 'From')} {...field('since')} />
          <DateField withTime label={t('Bis', 'To')} {...field('until')} />
        </>
      )}
    </>
  );
};

/** All problem codes. A new code that is missing here does not compile. */
const codes: Readonly<Record<ProblemCode, true>> = {
  api_disabled: true,
  bad_request: true,
  conflict: true,
  idempotency_mismatch: true,
  insufficient_scope: true,
  internal: true,
  kombination_ungueltig: true,
  last_admin: true,
  not_found: true,
  owner: true,
  privacy_restricted: true,
  rate_limited: true,
  seat_limit_reached: true,
  unauthorized: true,
  unavailable: true,
  validation_error: true,
  vorgabe_gesperrt: true,
};

const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(codes, text);

const problemCodes: readonly ProblemCode[] = Object.keys(codes).filter(isProblemCode);
