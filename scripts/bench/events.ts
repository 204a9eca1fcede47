// The event feed of a team with 100,000 events, raised by 8 writers in transactions of random length. Readers that are killed and resumed
// must get each event exactly once and in the same order; and a page must cost the same at the start, in the middle and at the end of the
// feed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openFoundation } from '../../src/run/foundation.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { listEvents } from '../../src/modules/events/service.ts';
import { actIn, createTeam } from '../../src/modules/teams/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { below, machineLoad } from './bounds.ts';
import { PageRead } from './events/reader.ts';
import { writeEvents } from './events/write-events.ts';
import { median } from './statistics.ts';
import { buffersOf, recordStatements } from './statements.ts';

const events = 100_000;
const writers = 8;
const readers = 3;
/** The limits of reading a page: its time as a multiple of the first page's, and the 8 KiB blocks of the database that it touches. */
const allowed = { ratio: 1.5, buffers: 100 };

/** Runs a reader in its own process and kills it again and again, until it has enough events. A page counts once its line has arrived. */
const readKilled = async (environment: Record<string, string>, teamId: string, wanted: () => number) => {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let kills = 0; ; kills += 1) {
    const args = ['scripts/bench/events/reader.ts', teamId, ...(cursor === undefined ? [] : [cursor])];
    const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface(child.stdout).on('line', (line) => {
      if (!line.endsWith('}')) return; // the reader was killed while it wrote this line
      const page = PageRead.parse(JSON.parse(line));
      ids.push(...page.ids);
      cursor = page.cursor;
    });
    const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
    await sleep(3_000 + Math.random() * 6_000);
    child.kill('SIGKILL');
    await ended;
    if (ids.length >= wanted()) return { ids, kills };
  }
};

const report = (what: string, isGood: boolean): void => {
  console.log(`  ${what}: ${isGood ? 'yes' : 'NO'}`);
  if (!isGood) process.exitCode = 1;
};

/** The milliseconds for a page of the feed at a cursor, and the database pages that it touches. */
const costOfPage = async (client: pg.Client, team: Team, cursor: string | undefined) => {
  const read = (asked: Team) => listEvents(asked, { limit: 50, wait: 0, cursor });
  const times: number[] = [];
  for (let run = 0; run < 200; run += 1) {
    const startedAt = performance.now();
    await read(team);
    times.push(performance.now() - startedAt);
  }
  const recording = recordStatements(team.platform.database);
  await read({ ...team, platform: { ...team.platform, database: recording.database } });
  let buffers = 0;
  for (const sent of recording.take()) buffers += await buffersOf(client, sent, 'generic');
  return { ms: median(times), buffers };
};

const measurePages = async (client: pg.Client, team: Team) => {
  const cursors: (string | undefined)[] = [undefined];
  for (;;) {
    const page = await listEvents(team, { limit: 200, wait: 0, cursor: cursors.at(-1) });
    if (!page.has_more) break;
    cursors.push(page.next_cursor);
  }
  const places = { start: cursors[0], middle: cursors[Math.floor(cursors.length / 2)], end: cursors.at(-2) };
  await client.query('vacuum analyze');
  const first = await costOfPage(client, team, places.start);
  for (const [place, cursor] of Object.entries(places)) {
    const { ms, buffers } = await costOfPage(client, team, cursor);
    below(`a page at the ${place}, ${ms.toFixed(2)} ms, to the first`, ms / first.ms, allowed.ratio);
    below('  blocks of 8 KiB', buffers, allowed.buffers);
  }
};

export const run = async (): Promise<void> => {
  console.log(machineLoad());
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'team-customer-api-bench-')));
  const postgres = await openEmbedded(folder.path);
  opened.defer(() => postgres.release());
  await migrate(postgres.url);
  const environment = { DATABASE_URL: postgres.url, APP_SECRET: 'a secret that only the bench of the feed knows' };
  const foundation = await openFoundation(readConfig(environment));
  opened.defer(() => foundation.close());
  const { platform } = foundation;
  const operator = { kind: 'operator' } as const;
  const owner = { name: 'Events', ownerEmail: 'owner@example.com' };
  const { tenant_id: teamId } = await createTeam(platform, operator, owner);
  const team = await actIn(platform, operator, teamId);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  opened.defer(() => client.end());

  const startedAt = performance.now();
  let wanted = Number.POSITIVE_INFINITY;
  const reading = Array.from({ length: readers }, () => readKilled(environment, teamId, () => wanted));
  const committed = await writeEvents({ databaseUrl: postgres.url, teamId, writers, events });
  wanted = committed.size;
  const writing = (performance.now() - startedAt) / 1000;
  console.log(`  ${committed.size} events in ${writing.toFixed(0)} s by ${writers} writers`);
  const results = await Promise.all(reading);
  console.log(`  readers killed ${results.map(({ kills }) => kills).join(', ')} times`);
  const ids = results[0]?.ids ?? [];
  const isWhole = ids.length === committed.size && ids.every((id) => committed.has(id));
  report('each event exactly once', isWhole && new Set(ids).size === ids.length);
  report(
    'one order for all readers',
    results.every((result) => result.ids.join() === ids.join()),
  );
  await measurePages(client, team);
};
