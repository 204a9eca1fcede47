// API processes behind PgBouncer, with the shipped configuration and fewer connections to PostgreSQL than they open. Nothing may fail or be
// lost, and the answers must be those of an API process without PgBouncer.
//
// PGBOUNCER=path names a PgBouncer that is not the system's: Debian 12 has 1.18, which the API refuses.

import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../src/core/config-error.ts';
import { connectTo } from '../kit/database.ts';
import { startServer } from '../kit/processes.ts';
import { pick } from '../kit/seed.ts';
import { compareReads, compareWrites } from './kit/compare.ts';
import { makeSend } from './kit/load.ts';
import { findPgBouncer, startPgBouncer, type PgBouncerProgram } from './kit/pgbouncer.ts';
import { startPostgres } from './kit/postgres.ts';
import { openStage, reportRun, type Try } from './kit/stage.ts';
import { makeFolder, requireProgram } from './kit/system.ts';

/** Connections to PostgreSQL. The API processes open up to 20. */
const poolSize = 6;
/** Requests at once: enough that requests wait for PgBouncer. */
const clients = 64;

const requirePgBouncer = async (): Promise<PgBouncerProgram> => {
  const found =
    (await findPgBouncer()) ?? (await requireProgram('/usr/sbin/pgbouncer', 'pgbouncer').then(findPgBouncer));
  if (!found) throw new ConfigError('There is no file with the path in PGBOUNCER');
  if (found.isNewEnough) return found;
  throw new ConfigError(
    `This try needs PgBouncer 1.21 or newer, and ${found.path} is ${found.version}. PGBOUNCER=path names another.`,
  );
};

/** The settings that docs/deploy/pgbouncer.ini asks for. */
const prepareRole = async (databaseUrl: string): Promise<void> => {
  await using server = await connectTo(Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href);
  await server.query(`alter role current_user set timezone = 'UTC';
    alter role current_user set statement_timeout = '30s';
    alter role current_user set lock_timeout = '5s'`);
};

interface Pool {
  cl_active: string;
  cl_waiting: string;
  sv_active: string;
  sv_idle: string;
  sv_used: string;
}

const lookEveryMs = 100;

/** The most connections of both sides that PgBouncer had, and how many clients waited for one at most. */
const watchPool = async (adminUrl: string, until: AbortSignal) => {
  await using console = await connectTo(adminUrl);
  const most = { clients: 0, waiting: 0, servers: 0 };
  while (!until.aborted) {
    const { rows } = await console.query<Pool>('SHOW POOLS');
    const sum = (...names: (keyof Pool)[]) =>
      rows.flatMap((row) => names.map((name) => Number(row[name]))).reduce((a, b) => a + b, 0);
    most.clients = Math.max(most.clients, sum('cl_active', 'cl_waiting'));
    most.waiting = Math.max(most.waiting, sum('cl_waiting'));
    most.servers = Math.max(most.servers, sum('sv_active', 'sv_idle', 'sv_used'));
    await sleep(lookEveryMs);
  }
  return most;
};

export const run: Try = async (opened, { requests = 20_000 }) => {
  const program = await requirePgBouncer();
  const folder = await makeFolder(opened, 'pooler');
  const databaseUrl = await startPostgres(opened, folder);
  await prepareRole(databaseUrl);
  const pgbouncer = opened.use(await startPgBouncer(program, databaseUrl, { default_pool_size: poolSize }));
  const environment = { DATABASE_URL: pgbouncer.url };
  const stage = await openStage(opened, {
    databaseUrl,
    folder,
    apiEnvironment: environment,
    workerEnvironment: { ...environment, DATABASE_DIRECT_URL: databaseUrl },
  });
  console.log(
    `pooler: ${requests} requests, 2 API processes behind PgBouncer ${program.version}, 2 workers without it`,
  );
  const over = new AbortController();
  const watching = watchPool(pgbouncer.adminUrl, over.signal);
  const outcome = await stage.load({ requests, clients });
  over.abort();
  const most = await watching;
  const losses = await stage.check(outcome.posted);

  const alone = opened.use(
    await startServer(['src/main.ts', 'api'], { ...stage.environment, DATABASE_URL: databaseUrl }),
  );
  const direct = makeSend(opened, alone);
  const { seeded, send, receiver } = stage;
  const reads = await compareReads(send, direct, seeded.teams);
  const url = receiver.urlFor('uncounted', 'compared', 'hosts in turn');
  const writes = await compareWrites(send, direct, { team: pick(seeded.teams, 0), catalog: seeded.catalog, url });
  for (const difference of [...reads.differences, ...writes.differences])
    console.log(`  another answer: ${difference}`);

  reportRun(stage, outcome, losses, [
    { name: 'connections to PgBouncer at most', value: most.clients },
    { name: 'of these waiting for PostgreSQL', value: most.waiting },
    { name: 'connections to PostgreSQL at most', value: most.servers, atMost: poolSize },
    { name: 'failed at the first try', value: outcome.failedAt.length, atMost: 0 },
    { name: 'reads compared with those without PgBouncer', value: reads.answers },
    { name: 'of these with another answer', value: reads.differences.length, atMost: 0 },
    { name: 'writes compared', value: writes.answers },
    { name: 'of these with another answer', value: writes.differences.length, atMost: 0 },
  ]);
};
