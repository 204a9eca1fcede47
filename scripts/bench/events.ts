// The event feed of a team with 100,000 events, raised by 8 writers in transactions of random length. Readers that are
// killed and resumed must get each event exactly once and in the same order; and a page must cost the same at the
// start, in the middle and at the end of the feed.

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';
import { readConfig } from '../../src/config.ts';
import { makeId } from '../../src/core/ids.ts';
import { listEvents } from '../../src/modules/events/service.ts';
import { createTeam } from '../../src/modules/teams/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { actIn } from '../../src/platform/team-row.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { connectTo, openBenchDatabase } from '../kit/database.ts';
import { atMost, below, machineLoad, median } from '../kit/figures.ts';

const events = 100_000;
const writers = 8;
const readers = 3;
/**
 * The limits of reading a page: its time as a multiple of the first page's, and the 8 KiB blocks of the database that
 * it touches.
 */
const allowed = { ratio: 1.5, blocks: 100 };

const upTo = (limit: number) => Math.floor(Math.random() * limit);

/**
 * Raises events of a team in transactions of random length, several at a time, as `raise` does: the transaction locks
 * the team. One in ten is rolled back. Returns the ids of the committed events as receivers see them.
 */
export const writeEvents = async (
  databaseUrl: string,
  { teamId, writers, events }: { teamId: string; writers: number; events: number },
): Promise<Set<string>> => {
  const committed = new Set<string>();
  const write = async () => {
    await using client = await connectTo(databaseUrl);
    while (committed.size < events) {
      const ids: string[] = [];
      await client.query('begin');
      await client.query('select from team where id = $1 for share', [teamId]);
      const pieces = 1 + upTo(3);
      for (let piece = 0; piece < pieces; piece += 1) {
        const some = Array.from({ length: 1 + upTo(10) }, () => makeId());
        await client.query(
          `with event as (
               insert into webhook_event (tenant_id, id, type, data, created_at)
               select $1::uuid, id, 'training.completed', json_build_object('team_id', $1::uuid), clock_timestamp() from unnest($2::uuid[]) id
               returning id, type)
             insert into event_feed_entry (tenant_id, event_id, type)
             select $1::uuid, id, type from event`,
          [teamId, some],
        );
        ids.push(...some);
        await sleep(upTo(upTo(40)));
      }
      const isKept = upTo(10) > 0;
      await client.query(isKept ? 'commit' : 'rollback');
      if (isKept) for (const id of ids) committed.add(`evt_${id.replaceAll('-', '')}`);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return committed;
};

interface Reading {
  teamId: string;
  cursor: string | undefined;
}

interface PageRead {
  ids: string[];
  cursor: string;
}

/** The reader, a thread that may be killed at any moment. It posts each page. */
const read = async ({ teamId, cursor: after }: Reading): Promise<void> => {
  const { platform } = await openFoundation(readConfig());
  const team = await actIn(platform, { kind: 'operator' }, teamId);
  let cursor = after;
  for (;;) {
    const page = await listEvents(team, { limit: 200, wait: 0, cursor });
    if (page.hasGap) throw new Error('the feed has a gap');
    if (page.data.length === 0) await sleep(20);
    else {
      const read: PageRead = { ids: page.data.map(({ id }) => id), cursor: page.nextCursor };
      parentPort?.postMessage(read, []);
      cursor = page.nextCursor;
    }
  }
};

/** Runs a reader and kills it again and again, until it has enough events. A page counts once it has arrived here. */
const readKilled = async (environment: Record<string, string>, teamId: string, wanted: () => number) => {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let kills = 0; ; kills += 1) {
    const reading: Reading = { teamId, cursor };
    const reader = new Worker(import.meta.filename, { workerData: reading, env: environment });
    reader.on('message', (page: PageRead) => {
      ids.push(...page.ids);
      cursor = page.cursor;
    });
    await sleep(3_000 + Math.random() * 6_000);
    await reader.terminate();
    if (ids.length >= wanted()) return { ids, kills };
  }
};

const countBlocks = `
  select sum(shared_blks_hit + shared_blks_read)::int as blocks from pg_stat_statements
   where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat_statements%'`;

/** The milliseconds for a page of the feed at a cursor, and the blocks of the database that it touches. */
const costOfPage = async (client: pg.Client, team: Team, cursor: string | undefined) => {
  const readPage = () => listEvents(team, { limit: 50, wait: 0, cursor });
  const times: number[] = [];
  for (let run = 0; run < 200; run += 1) {
    const startedAt = performance.now();
    await readPage();
    times.push(performance.now() - startedAt);
  }
  await client.query('select pg_stat_statements_reset()');
  await readPage();
  const { rows } = await client.query<{ blocks: number | null }>(countBlocks);
  return { ms: median(times), blocks: rows[0]?.blocks ?? NaN };
};

const measurePages = async (client: pg.Client, team: Team) => {
  const cursors: (string | undefined)[] = [undefined];
  for (;;) {
    const page = await listEvents(team, { limit: 200, wait: 0, cursor: cursors.at(-1) });
    if (!page.hasMore) break;
    cursors.push(page.nextCursor);
  }
  const places = { start: cursors[0], middle: cursors[Math.floor(cursors.length / 2)], end: cursors.at(-2) };
  await client.query('vacuum analyze');
  const first = await costOfPage(client, team, places.start);
  for (const [place, cursor] of Object.entries(places)) {
    const { ms, blocks } = await costOfPage(client, team, cursor);
    below(`a page at the ${place}, ${ms.toFixed(2)} ms, to the first`, ms / first.ms, allowed.ratio);
    below('  blocks of 8 KiB', blocks, allowed.blocks);
  }
};

export const run = async (): Promise<void> => {
  console.log(machineLoad());
  await using database = await openBenchDatabase({ settings: { shared_preload_libraries: 'pg_stat_statements' } });
  const environment = { DATABASE_URL: database.url, APP_SECRET: 'a secret that only the bench of the feed knows' };
  await using opened = new AsyncDisposableStack();
  const foundation = await openFoundation(readConfig(environment));
  opened.defer(() => foundation.close());
  const { platform } = foundation;
  const operator = { kind: 'operator' } as const;
  const owner = { name: 'Events', ownerEmail: 'owner@example.com' };
  const { tenantId: teamId } = await createTeam(platform, operator, owner);
  const team = await actIn(platform, operator, teamId);
  await using client = await connectTo(database.url);
  await client.query('create extension pg_stat_statements');

  const startedAt = performance.now();
  let wanted = Number.POSITIVE_INFINITY;
  const reading = Array.from({ length: readers }, () => readKilled(environment, teamId, () => wanted));
  const committed = await writeEvents(database.url, { teamId, writers, events });
  wanted = committed.size;
  const writing = (performance.now() - startedAt) / 1000;
  console.log(`  ${committed.size} events in ${writing.toFixed(0)} s by ${writers} writers`);
  const results = await Promise.all(reading);
  console.log(`  readers killed ${results.map(({ kills }) => kills).join(', ')} times`);
  const ids = results[0]?.ids ?? [];
  const read = new Set(ids);
  atMost('events that were not read', [...committed].filter((id) => !read.has(id)).length, 0);
  atMost('events that were read twice, or that do not exist', ids.length - committed.intersection(read).size, 0);
  atMost('readers with another order', results.filter((result) => result.ids.join() !== ids.join()).length, 0);
  await measurePages(client, team);
};

if (!isMainThread) await read(workerData);
