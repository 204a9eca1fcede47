// Measures the cost of requests in a team with a million trainings: the database pages that the statements touch, and the time. The
// statements are recorded as the service sends them, and measured under both of PostgreSQL's plans for a prepared statement. A page far
// down a list must cost no more than the first one.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { daysToMs, later } from '../../src/core/clock.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { seedMillion } from './million-seed.ts';
import type { Million } from './million-seed.ts';
import { startMeasuredService, surroundings } from './million-requests.ts';
import type { MeasuredService } from './million-requests.ts';
import { median } from './statistics.ts';
import { buffersOf, planOf } from './statements.ts';
import type { PlanKind, Sent } from './statements.ts';

const runs = 5;
const limit = 50;
const pagesDown = 1_000;
const buffersAllowed = 400;

interface Cost {
  buffers: Record<PlanKind, number>;
  ms: number;
}

const ago = (count: number) => encodeURIComponent(later(new Date(), -daysToMs(count)).toISOString());

/** Every list with every filter, alone and in pairs. */
const listsOf = ({ busy, ordinary, formerUserId }: Million): [name: string, path: string][] => {
  const of = (filters: Readonly<Record<string, string>>) =>
    Object.entries(filters).map(([name, query]): [string, string] => [
      `GET /trainings  ${name}`,
      `/trainings?${query}&`,
    ]);
  return [
    ['GET /trainings', '/trainings?'],
    ...of({
      'user_id (busy)': `user_id=${busy.userId}`,
      'user_id (ordinary)': `user_id=${ordinary.userId}`,
      'user_id (left)': `user_id=${formerUserId}`,
      'assignment_id (busy)': `assignment_id=${busy.assignmentId}`,
      'assignment_id (ordinary)': `assignment_id=${ordinary.assignmentId}`,
      'since (30 days)': `since=${ago(30)}`,
      'since (1,000 days)': `since=${ago(1_000)}`,
    }),
    ...['running', 'ended', 'scored', 'aborted'].flatMap((status) =>
      of({
        [`status=${status}`]: `status=${status}`,
        [`status=${status}, user_id (busy)`]: `status=${status}&user_id=${busy.userId}`,
        [`status=${status}, user_id (ordinary)`]: `status=${status}&user_id=${ordinary.userId}`,
        [`status=${status}, since (1,000 days)`]: `status=${status}&since=${ago(1_000)}`,
        [`status=${status}, since (1 day)`]: `status=${status}&since=${ago(1)}`,
      }),
    ),
    ...of({
      'user_id (busy), since (1,000 days)': `user_id=${busy.userId}&since=${ago(1_000)}`,
      'user_id (ordinary), since (30 days)': `user_id=${ordinary.userId}&since=${ago(30)}`,
    }),
    ['GET /evaluations', '/evaluations?'],
    ['GET /evaluations  updated_since (30 days)', `/evaluations?updated_since=${ago(30)}&`],
    ['GET /evaluations  updated_since (1,000 days)', `/evaluations?updated_since=${ago(1_000)}&`],
  ];
};

const repeated = async (measure: () => Promise<number>): Promise<number> => {
  const values: number[] = [];
  while (values.length < runs) values.push(await measure());
  return median(values);
};

/** The pages that all statements of a request touch together. */
const buffersOfAll = async (client: pg.Client, statements: readonly Sent[], kind: PlanKind): Promise<number> => {
  let sum = 0;
  for (const sent of statements) sum += await buffersOf(client, sent, kind);
  return sum;
};

interface Bench {
  service: MeasuredService;
  client: pg.Client;
}

const costOf = async ({ service, client }: Bench, path: string): Promise<Cost> => {
  const statements = await service.statementsOf(path);
  if (statements.length === 0) throw new Error(`${path} asked the database nothing that could be measured`);
  const buffers = {
    custom: await repeated(() => buffersOfAll(client, statements, 'custom')),
    generic: await repeated(() => buffersOfAll(client, statements, 'generic')),
  };
  if (Math.max(buffers.custom, buffers.generic) > buffersAllowed) {
    for (const sent of statements) {
      for (const kind of ['custom', 'generic'] as const)
        console.log(`\n${kind}: ${await planOf(client, sent, kind)}\n`);
    }
  }
  return { buffers, ms: await repeated(async () => (await service.get(path)).ms) };
};

