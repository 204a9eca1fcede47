import type { Clock } from '../core/clock.ts';
import type { Vault } from '../core/crypto.ts';
import { signInLimits } from '../core/limits.ts';
import { usualCost, type PasswordCost } from '../core/password.ts';
import type { Database, Tx } from '../db/database.ts';
import type { Plan, TeamStatus } from '../db/generated/enums.ts';
import type { Egress } from '../egress/egress.ts';
import type { EventWaits } from './event-waits.ts';
import type { LargeReads } from './large-reads.ts';
import type { StorageCounter } from './storage-counter.ts';

/** Settings of signing in that tests lower: they sign in thousands of people, and spend the calls of a session. */
export interface SignInSettings {
  /** The cost of a new password hash. */
  readonly passwordCost: PasswordCost;
  /** Refused sign-ins are answered after a multiple of this time. */
  readonly refusalMs: number;
  /** Calls of one session per minute, in a process. */
  readonly callsPerSessionPerMinute: number;
}

export const usualSignIn: SignInSettings = {
  passwordCost: usualCost,
  refusalMs: signInLimits.refusalMilliseconds,
  callsPerSessionPerMinute: signInLimits.callsPerSessionPerMinute,
};

/** The shared parts that all services use. `run/foundation.ts` creates them once. */
export interface Platform {
  readonly database: Database;
  readonly vault: Vault;
  readonly clock: Clock;
  /**
   * The time in signatures, if it differs from `clock`: the sandbox can move its own clock, but not that of the
   * receivers.
   */
  readonly signingClock?: Clock | undefined;
  /** Requests to servers of customers. */
  readonly egress: Egress;
  /** The address at which people and clients reach the service. Links start with it. */
  readonly publicUrl: string;
  /** Where members practise, with a placeholder for the assignment; null if the operator has set no address. */
  readonly practiceUrl: string | null;
  /**
   * When failed deliveries are repeated, and when an endpoint without a success is paused. Both as configured, in
   * seconds.
   */
  readonly deliverySchedule: { readonly retrySeconds: readonly number[]; readonly pauseAfterSeconds: number };
  /** The addresses and ranges from which requests to receivers come; null if the operator has set none. */
  readonly webhookSources: readonly string[] | null;
  /** `triesPerMinute`: how many tries to sign in one address has. */
  readonly signIn: SignInSettings & { readonly triesPerMinute: number };
  /** Days between the end of a team and the deletion of its data. */
  readonly teamDeletionDays: number;
  /** Days for which deletions and other history are kept. */
  readonly retentionDays: number;
  /** Limits the large reads of each team in this process. */
  readonly largeReads: LargeReads;
  /** The requests of this process that wait for events. */
  readonly eventWaits: EventWaits;
  /** Adds the job of an endpoint whose next delivery is due in `inMs` milliseconds. */
  readonly addDeliverJob: (due: { tenantId: string; endpointId: string; inMs: number }) => Promise<void>;
  /** Counts the bytes that the requests of this process store. */
  readonly storage: StorageCounter;
}

/** The actor of a change, for the audit log and for rules that depend on it. */
export type Actor =
  | { readonly kind: 'key'; readonly id: string }
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'operator' }
  /** The service itself, for instance a cleanup job. */
  | { readonly kind: 'service' };

/**
 * The team for which something is done: the tenant of all rows that are read or written. It is created where a request
 * or command enters. Every service takes it as a parameter, so no service can forget the tenant.
 */
export interface Team {
  readonly id: string;
  readonly privacy: { readonly memberDetail: boolean; readonly leaderboard: boolean };
  readonly actor: Actor;
  /** Requests per minute that all keys of the team share. */
  readonly rateLimitPerMin: number;
  readonly requestId: string | null;
  /** The caller's address. Absent for the command line and for the service itself. */
  readonly address?: string | undefined;
  /**
   * The database, the clock and the like are here and not in each signature, because nearly every rule needs them and passes them on.
   */
  readonly platform: Platform;
  /** The transaction around the whole action, if there is one. */
  readonly tx?: Tx;
}

/** Whether a plan includes the API. */
export const hasApi = (plan: Plan): boolean => plan !== 'basic';

/** Whether a team can use the API and gets events. The database function `gate` has the same rule. */
export const apiIsOn = ({ plan, status }: { plan: Plan; status: TeamStatus }): boolean =>
  hasApi(plan) && status === 'active';

/** Runs an action in the transaction around it, or in a new one. */
export const inTransaction = <T>(team: Team, action: (tx: Tx) => Promise<T>): Promise<T> =>
  team.tx ? action(team.tx) : team.platform.database.transaction(action, { group: team.id });

/** The same team with another current time: everything that is done with it gets this time. */
export const teamAt = <Acting extends Team>(team: Acting, time: Date): Acting => ({
  ...team,
  platform: { ...team.platform, clock: { now: () => time } },
});

/** A signed-in person who is an active member of the team. */
export interface Person {
  readonly memberId: string;
  readonly userId: string;
  readonly role: 'owner' | 'admin' | 'member';
  /** Rights beyond the role, which the owner has given. */
  readonly rights: readonly string[];
}

export const allNeeds = ['member', 'admin', 'keys', 'owner'] as const;

/**
 * The audience of a procedure of the app. `member`: everybody in the team. `admin`: the owner and the admins. `keys`:
 * the owner, and admins to whom the owner gave the right to manage keys. `owner`: only the owner.
 */
export type Need = (typeof allNeeds)[number];
