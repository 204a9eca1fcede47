// Samples the processes and the database while a try runs, and compares the end of the run with its beginning.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { median, type Figure } from '../kit/figures.ts';
import type { ServiceProcess } from '../kit/service.ts';

/** The values of each measure, in the order of the samples. */
export type Samples = Map<string, number[]>;

/**
 * Tables whose rows are the team's data, or are kept for days: they grow with the requests and with time. All other
 * tables have a row for each thing that exists or waits now.
 */
const growing = [
  'api_key_day',
  'assignment',
  'audit_entry',
  'crm_run',
  'deletion',
  'event_feed_entry',
  'idempotency_record',
  'mail',
  'request_log_entry',
  'request_quarter_hour',
  'webhook_attempt',
  'webhook_delivery',
  'webhook_event',
  'webhook_quarter_hour',
];

export const growingTables = 'tables that grow with the requests, MB';

const tableNames = 'table ';

/** Partitions count as their table. */
const tables = `
  select coalesce(p.relname, s.relname) as name, sum(pg_total_relation_size(s.relid)) / 1e6 as mb, sum(s.n_dead_tup) as dead
    from pg_stat_user_tables s
    left join pg_inherits i on i.inhrelid = s.relid
    left join pg_class p on p.oid = i.inhparent
   group by 1`;

interface Table {
  name: string;
  mb: number;
  dead: number;
}

const readTables = async (client: pg.Client): Promise<Table[]> => {
  const { rows } = await client.query<{ name: string; mb: string; dead: string }>(tables);
  return rows.map(({ name, mb, dead }) => ({ name, mb: Number(mb), dead: Number(dead) }));
};

const queues = `
  select (select count(*) from webhook_waiting) as waiting,
         (select count(*) from webhook_waiting where due_at < now() - interval '2 seconds') as overdue,
         (select count(*) from graphile_worker.jobs) as jobs,
         (select count(*) from pg_stat_activity where backend_type = 'client backend' and datname = current_database()) as connections`;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const numbersOf = async (client: pg.Client, text: string): Promise<Record<string, number>> => {
  const { rows } = await client.query<Record<string, unknown>>(text);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]));
};

/** Linux only. */
const rssMegabytes = (pid: number): number => {
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
};

const heapMegabytes = async (metricsPort: number): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  const [, bytes = 'NaN'] = /^nodejs_heap_size_used_bytes(?:\{.*\})? (\S+)$/m.exec(await answer.text()) ?? [];
  return Number(bytes) / 1e6;
};

/**
 * Takes a sample every `everyMs` until `over` is aborted. `others` gives further measures of the time since the last
 * sample.
 */
export const sampleUntil = async (
  over: AbortSignal,
  everyMs: number,
  {
    client,
    processes,
    others,
  }: { client: pg.Client; processes: readonly ServiceProcess[]; others: () => Record<string, number> },
): Promise<Samples> => {
  const samples: Samples = new Map();
  const note = (name: string, value: number): void => {
    const values = samples.get(name) ?? [];
    values.push(value);
    samples.set(name, values);
  };
  while (!over.aborted) {
    await sleep(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    for (const { name, pid, metricsPort } of processes) {
      note(`memory of ${name}, MB`, rssMegabytes(pid()));
      note(`heap of ${name}, MB`, await heapMegabytes(metricsPort));
    }
    const found = await readTables(client);
    const grow = found.filter(({ name }) => growing.includes(name));
    const other = found.filter(({ name }) => !growing.includes(name));
    note(growingTables, sum(grow.map(({ mb }) => mb)));
    note('all other tables, MB', sum(other.map(({ mb }) => mb)));
    note('dead rows of all other tables', sum(other.map(({ dead }) => dead)));
    for (const { name, mb } of other) note(`${tableNames}${name}, MB`, mb);
    for (const [name, value] of Object.entries({ ...(await numbersOf(client, queues)), ...others() }))
      note(name, value);
  }
  return samples;
};

/** The first tenth of a run is left out, in which caches and pools fill; the rest is divided into quarters. */
const quarters = (values: readonly number[]): { first: readonly number[]; last: readonly number[] } => {
  const steady = values.slice(Math.ceil(values.length / 10));
  const size = Math.floor(steady.length / 4);
  return { first: steady.slice(0, size), last: steady.slice(-size) };
};

export interface Tolerance {
  /** How a quarter becomes one number: `floor` for values that rise until they are collected, as a heap. */
  by: 'median' | 'floor' | 'growth';
  /** The last quarter may be at most `times` the first, plus `plus`. */
  times: number;
  plus: number;
}

const inOne: Record<Tolerance['by'], (values: readonly number[]) => number> = {
  median,
  floor: (values) => Math.min(...values),
  growth: (values) => (values.at(-1) ?? NaN) - (values[0] ?? NaN),
};

/** A figure with the last quarter's value, whose limit is what the tolerance allows after the first quarter's. */
export const compared = (samples: Samples, name: string, { by, times, plus }: Tolerance): Figure => {
  const { first, last } = quarters(samples.get(name) ?? []);
  const before = inOne[by](first);
  const what = { median: name, floor: `${name}, least`, growth: `${name}, growth` }[by];
  return { name: what, before, value: inOne[by](last), atMost: before * times + plus };
};

/** The tables that are a megabyte larger at the end than at the beginning, without a limit: they say what grew. */
export const grownTables = (samples: Samples): Figure[] =>
  [...samples.keys()]
    .filter((name) => name.startsWith(tableNames))
    .map((name) => ({ ...compared(samples, name, { by: 'median', times: 1, plus: 0 }), atMost: undefined }))
    .filter(({ before = NaN, value }) => value - before > 1);
