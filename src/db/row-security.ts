import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

// The second wall between teams. The first is that every statement names its team. The second is PostgreSQL's row level security: each table
// of a team has a policy that shows only the rows of the team in the setting `app.tenant`, and what a request runs has a role for which
// policies hold. So a statement that forgets its team reads and writes nothing of another one.
//
//   a request arrives                 no team: no row of any team   withoutTeam
//   its procedure runs                the rows of its team          forTeam
//   an exception, for a reason        rows of all teams             beyondTeams, and inBatches (core/batch.ts): a call for several requests
//   worker, operator                  rows of all teams             (outside of requests)
//
// All of them use the same client. The pool looks up the team when a statement or a transaction begins, and sets role and team for one
// transaction, so connections can be shared by all requests, also behind a pooler.

/** The role of statements that requests run (request-role.ts). */
export const requestRole = 'team_customer_api_request';

/** The id of the team whose rows a request may see, or an empty text for none. Undefined outside of requests. */
const team = new AsyncLocalStorage<string | undefined>();

/** The first middleware of all requests. */
export const withoutTeam = (_request: unknown, _response: unknown, next: () => void): void => team.run('', next);

/** Runs what acts in a team. */
export const forTeam = async <T>(teamId: string, action: () => Promise<T>): Promise<T> => {
  const current = team.getStore();
  if (current && current !== teamId) throw new Error('a request acts in a second team');
  // Awaited inside, because Prisma sends a statement only when its promise is awaited.
  return team.run(teamId, async () => await action());
};

/**
 * Why something that a request starts sees the rows of all teams. `caller`: a session, token or invitation shows who calls and which teams
 * they have. `several requests`: it serves requests of several teams at once. `other teams`: a rule about a person depends on their other
 * teams. `health`: it reads no rows, and a connection that it tests must not be in a transaction. Nothing reads the reason: it is for the reader.
 */
type Reason = 'caller' | 'several requests' | 'other teams' | 'health';

export const beyondTeams = async <T>(_why: Reason, action: () => Promise<T>): Promise<T> =>
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
export class TeamQuery extends pg.Query {
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
export const beginInTeam = (client: pg.PoolClient, teamId: string): void => {
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
