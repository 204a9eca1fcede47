import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PlainConnections } from '../../src/db/connections.ts';
import { findPgBouncer, startPgBouncer, type RunningPgBouncer } from '../../scripts/kit/pgbouncer.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeCli } from '../cli/cli.ts';
import { startServiceProcess, type ServiceProcess } from '../support/production-service.ts';
import { makeClient } from '../support/client.ts';
import { urlOf } from '../support/throw-away-postgres.ts';
import { createDatabase, withSql } from '../support/postgres.ts';
import { startTestService, testSecret } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const pgbouncer = await findPgBouncer();
if (!pgbouncer) process.stdout.write('/usr/sbin/pgbouncer is missing: the tests of a connection pooler are SKIPPED.\n');
else if (!pgbouncer.isNewEnough)
  process.stdout.write(
    `PgBouncer ${pgbouncer.version} is older than 1.21: the tests of a usable pooler are SKIPPED (PGBOUNCER=path names another).\n`,
  );

/** The URL of a migrated database for a role of its own, because the settings of a role hold on the whole server. */
const aDatabase = async (): Promise<string> => {
  const { url, drop } = await createDatabase();
  const role = `pooled_${randomUUID().replaceAll('-', '')}`;
  const password = randomUUID();
  await withSql({ databaseUrl: url }, (sql) => sql.query(`create role ${role} superuser login password '${password}'`));
  onTestFinished(async () => {
    await drop();
    await withSql({ databaseUrl: urlOf(url, 'postgres') }, (sql) => sql.query(`drop role ${role}`));
  });
  return Object.assign(new URL(url), { username: role, password }).href;
};

const aPooler = async (databaseUrl: string, lines: Record<string, string | number> = {}): Promise<RunningPgBouncer> => {
  if (!pgbouncer) throw new Error('There is no PgBouncer');
  const running = await startPgBouncer(pgbouncer, databaseUrl, lines);
  onTestFinished(() => running[Symbol.asyncDispose]());
  return running;
};

const aProcess = async (...given: Parameters<typeof startServiceProcess>): Promise<ServiceProcess> => {
  const running = await startServiceProcess(...given);
  onTestFinished(async () => void (await running.stop()));
  return running;
};

const command = async (pooler: RunningPgBouncer, text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: pooler.adminUrl });
  await client.connect();
  await client.query(text);
  await client.end();
};

/** Gives the role the settings, in the way that the refused API names. */
const obey = async (refusal: string, databaseUrl: string, pooler: RunningPgBouncer): Promise<void> => {
  const statements = refusal.match(/ALTER ROLE .*;/g) ?? [];
  await withSql({ databaseUrl }, async (sql) => void (await sql.query(statements.join('\n'))));
  await command(pooler, 'RECONNECT');
};

