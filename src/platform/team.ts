import type { Tx } from '../db/database.ts';
import type { Platform } from './platform.ts';

/** Who does something, for the audit log and for rules that ask who may. */
export type Actor =
  | { readonly kind: 'key'; readonly id: string }
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'operator' }
  /** The service itself, for instance a sweep. */
  | { readonly kind: 'service' };

/**
 * The team on whose behalf something happens: the tenant of every row that is read or written. It is made where a request
 * or command enters and can't be left out, so no rule ever asks for a tenant by itself.
 */
export interface Team {
  readonly id: string;
  readonly privacy: { readonly memberDetail: boolean; readonly leaderboard: boolean };
  readonly actor: Actor;
  /** Requests a minute that all keys of the team share. */
  readonly rateLimitPerMin: number;
  readonly requestId: string | null;
  readonly platform: Platform;
  /** The transaction that is already open around the whole action, if there is one. */
  readonly tx?: Tx;
}

/** All or nothing: within the transaction that is open around the action, or in one of its own. */
export const inTransaction = <T>(team: Team, action: (tx: Tx) => Promise<T>): Promise<T> =>
  team.tx ? action(team.tx) : team.platform.database.transaction(action, { group: team.id });

/** The team at another time: what is done with it is dated then. */
export const teamAt = (team: Team, time: Date): Team => ({
  ...team,
  platform: { ...team.platform, clock: { now: () => time } },
});