/** The cursor of the page that is `pagesDown` pages down, or of the list's last page if it is shorter, and its number. */
const walk = async (service: MeasuredService, path: string): Promise<{ cursor: string; page: number } | undefined> => {
  const stride = 200;
  let found: { cursor: string; page: number } | undefined;
  for (let rows = stride; rows <= pagesDown * limit; rows += stride) {
    const more = found ? `&cursor=${encodeURIComponent(found.cursor)}` : '';
    const { next_cursor: cursor } = await service.getPage(`${path}limit=${stride}${more}`);
    if (cursor === null) break;
    found = { cursor, page: rows / limit + 1 };
  }
  return found;
};

const print = (name: string, page: string, { buffers, ms }: Cost, first?: Cost): void => {
  const most = Math.max(buffers.custom, buffers.generic);
  const fits = most <= buffersAllowed;
  if (!fits) process.exitCode = 1;
  const ratio = first ? (most / Math.max(first.buffers.custom, first.buffers.generic, 1)).toFixed(2) : '';
  console.log(
    [
      name.padEnd(55),
      page.padStart(6),
      buffers.custom.toString().padStart(9),
      buffers.generic.toString().padStart(9),
      ms.toFixed(1).padStart(8),
      (fits ? 'yes' : 'NO').padStart(11),
      ratio.padStart(12),
    ].join(''),
  );
};

const measureList = async (bench: Bench, name: string, path: string): Promise<void> => {
  const first = await costOf(bench, `${path}limit=${limit}`);
  print(name, 'first', first);
  const deep = await walk(bench.service, path);
  if (!deep) return;
  const there = await costOf(bench, `${path}limit=${limit}&cursor=${encodeURIComponent(deep.cursor)}`);
  print('', deep.page.toLocaleString('en'), there, first);
};

const FirstId = z.object({ data: z.tuple([z.object({ id: z.string() })]) });

const measureAll = async (bench: Bench, million: Million): Promise<void> => {
  console.log(
    `\nLimit ${limit}. Shared buffers, hit or read, of the plan for the values at hand (custom) and for all values (generic); time of the\n` +
      `whole request over HTTP. Each number is the median of ${runs}. The gate, the same for every request, is not in the buffers.\n`,
  );
  console.log(`${' '.repeat(55)}  page   custom  generic      ms   most ${buffersAllowed}?  deep/first`);
  for (const [name, path] of listsOf(million)) await measureList(bench, name, path);
  const { body } = await bench.service.get('/evaluations?limit=1');
  const [{ id }] = FirstId.parse(body).data;
  print('GET /trainings/{training_id}', '', await costOf(bench, `/trainings/${id}`));
  print('GET /trainings/{training_id}/evaluation', '', await costOf(bench, `/trainings/${id}/evaluation`));
  print('GET /analytics/team', '', await costOf(bench, '/analytics/team'));
};

const minute = 60_000;

export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  // Data that is deleted afterwards need not survive a power cut.
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_wal_size: '4GB' };
  const postgres = await openEmbedded(folder, { settings });
  const stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  stack.defer(() => postgres.release());
  try {
    await migrate(postgres.url);
    console.log('Seeding a million trainings …');
    const started = performance.now();
    const million = await seedMillion(surroundings, postgres.url);
    console.log(`… in ${((performance.now() - started) / minute).toFixed(1)} minutes`);
    const service = await startMeasuredService(postgres.url, million.keys);
    stack.defer(() => service.stop());
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    stack.defer(() => client.end());
    await measureAll({ service, client }, million);
  } finally {
    await stack.disposeAsync();
  }
};