describe.skipIf(!pgbouncer)('a connection pooler', () => {
  it('stops what needs sessions of its own: a worker, a migration, a command', async () => {
    const { url } = await aPooler(await aDatabase());
    const refusal = /connection pooler is between[^]*Set DATABASE_DIRECT_URL to an address of PostgreSQL itself/;
    await expect(startServiceProcess({ databaseUrl: url, role: 'worker' })).rejects.toThrow(refusal);
    await expect(migrate(url)).rejects.toThrow(refusal);
    const { exitCode, stderr } = await makeCli({ DATABASE_URL: url, APP_SECRET: testSecret }).run([
      'maintenance',
      'status',
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(refusal);
  });

  it('is not used where DATABASE_DIRECT_URL is given, except by an API', async () => {
    const databaseUrl = await aDatabase();
    const { url } = await aPooler(databaseUrl);
    const environment = { DATABASE_DIRECT_URL: databaseUrl };
    await aProcess({ databaseUrl: url, role: 'worker', environment });
    await expect(startServiceProcess({ databaseUrl: url, role: 'api', environment })).rejects.toThrow('pooler');
    const { exitCode } = await makeCli({ DATABASE_URL: url, APP_SECRET: testSecret, ...environment }).run([
      'maintenance',
      'status',
    ]);
    expect(exitCode).toBe(0);
  });

  it('without support for prepared statements stops an API, which names the version that has it', async () => {
    const { url } = await aPooler(await aDatabase(), pgbouncer?.isNewEnough ? { max_prepared_statements: 0 } : {});
    for (let start = 0; start < 2; start += 1)
      await expect(startServiceProcess({ databaseUrl: url, role: 'api' })).rejects.toThrow(
        /does not support prepared statements[^]*PgBouncer 1\.21 or newer/,
      );
  });
});

describe.skipIf(!pgbouncer?.isNewEnough)('behind PgBouncer', () => {
  it('an API starts once the role has the settings that the refusal names', async () => {
    const databaseUrl = await aDatabase();
    const pooler = await aPooler(databaseUrl);
    await withSql({ databaseUrl }, (sql) => sql.query("alter role current_user set timezone = 'Europe/Berlin'"));
    await command(pooler, 'RECONNECT');
    const refusal = await startServiceProcess({ databaseUrl: pooler.url, role: 'api' }).then(
      () => 'it started',
      String,
    );
    const role = new URL(databaseUrl).username;
    expect(refusal).toContain(`ALTER ROLE ${role} SET TimeZone = 'UTC'; -- it is Europe/Berlin`);
    expect(refusal).toContain(`ALTER ROLE ${role} SET statement_timeout = '30s'; -- it is 0`);
    expect(refusal).toContain(`ALTER ROLE ${role} SET lock_timeout = '5s'; -- it is 0`);
    expect(refusal).toContain(`ALTER ROLE ${role} SET idle_in_transaction_session_timeout = '30s'; -- it is 0`);
    await obey(refusal, databaseUrl, pooler);
    await aProcess({ databaseUrl: pooler.url, role: 'api' });
  });

  it('an API with more connections than the pool answers as without it, and leaves nothing in the sessions', async () => {
    const databaseUrl = await aDatabase();
    const pooler = await aPooler(databaseUrl, { default_pool_size: 3, max_prepared_statements: 20 });
    await obey(
      await startServiceProcess({ databaseUrl: pooler.url, role: 'api' }).then(() => '', String),
      databaseUrl,
      pooler,
    );
    const direct = await startTestService({ databaseUrl });
    onTestFinished(() => direct.close());
    const team = await aTeam(direct);
    const api = await aProcess({ databaseUrl: pooler.url, role: 'api' });
    const keys = await Promise.all(Array.from({ length: 6 }, () => team.aKey()));
    const clients = keys.map(({ text }) => makeClient(api.baseUrl ?? '', text));

    const paths = [
      '/me',
      '/users',
      '/assignments',
      '/cases',
      '/trainings',
      '/evaluations',
      '/catalog',
      '/analytics/team',
    ];
    const answers = await Promise.all(
      clients.flatMap((client) =>
        paths.map(async (path) => {
          const { status, body } = await client.get(path);
          return [path, status, body];
        }),
      ),
    );
    const expected = await Promise.all(
      paths.map(async (path) => {
        const { status, body } = await team.client.get(path);
        return [path, status, body];
      }),
    );
    expect(answers).toEqual(clients.flatMap(() => expected));

    const [member] = (await team.client.get('/users')).data;
    const posted = await Promise.all(
      clients.map((client, index) => {
        const body = { user_id: member?.['user_id'], title: `Case ${index}` };
        return client.post('/cases', body, { headers: { 'Idempotency-Key': `case ${index}` } });
      }),
    );
    expect(posted.map(({ status }) => status)).toEqual(clients.map(() => 201));
    const left = await withSql({ databaseUrl }, (sql) =>
      sql.query(
        `select application_name, mode from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory'`,
      ),
    );
    expect(left.rows).toEqual([]);
  });

  it('a statement has the columns of the session that answers it, also after a migration', async () => {
    const databaseUrl = await aDatabase();
    const pooler = await aPooler(databaseUrl, { default_pool_size: 1 });
    const connections = new PlainConnections(pooler.url, { poolSize: 1, pooled: true });
    onTestFinished(() => connections.end());
    const read = async () => (await connections.query({ name: 'all_columns', text: 'select * from changed' })).rows;
    await withSql({ databaseUrl }, (sql) => sql.query('create table changed as select 1 as a'));
    for (let use = 0; use < 2; use += 1) expect(await read()).toEqual([{ a: 1 }]);
    await withSql({ databaseUrl }, (sql) =>
      sql.query('alter table changed alter column a type text, add column b int'),
    );
    await command(pooler, 'RECONNECT'); // the next session prepares the statement anew, so nothing is refused
    for (let use = 0; use < 2; use += 1) expect(await read()).toEqual([{ a: '1', b: null }]);
  });
});
