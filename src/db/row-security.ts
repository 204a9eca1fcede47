import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { ConfigError } from '../core/config-error.ts';

// The second wall between teams. The first is that every statement names its team. The second is PostgreSQL's row level security: each table
// of a team has a policy that shows only the rows of the team in the setting `app.tenant`, and what a request runs has a role for which
// policies hold. So a statement that forgets its team reads and writes nothing of another one.
//
//   a request arrives     no team: no row of any team             withoutTeam
//   its procedure runs    the rows of its team                    forTeam
//   before that           keys, sessions: rows of all teams       beyondTeams
//   worker, operator      rows of all teams                       (outside of requests)
//
// Role and setting are set for one transaction, so connections can be shared by all requests, also behind a pooler.

/** The role of statements that requests run. `npm run migrate` creates it. */
export const requestRole = 'team_customer_api_request';

/** The id of the team whose rows a request may see, or an empty text for none. Undefined outside of requests. */
const team = new AsyncLocalStorage<string | undefined>();

export const withoutTeam = (next: () => void): void => team.run('', next);

/** Runs what acts in a team. */
export const forTeam = async <T>(teamId: string, action: () => Promise<T>): Promise<T> => {
  const current = team.getStore();
  if (current && current !== teamId) throw new Error('a request acts in a second team');
  // Awaited inside, because Prisma sends a statement only when its promise is awaited.
  return team.run(teamId, async () => await action());
};

/** For what comes before a request has a team, and for what serves requests of several teams at once. Say why at the call. */
export const beyondTeams = async <T>(action: () => Promise<T>): Promise<T> =>
  team.run(undefined, async () => await action());

/** The team of the running request. */
export const currentTeam = (): string | undefined => team.getStore();

/** SQL: gives the rest of an open transaction the role and the team. */
const enteringStatement = (teamId: string): string =>
  `set local role ${requestRole}; set local app.tenant = ${pg.escapeLiteral(teamId)}`;

const enter = {
  name: 'enter_team',
  text: `select set_config('role', '${requestRole}', true), set_config('app.tenant', $1, true)`,
};

/** A new connection prepares the statement with which each `TeamQuery` begins. */
export const prepareTeams = (client: pg.PoolClient, done: (error?: Error) => void): void => {
  client.query({ ...enter, values: [''] }, (error) => done(error));
};

// What pg's types leave out.
declare module 'pg' {
  interface QueryConfig {
    queryMode?: 'extended';
  }
  interface Query {
    prepare(connection: pg.Connection): void;
    handleDataRow(message: unknown): void;
    handleCommandComplete(message: unknown, connection: pg.Connection): void;
  }
}

/**
 * A single statement with the role and the team, in one round trip and one transaction: PostgreSQL gets both statements before it is asked to
 * end the transaction.
 */
class TeamQuery extends pg.Query {
  readonly #teamId: string;
  #hasEntered = false;

  constructor(config: pg.QueryConfig, teamId: string) {
    // A statement has another plan with policies than without.
    const name = config.name && `${config.name}_team`;
    super({ ...config, ...(name && { name }), queryMode: 'extended' });
    this.#teamId = teamId;
  }

  override prepare(connection: pg.Connection): void {
    connection.bind({ statement: enter.name, values: [this.#teamId] }, true);
    connection.execute({}, true);
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#hasEntered) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#hasEntered) super.handleCommandComplete(message, connection);
    this.#hasEntered = true;
  }
}

/** A connection for a transaction of Prisma, whose first statement is BEGIN: role and team are set in the same round trip. */
const beginInTeam = (client: pg.PoolClient, teamId: string): void => {
  Object.assign(client, {
    query: (begin: pg.QueryConfig) => {
      Reflect.deleteProperty(client, 'query');
      return client.query(`${begin.text}; ${enteringStatement(teamId)}`);
    },
  });
};

/** Holds statements and transactions of requests to the rows of their team. */
export const holdToTeams = (pool: pg.Pool): void => {
  const connect = pool.connect.bind(pool);
  const query: (statement: pg.QueryConfig | TeamQuery) => unknown = pool.query.bind(pool);
  Object.assign(pool, {
    query: (config: pg.QueryConfig) => {
      const teamId = currentTeam();
      return query(teamId === undefined ? config : new TeamQuery(config, teamId));
    },
    connect: async (callback?: Parameters<typeof connect>[0]) => {
      // `pool.query` uses the callback.
      if (callback) return connect(callback);
      const teamId = currentTeam();
      const client = await connect();
      if (teamId !== undefined) beginInTeam(client, teamId);
      return client;
    },
  });
};

// Installation

const ALREADY_THERE = new Set(['42710', '23505']);
const NOT_ALLOWED = '42501';

/** Whether the role has the tables. */
export const requestRoleIsReady = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ ready: boolean }>(
    `select coalesce(bool_or(has_table_privilege(oid, 'team', 'select') and pg_has_role(oid, 'member')), false) as ready
       from pg_roles where rolname = $1`,
    [requestRole],
  );
  return rows[0]?.ready === true;
};

/** Creates the role of requests and gives it the tables. */
export const prepareRequestRole = async (client: pg.Client, report: (line: string) => void): Promise<void> => {
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [requestRole]);
    if (rowCount === 0) await client.query(`create role ${requestRole} nologin`).catch(unlessThere);
    await client.query(`grant ${requestRole} to current_user`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== NOT_ALLOWED) throw error;
    report(`Row level security is not ready: ${error.message}`);
    return;
  }
  await client.query(`grant usage on schema public to ${requestRole};
    grant select, insert, update, delete on all tables in schema public to ${requestRole};
    grant usage on all sequences in schema public to ${requestRole};
    revoke all on _prisma_migrations from ${requestRole}`);
};

const unlessThere = (error: unknown): void => {
  if (!(error instanceof pg.DatabaseError) || !ALREADY_THERE.has(error.code ?? '')) throw error;
};

/** Throws unless requests can have their role, and everything else sees the rows of all teams. */
export const requireRowSecurity = async (pool: pg.Pool): Promise<void> => {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ isHeld: boolean; login: string }>(
      `select row_security_active('team') as "isHeld", quote_ident(current_user) as login`,
    );
    const { isHeld, login } = rows[0] ?? {};
    if (isHeld) {
      throw new ConfigError(
        `The database user ${login} must own the tables or have BYPASSRLS: it sees no row of any team.`,
      );
    }
    await client.query('begin');
    await client.query(enteringStatement('')).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigError(`Requests need the database role ${requestRole}: ${reason}
Run these statements on the database as a user who may, then npm run migrate:
  CREATE ROLE ${requestRole} NOLOGIN;
  GRANT ${requestRole} TO ${login};
Or set ROW_SECURITY=false: then each statement's own condition is the only wall between teams.`);
    });
    const granted = await client.query<{ isGranted: boolean }>(
      `select has_table_privilege('team', 'select') as "isGranted"`,
    );
    if (!granted.rows[0]?.isGranted) {
      throw new ConfigError(`The database role ${requestRole} has no rights to the tables: run npm run migrate`);
    }
  } finally {
    await client.query('rollback');
    client.release();
  }
};
