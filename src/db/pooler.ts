import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ConfigError } from '../core/config-error.ts';
import { PrimaryClient } from './hosts.ts';
import { sessionLimits } from './pool.ts';
import { sqlState } from './sqlstate.ts';

// A connection pooler such as PgBouncer may be between the API and PostgreSQL. In its transaction mode, each
// transaction of a client may run in another session of PostgreSQL. So the API keeps nothing in a session, and its
// settings come with the database role. Everything else needs sessions of its own (LISTEN, locks that outlive a
// transaction, settings) and refuses a pooler.

/** Throws if a pooler is between this process and PostgreSQL. */
export const refusePooler = async (url: string): Promise<void> => {
  if (!(await isPooled(url))) return;
  throw new ConfigError(`A connection pooler is between this process and PostgreSQL. Only API processes may use one.
Set DATABASE_DIRECT_URL to an address of PostgreSQL itself: workers, migrations and commands connect there.`);
};

/** Whether a pooler is between this process and PostgreSQL. Throws if the API can't use this one. */
export const findPooler = async (url: string): Promise<boolean> => {
  if (!(await isPooled(url))) return false;
  await using opened = await connect(url);
  await requireStatements(opened.client);
  await requireSettings(opened.client);
  return true;
};

/** The number of questions: enough to notice a pooler that has many sessions and serves other clients. */
const questions = 5;

/** Whether open connections share sessions of PostgreSQL, or change them. */
const isPooled = async (url: string): Promise<boolean> => {
  try {
    await using one = await connect(url);
    const announced: unknown = Reflect.get(one.client, 'processID'); // missing in pg's types
    if ((await sessionOf(one.client)) === announced) return false; // no pooler, or a proxy that passes everything on

    await using other = await connect(url);
    const sessions = { one: new Set<number>(), other: new Set<number>() };
    for (let asked = 0; asked < questions; asked += 1) {
      sessions.one.add(await sessionOf(one.client));
      // The session is asked for twice, because a pooler may hand out its sessions in turn.
      sessions.other.add(await sessionOf(other.client)).add(await sessionOf(other.client));
    }
    return sessions.one.size > 1 || sessions.other.size > 1 || !sessions.one.isDisjointFrom(sessions.other);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === sqlState.noSuchDatabase) return false; // then migrations are missing
    throw error;
  }
};

/** The process id of the session in which PostgreSQL runs this statement. */
const sessionOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
};

/**
 * A pooler that supports prepared statements gives them names of its own in PostgreSQL. With any other pooler, a name
 * may be unknown in the session of the next transaction, or stand for the statement of another client.
 */
const requireStatements = async (client: pg.Client): Promise<void> => {
  const name = `pooler_check_${randomUUID()}`;
  const text = 'select from pg_prepared_statements where name = $1';
  const { rowCount } = await client.query({ name, text, values: [name] });
  if (rowCount === 0) return;
  throw new ConfigError(`DATABASE_URL leads to a connection pooler that does not support prepared statements.
Use PgBouncer 1.21 or newer with pool_mode = transaction and max_prepared_statements = 200, or PostgreSQL itself.`);
};

interface Setting {
  readonly name: string;
  readonly isRight: (value: string) => boolean;
  readonly wanted: string;
}

const atMost = (name: string, milliseconds: number): Setting => ({
  name,
  isRight: (value) => Number(value) > 0 && Number(value) <= milliseconds,
  wanted: `${milliseconds / 1_000}s`,
});

const settings: readonly Setting[] = [
  { name: 'TimeZone', isRight: (value) => value === 'UTC' || value === 'Etc/UTC', wanted: 'UTC' },
  atMost('statement_timeout', sessionLimits.statementTimeoutMs),
  atMost('lock_timeout', sessionLimits.lockTimeoutMs),
  atMost('idle_in_transaction_session_timeout', sessionLimits.idleTransactionMs),
];

/** A pooler does not pass start-up parameters on, so the role must have the settings. */
const requireSettings = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string; setting: string; role: string }>(
    'select name, setting, quote_ident(session_user) as role from pg_settings where name = any($1)',
    [settings.map(({ name }) => name)],
  );
  const statements = settings.flatMap(({ name, isRight, wanted }) => {
    const found = rows.find((row) => row.name === name);
    if (!found || isRight(found.setting)) return [];
    return [`  ALTER ROLE ${found.role} SET ${name} = '${wanted}'; -- it is ${found.setting}`];
  });
  if (statements.length === 0) return;
  throw new ConfigError(`DATABASE_URL leads to a connection pooler, behind which the database role must have the settings of the service.
Run this on the database, then RECONNECT in PgBouncer's console:
${statements.join('\n')}`);
};

/** Without start-up parameters, which a pooler may refuse. */
const connect = async (url: string): Promise<{ client: pg.Client } & AsyncDisposable> => {
  const client = new PrimaryClient({
    connectionString: url,
    application_name: 'team-customer-api',
  });
  client.on('error', () => {}); // the next statement fails
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
};
