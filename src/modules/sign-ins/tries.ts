import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../core/crypto.ts';
import { signInLimits } from '../../core/limits.ts';
import type { Message } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { actIn } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import type { TeamOfPerson } from '../reporting/store.ts';
import { windows } from '../windows/store.ts';
import { teamsOf } from './visitor.ts';

// Limits of tries. Tries are counted in the database, so that all processes share a limit. This file also has the
// follow-up of refused and failed tries: the audit entry of a lock, and the delay that hides whether an account exists.

export interface TrySubject {
  /** The kind of try. */
  what: string;
  /** The person, browser, address or link whose tries are counted; stored as a hash. */
  whom: string;
}

interface TryWindow extends TrySubject {
  seconds: number;
}

export const subjectOf = ({ what, whom }: TrySubject): string =>
  `${what} ${sha256(whom).toString('base64url').slice(0, 22)}`;

const count = (database: Database, { seconds, ...subject }: TryWindow) =>
  windows.count(database, { subject: subjectOf(subject), seconds });

interface TryBudget extends TryWindow {
  max: number;
  /** The `detail` of the refusal. */
  detail?: Message;
  /** Runs when a try is refused. `first` is true for the first refusal of a window. */
  onRefused?: (first: boolean) => Promise<void> | void;
}

/** Counts a try before its outcome is known, and throws 429 if there were too many. */
export const spendTry = async (
  database: Database,
  { max, detail, onRefused, ...counted }: TryBudget,
): Promise<void> => {
  const { used, wait } = await count(database, counted);
  if (used <= max) return;
  await onRefused?.(used === max + 1);
  fail('rate_limited', { retry_after: wait, ...(detail && { detail }) });
};

/** Starts the count again after a success. */
export const deleteTries = async (database: Database, subject: TrySubject): Promise<void> => {
  await windows.remove(database, subjectOf(subject));
};

/**
 * Whether this happens for the first time within these seconds. With it, a lock is noted once an hour, and each code,
 * each answer to a challenge and each answer of a provider counts only once.
 */
export const isFirst = async (database: Database, subject: TryWindow): Promise<boolean> =>
  (await count(database, subject)).used === 1;

/** How long a code of an authenticator app is accepted. */
const codeSeconds = 90;

/** Whether this code of an authenticator app is used for the first time. */
export const isFirstUseOfCode = (database: Database, personId: string, code: string): Promise<boolean> =>
  isFirst(database, { what: 'code of', whom: `${personId} ${code}`, seconds: codeSeconds });

type AuditedEvent = 'sign_in.locked' | 'second_factor.locked' | 'passkey.added' | 'passkey.removed' | 'password.reset';

interface AuditedSignIn {
  action: AuditedEvent;
  teams: readonly TeamOfPerson[];
  byThemselves: boolean;
  /** The network address of the visitor. */
  address: string;
}

/** Writes an event of a person's sign-in into the audit log of each of their teams. */
export const auditInTeams = async (
  tx: Tx,
  platform: Platform,
  { action, teams, byThemselves, address }: AuditedSignIn,
): Promise<void> => {
  for (const { tenantId, memberId, userId } of teams) {
    const actor = byThemselves ? ({ kind: 'person', userId } as const) : ({ kind: 'service' } as const);
    const team = await actIn(platform, actor, tenantId, tx);
    record(tx, { ...team, address }, { action, target: { type: 'member', id: memberId } });
  }
};

/**
 * Writes into the audit logs that a person's sign-in is locked for a while. Each kind of lock is written at most once
 * an hour, so that an attack of several days does not fill the log.
 */
export const auditLock = async (
  platform: Platform,
  action: 'sign_in.locked' | 'second_factor.locked',
  { personId, address }: { personId: string; address: string },
): Promise<void> => {
  const { database } = platform;
  const seconds = signInLimits.lockNotedSeconds;
  if (!(await isFirst(database, { what: 'noted', whom: `${action} ${personId}`, seconds }))) return;
  const teams = await teamsOf(platform, personId);
  await database.transaction((tx) => auditInTeams(tx, platform, { action, teams, byThemselves: false, address }));
};

/**
 * Delays every answer, or only refusals, to the next full step of time. Otherwise its duration would show whether the
 * account exists, or how its password is hashed.
 */
export const hideDuration = async <T>(
  { signIn: { refusalMs } }: Platform,
  which: 'always' | 'refusals',
  action: () => Promise<T>,
): Promise<T> => {
  const startedAt = performance.now();
  const untilStep = () => sleep(refusalMs - ((performance.now() - startedAt) % refusalMs));
  try {
    const done = await action();
    if (which === 'always') await untilStep();
    return done;
  } catch (error) {
    await untilStep();
    throw error;
  }
};
