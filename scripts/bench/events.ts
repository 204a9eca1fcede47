// The event feed of a team with 100,000 events, raised by 8 writers in transactions of random length. Readers that are killed and resumed
// must get each event exactly once and in the same order; and a page must cost the same at the start, in the middle and at the end of the
// feed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { openFoundation } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { listEvents } from '../../src/modules/events/service.ts';
import { actIn, createTeam } from '../../src/modules/teams/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { writeEvents } from './events/write-events.ts';
import { median } from './statistics.ts';
import { buffersOf, recordStatements } from './statements.ts';

const events = 100_000;
const writers = 8;
const readers = 3;
/** The limits of reading a page: its time as a multiple of the first page's, and the 8 KiB blocks of the database that it touches. */
const allowed = { ratio: 1.5, buffers: 100 };

const Ids = z.array(z.string());
const Kept = z.object({ pages: z.int() });

const upTo = (most: number) => Math.random() * most;

/** Runs a reader in its own process and kills it again and again, until it has enough events. */
const readKilled = async (
  environment: Record<string, string>,
  teamId: string,
  folder: string,
  wanted: () => number,
) => {
  const read = async (): Promise<string[]> => {
    const text = await readFile(join(folder, 'kept.json'), 'utf8').catch(() => '{"pages":0}');
    const { pages } = Kept.parse(JSON.parse(text));
    const ids: string[] = [];
    for (let page = 0; page < pages; page += 1)
      ids.push(...Ids.parse(JSON.parse(await readFile(join(folder, `page-${page}.json`), 'utf8'))));
    return ids;
  };
  for (let kills = 0; ; kills += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'events', 'reader.ts'), teamId, folder], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    await sleep(3_000 + upTo(6_000));
    child.kill('SIGKILL');
    await ended;
    const ids = await read();
    if (ids.length >= wanted()) return { ids, kills };
  }
};

const report = (what: string, value: string, isGood = true) => {
  console.log(`${isGood ? 'ok    ' : 'MISSED'}  ${what}: ${value}`);
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
    const cost = await costOfPage(client, team, cursor);
    const ratio = cost.ms / first.ms;
    const text = `${ratio.toFixed(2)} of the first (${cost.ms.toFixed(2)} ms, ${cost.buffers} pages of 8 KiB)`;
    report(`a page at the ${place}`, text, ratio < allowed.ratio && cost.buffers < allowed.buffers);
  }
};

const measure = async (folder: string): Promise<void> => {
  await using opened = new AsyncDisposableStack();
  const postgres = await openEmbedded(join(folder, 'data'));
  opened.defer(() => postgres.release());
  await migrate(postgres.url);
  const environment = { DATABASE_URL: postgres.url, APP_SECRET: 'a secret that only the bench of the feed knows' };
  const foundation = await openFoundation(readConfig(environment));
  opened.defer(() => foundation.close());
  const { platform } = foundation;
  const operator = { kind: 'operator' } as const;
  const { tenant_id: teamId } = await createTeam(platform, operator, {
    name: 'Events',
    ownerEmail: 'owner@example.com',
  });
  const team = await actIn(platform, operator, teamId);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  opened.defer(() => client.end());

  const startedAt = performance.now();
  let wanted = Number.POSITIVE_INFINITY;
  const reading = Array.from({ length: readers }, (_, n) =>
    readKilled(environment, teamId, join(folder, `reader-${n}`), () => wanted),
  );
  const committed = await writeEvents({ databaseUrl: postgres.url, teamId, writers, events });
  wanted = committed.size;
  const writing = (performance.now() - startedAt) / 1000;
  report('events', `${committed.size} in ${writing.toFixed(0)} s by ${writers} writers`);
  const results = await Promise.all(reading);
  const order = results[0]?.ids.join() ?? '';
  const isWhole = results[0]?.ids.length === committed.size && results[0].ids.every((id) => committed.has(id));
  const isOnce = new Set(results[0]?.ids).size === results[0]?.ids.length;
  report('readers', `killed ${results.map(({ kills }) => kills).join(', ')} times`);
  report('each event exactly once', isWhole && isOnce ? 'yes' : 'no', isWhole && isOnce);
  const same = results.every(({ ids }) => ids.join() === order);
  report('one order for all readers', same ? 'yes' : 'no', same);

  await measurePages(client, team);
};

export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-events-'));
  try {
    await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
