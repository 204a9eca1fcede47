// Measures how a team is affected while another team, or a client without an account, overloads the service: latency of its requests,
// failures, memory of the API process, and whether that process restarted. Every number is printed beside its limit; if one limit is
// missed, the bench ends with exit code 1.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { basePath } from '../../src/core/product.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startAttack } from './abuse/attack.ts';
import type { Tally } from './abuse/attack.ts';
import { makeCatalogReaders } from './abuse/catalog.ts';
import { measureRemoval } from './abuse/removal.ts';
import { watchMemory } from './abuse/memory.ts';
import { probe } from './abuse/probe.ts';
import { atMost, below } from './bounds.ts';
import { seedTeams } from './seed.ts';
import type { Seeded, SeededTeam } from './seed.ts';
import { pick } from './scenarios.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

const seconds = 30;
const perSecond = 40;
const memoryBound = 700;

interface Stage {
  readonly server: ServerProcess;
  readonly databaseUrl: string;
  readonly attacker: SeededTeam;
  readonly neighbour: SeededTeam;
  readonly catalog: Seeded['catalog'];
}

const keyHeader = (key: string) => ({ authorization: `Bearer ${key}` });

/** The largest case that the API accepts: 64 KiB in each of the two free-form fields, or one field of 250 kB. */
const largestCases = [
  { fields: { text: 'x'.repeat(250_000) } },
  { fields: { text: 'x'.repeat(64 * 1024 - 100) }, external_ref: { text: 'y'.repeat(64 * 1024 - 100) } },
];

const makeLargestCases = async ({ server, attacker, databaseUrl }: Stage, count: number): Promise<number> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ user_id: string }>(
    `select user_id from member where tenant_id = $1 and status = 'active' limit 1`,
    [attacker.tenantId],
  );
  await client.end();
  const create = (content: object, index: number) =>
    fetch(`${server.origin}${basePath}/cases`, {
      method: 'POST',
      headers: { ...keyHeader(pick(attacker.keys, index)), 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: rows[0]?.user_id, title: 'A case', ...content }),
    });
  for (const content of largestCases) {
    if ((await create(content, 0)).status !== 201) continue;
    for (let made = 1; made < count; made += 1) {
      const answer = await create(content, made);
      if (answer.status !== 201) throw new Error(`case ${made}: ${answer.status} ${await answer.text()}`);
    }
    return JSON.stringify(content).length;
  }
  throw new Error('no case of this size is accepted');
};

const describe = (tally: Tally): string =>
  Object.entries(tally)
    .map(([answer, count]) => `${count} × ${answer}`)
    .join(', ');

/** Measures the neighbour's `GET path` with and without the attack. */
const measureNeighbour = async (
  { server, neighbour }: Stage,
  { path, attack, p99 }: { path: string; attack: () => Promise<Tally>; p99: number },
): Promise<void> => {
  const requests = (duration: number) =>
    probe({
      perSecond,
      seconds: duration,
      request: (index) => ({ url: `${server.origin}${path}`, headers: keyHeader(pick(neighbour.keys, index)) }),
    });
  const calm = await requests(5);
  console.log(`  without: p50 ${calm.p50.toFixed(1)} ms, p99 ${calm.p99.toFixed(1)} ms`);
  const memory = watchMemory(server.pid);
  const [seen, tally] = await Promise.all([requests(seconds), attack()]);
  const peak = memory.stop();
  console.log(`  attack:  ${describe(tally)}`);
  console.log(`  with:    p50 ${seen.p50.toFixed(1)} ms, longest ${seen.longest.toFixed(0)} ms of ${seen.count}`);
  below(`p99 of GET ${path}`, seen.p99, p99, ' ms');
  atMost('failed requests', seen.failed, 0);
  below('memory of the API process', peak, memoryBound, ' MB');
  atMost('restarts', server.hasEnded() ? 1 : 0, 0);
};

const parts: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  pages: async (stage) => {
    const bytes = await makeLargestCases(stage, 400);
    console.log(`pages: 400 cases of ${bytes} bytes, 40 parallel reads of the list and 20 slow readers`);
    const { server, attacker } = stage;
    await measureNeighbour(stage, {
      path: `${basePath}/me`,
      p99: 250,
      attack: () =>
        startAttack({
          kind: 'pages',
          origin: server.origin,
          path: `${basePath}/cases?limit=200`,
          keys: attacker.keys,
          readers: 40,
          slowReaders: 20,
          seconds,
        }),
    });
  },

  'sign-ins': async (stage) => {
    console.log('sign-ins: 1,000 anonymous ones from 50 addresses at once');
    await measureNeighbour(stage, {
      path: `${basePath}/users?limit=50`,
      p99: 500,
      attack: () => startAttack({ kind: 'sign-ins', origin: stage.server.origin, addresses: 50, each: 20 }),
    });
  },

  catalog: async (stage) => {
    const { server, attacker, databaseUrl } = stage;
    const people = await makeCatalogReaders(databaseUrl, attacker.tenantId, 3);
    console.log(`catalog: ${people.length} members read the largest catalog in the app, six times at once each`);
    await measureNeighbour(stage, {
      path: `${basePath}/me`,
      p99: 250,
      attack: () =>
        startAttack({
          kind: 'app-reads',
          origin: server.origin,
          team: attacker.tenantId,
          path: 'app/catalog.choices',
          people,
          loopsEach: 6,
          seconds,
        }),
    });
  },

  removal: (stage) => measureRemoval(stage),
};

/** `npm run bench -- abuse PART` measures only this part. */
const wanted = process.argv[3] ?? '';

export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  const postgres = await openEmbedded(folder);
  try {
    await migrate(postgres.url);
    const { teams, catalog } = await seedTeams([postgres.url], {
      teams: 2,
      membersEach: 200,
      keysEach: 160,
      trainingsEach: 400,
    });
    for (const [name, measure] of Object.entries(parts).filter(([name]) => name.includes(wanted))) {
      const server = await startServer('src/main.ts', ['api'], postgres.url);
      try {
        await measure({
          server,
          databaseUrl: postgres.url,
          attacker: pick(teams, 0),
          neighbour: pick(teams, 1),
          catalog,
        });
      } catch (error) {
        console.log(`  ${name} ended early: ${String(error)}`);
        process.exitCode = 1;
      } finally {
        await server.stop();
      }
      console.log('');
    }
  } finally {
    await postgres.release();
    await rm(folder, { recursive: true, force: true });
  }
};
