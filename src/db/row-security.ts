import { AsyncLocalStorage } from 'node:async_hooks';
import type { Statement } from './round-trip.ts';

// The second wall between teams. The first is that every statement names its team. The second is PostgreSQL's row level
// security: each table of a team has a policy that shows only the rows of the team in the setting `app.tenant`, and the
// statements of a request run in a role to which policies apply. So a statement that forgets its team can't read or
// write rows of another team.
//
//   a request arrives                 no team: no row of any team   withoutTeam
//   its procedure runs                the rows of its team          forTeam
//   an exception, for a reason        rows of all teams             beyondTeams, and inBatches (core/batch.ts): a call for several requests
//   worker, operator                  rows of all teams             (outside of requests)
//
// This file says which team that is, and has the statement that sets role and team. `connections.ts` sends this
// statement when a statement or a transaction begins, in the same round trip.

/** The role in which the statements of requests run (request-role.ts). */
export const requestRole = 'team_customer_api_request';

/** A running request. */
interface RunningRequest {
  /** The id of the team whose rows may be seen; empty for none, undefined for all teams. */
  readonly teamId: string | undefined;
  /**
   * When the request began, by `performance.now()`. A distributed database decides by it whether a read needs a lock.
   */
  readonly beganAt: number;
}

/** The running request; undefined outside of requests. */
const running = new AsyncLocalStorage<RunningRequest>();

const runningFor = (teamId: string | undefined): RunningRequest => ({ teamId, beganAt: requestBeganAt() });

/** When the running request began. Outside of requests: now. */
export const requestBeganAt = (): number => running.getStore()?.beganAt ?? performance.now();

/** The first middleware of all requests: no row of any team can be seen until `forTeam` names the team. */
export const withoutTeam = (_request: unknown, _response: unknown, next: () => void): void =>
  running.run(runningFor(''), next);

/** Runs an action in a team. */
export const forTeam = async <T>(teamId: string, action: () => Promise<T>): Promise<T> => {
  const current = currentTeam();
  if (current && current !== teamId) throw new Error('a request acts in a second team');
  // The action is awaited inside, because Prisma sends a statement only when its promise is awaited.
  return running.run(runningFor(teamId), async () => await action());
};

/**
 * Why code that a request runs may see the rows of all teams. `caller`: a session, token or invitation shows who calls
 * and which teams they have. `several requests`: it serves requests of several teams at once. `other teams`: a rule
 * about a person depends on their other teams. The code ignores the reason: it is for the reader.
 */
type ReasonBeyondTeams = 'caller' | 'several requests' | 'other teams';

export const beyondTeams = async <T>(_why: ReasonBeyondTeams, action: () => Promise<T>): Promise<T> =>
  running.run(runningFor(undefined), async () => await action());

/**
 * The id of the team of the running request. Empty: the request has no team yet. Undefined: outside of requests, and in
 * `beyondTeams`.
 */
export const currentTeam = (): string | undefined => running.getStore()?.teamId;

// How a transaction gets into a team

/** The statements with which a transaction begins, and how later statements are adapted to it. */
export interface TransactionEntry {
  readonly statements: readonly Statement[];
  adapt(statement: Statement): Statement;
  /**
   * Called with the error if a round trip of the transaction fails. Only a distributed database sets it: the error may
   * mean that the team's rows have moved to another machine.
   */
  readonly onFailure?: (error: unknown) => void;
}

export const noEntry: TransactionEntry = { statements: [], adapt: (statement) => statement };

/**
 * The same statement with another name, because it needs another plan: with policies, for instance, instead of without.
 */
export const renamed = (statement: Statement, ending: string): Statement =>
  statement.name ? { ...statement, name: `${statement.name}${ending}` } : statement;

export const inTeam = (statement: Statement): Statement => renamed(statement, '_team');

/** Sets role and team until the end of the transaction. For all teams (undefined), nothing is set. */
export const entryOf = (teamId: string | undefined): TransactionEntry =>
  teamId === undefined
    ? noEntry
    : {
        statements: [
          {
            name: 'enter_team',
            text: `select set_config('role', $1, true), set_config('app.tenant', $2, true)`,
            values: [requestRole, teamId],
            isSilent: true,
          },
        ],
        adapt: inTeam,
      };
