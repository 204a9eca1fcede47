import pg from 'pg';
import { requestRole } from '../../db/row-security.ts';

// The differences between the sandbox's database and that of the service.
//
// Its clock. PostgreSQL's own functions can't be changed, but PostgreSQL looks for a name without a schema along the
// search path, where the sandbox's functions of the same names come first. The service and graphile-worker use these
// names without a schema.
//
// Endpoints. The database of a real service accepts only URLs with https://.

const schema = 'sandbox';

const changes = `
  alter table webhook_endpoint drop constraint webhook_endpoint_url_check;
  create schema ${schema};
  create table ${schema}.clock (ahead interval not null);
  insert into ${schema}.clock values ('0');
  create function ${schema}.clock_timestamp() returns timestamptz language sql volatile parallel restricted as
    'select pg_catalog.clock_timestamp() + (select ahead from ${schema}.clock)';
  ${['now', 'transaction_timestamp', 'statement_timestamp']
    .map(
      (name) => `create function ${schema}.${name}() returns timestamptz language sql stable parallel restricted as
    'select pg_catalog.${name}() + (select ahead from ${schema}.clock)';`,
    )
    .join('\n')}
  grant usage on schema ${schema} to ${requestRole};
  grant select on ${schema}.clock to ${requestRole}`;

/** New tables are created in the first schema of the path. */
const searchPath = `public, ${schema}, pg_catalog`;

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const nameOf = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1));

/** Turns a migrated database into one of the sandbox. This holds for all connections that are opened from now on. */
export const adaptDatabase = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(changes);
    await client.query(`alter database ${pg.escapeIdentifier(nameOf(url))} set search_path = ${searchPath}`);
  });

/** Sets the clock of a client's database ahead of the machine's by this number of milliseconds. */
export const moveClock = async (client: pg.Client, milliseconds: number): Promise<void> => {
  await client.query(`update ${schema}.clock set ahead = make_interval(secs => $1)`, [milliseconds / 1000]);
};

/** Like `moveClock`, on a connection of its own. */
export const setDatabaseTime = (url: string, milliseconds: number): Promise<void> =>
  withClient(url, (client) => moveClock(client, milliseconds));

/**
 * Replaces the database `to` by a copy of `from`, over a connection to another database of the server. Connections to
 * the replaced database are closed.
 */
export const copyDatabase = (serverUrl: string, { from, to }: { from: string; to: string }): Promise<void> =>
  withClient(serverUrl, async (client) => {
    const copy = pg.escapeIdentifier(to);
    await client.query(`drop database if exists ${copy} with (force)`);
    await client.query(`create database ${copy} template ${pg.escapeIdentifier(from)} strategy file_copy`);
    // A copy has the tables, but not the settings of its original.
    await client.query(`alter database ${copy} set search_path = ${searchPath}`);
  });
