import pg from 'pg';

const NO_SUCH_DATABASE = '3D000';
const ALREADY_THERE = new Set(['42P04', '23505']);

/** Creates the database that the URL names if it does not exist, through the `postgres` database of the same server. */
export const ensureDatabase = async (databaseUrl: string): Promise<void> => {
  const refusal = await query(databaseUrl, 'select 1');
  if (refusal === undefined) return;
  if (refusal.code !== NO_SUCH_DATABASE) throw refusal;

  const server = new URL(databaseUrl);
  const name = decodeURIComponent(server.pathname.slice(1));
  server.pathname = '/postgres';
  const failure = await query(server.href, `create database ${pg.escapeIdentifier(name)}`);
  if (failure && !ALREADY_THERE.has(failure.code ?? '')) {
    throw new Error(`The database "${name}" does not exist and could not be created: ${failure.message}`, {
      cause: failure,
    });
  }
};

/** What the server answers when it refuses; every other failure is thrown. */
const query = async (url: string, sql: string): Promise<pg.DatabaseError | undefined> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
    throw error;
  } finally {
    await client.end();
  }
};
