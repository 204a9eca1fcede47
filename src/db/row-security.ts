import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { ConfigError } from '../core/config-error.ts';

// The second wall between teams. The first is that every statement names its team. The second is PostgreSQL's row level security: each table
// of a team has a policy that shows only the rows of the team in the setting `app.tenant`, and what a request runs has a role for which
// policies hold. So a statement that forgets its team reads and writes nothing of another one.
//
//   a request arrives                 no team: no row of any team   withoutTeam
//   its session is checked            rows of all teams             beyondTeams
//   a call for several requests       rows of all teams             inBatches (core/batch.ts), for instance the gate
//   its procedure runs                the rows of its team          forTeam
//   worker, operator                  rows of all teams             (outside of requests)
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

/** The id of the team of the running request; empty before it has one; undefined outside of requests and in `beyondTeams`. */
export const currentTeam = (): string | undefined => team.getStore();

/** SQL: gives the rest of an open transaction the role and the team. */
const enteringStatement = (teamId: string): string =>
  `set local role ${requestRole}; set local app.tenant = ${pg.escapeLiteral(teamId)}`;

const enter = {
  name: 'enter_team',
  text: `select set_config('role', $1, true), set_config('app.tenant', $2, true)`,
};

/** A new connection prepares the statement with which each `TeamQuery` begins. */
export const prepareTeams = (client: pg.PoolClient, done: (error?: Error) => void): void => {
  client.query({ ...enter, values: ['none', ''] }, (error) => done(error)); // no other role, because a user may lack it
};

// These members exist in pg, but not in its types.
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
 * A statement, and before it the one that sets role and team. PostgreSQL gets both at once, so they are one round trip and one transaction.
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
    connection.bind({ statement: enter.name, values: [requestRole, this.#teamId] }, true);
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
  // Replaced and not deleted: the engine makes an object slow from which a property was deleted.
  const query = (...given: unknown[]): unknown =>
    // oxlint-disable-next-line typescript/unbound-method -- it is called with the client
    Reflect.apply(pg.Client.prototype.query, client, given);
  Object.assign(client, {
    query: (begin: pg.QueryConfig) => {
      Object.assign(client, { query });
      if (begin.text !== 'BEGIN') throw new Error('a transaction of a request begins with another statement');
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

/** The reason why the connection's user can't have the role, or nothing. */
const refusalOfRole = async (client: pg.ClientBase): Promise<string | undefined> => {
  try {
    await client.query(`begin; set local role ${requestRole}`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.query('rollback');
  }
};

const instructions = async (client: pg.ClientBase, reason: string): Promise<string> => {
  const { rows } = await client.query<{ login: string }>('select quote_ident(current_user) as login');
  return `Requests need the database role ${requestRole}: ${reason}
Run these statements on the database as a user who may, then npm run migrate:
  CREATE ROLE ${requestRole} NOLOGIN;
  GRANT ${requestRole} TO ${rows[0]?.login};
Or set ROW_SECURITY=false: then each statement's own condition is the only wall between teams.`;
};

/** SQL: the service's own tables. Programs of others may have some in the same schema. */
const ownTables = `select oid from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> '_prisma_migrations'
    and relowner = (select relowner from pg_class where oid = 'public.team'::regclass)`;

const hasTables = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ granted: boolean }>(
    `select has_function_privilege($1::name, 'add_jobs(jsonb)', 'execute') and not exists (
       select from (${ownTables}) as own where not has_table_privilege($1::name, oid, 'select')) as granted`,
    [requestRole],
  );
  return rows[0]?.granted === true;
};

/** Whether requests can have their role, and the role has the tables. */
export const requestRoleIsReady = async (client: pg.Client): Promise<boolean> =>
  (await refusalOfRole(client)) === undefined && (await hasTables(client));

/** Creates the role of requests and gives it the tables. */
export const prepareRequestRole = async (client: pg.Client, report: (line: string) => void): Promise<void> => {
  if ((await refusalOfRole(client)) !== undefined) {
    try {
      await client.query(`create role ${requestRole} nologin`).catch(unlessThere);
      await client.query(`grant ${requestRole} to current_user`);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      report(await instructions(client, error.message));
      return;
    }
  }
  // The setting is for Citus, which otherwise refuses to change several kinds of its tables in one transaction.
  await client.query(`set local citus.multi_shard_modify_mode = 'sequential';
    grant usage on schema public to ${requestRole};
    grant execute on function add_jobs(jsonb), remove_jobs(text[]) to ${requestRole};
    do $$
      declare own oid;
      begin
        for own in ${ownTables} loop
          execute format('grant select, insert, update, delete on %s to ${requestRole}', own::regclass);
        end loop;
      end $$`);
};

const unlessThere = (error: unknown): void => {
  if (!(error instanceof pg.DatabaseError) || !ALREADY_THERE.has(error.code ?? '')) throw error;
};

/** Throws unless requests can have their role, and everything else sees the rows of all teams. */
export const requireRequestRole = async (client: pg.Client): Promise<void> => {
  const refusal = await refusalOfRole(client);
  if (refusal !== undefined) throw new ConfigError(await instructions(client, refusal));
  if (!(await hasTables(client))) {
    throw new ConfigError(`The database role ${requestRole} has no rights to the tables: run npm run migrate`);
  }
  const { rows } = await client.query<{ isHeld: boolean; hasPolicies: boolean }>(
    `select row_security_active('team') as "isHeld", relrowsecurity as "hasPolicies" from pg_class where oid = 'team'::regclass`,
  );
  if (rows[0]?.hasPolicies === false) {
    throw new ConfigError('The tables have no policies, because the database is distributed: set ROW_SECURITY=false');
  }
  if (rows[0]?.isHeld) {
    throw new ConfigError('The user of DATABASE_URL must own the tables or have BYPASSRLS: it sees no row of any team');
  }
};
