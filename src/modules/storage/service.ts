import { later, secondsToMs } from '../../core/clock.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import { UsageKind } from '../../db/generated/enums.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import { counters } from './store.ts';

const mebibytes = 1024 ** 2;
const gibibytes = 1024 ** 3;

/**
 * How many bytes a team may store, by plan. `stored`: its cases, assignments, trainings and evaluations, each with 512
 * bytes in addition to its content. `answers`: the answers that are kept for `Idempotency-Key`, counted in the same
 * way. Requests that add something are refused once the quota is used up; deleting always works.
 */
export const storageQuotas = {
  basic: { stored: 50 * mebibytes, answers: 50 * mebibytes },
  team: { stored: 1 * gibibytes, answers: 1 * gibibytes },
  enterprise: { stored: 10 * gibibytes, answers: 10 * gibibytes },
} as const;

export interface Usage {
  used: number;
  quota: number;
}

const usageIn = ({ plan, usage }: Awaited<ReturnType<typeof counters.read>>, kind: UsageKind): Usage => ({
  used: Number(usage.find((counter) => counter.kind === kind)?.bytes ?? 0),
  quota: storageQuotas[plan][kind],
});

/** About how many bytes a team stores, and the quotas of its plan. */
export const usageOf = async (team: Team): Promise<Record<UsageKind, Usage>> => {
  const row = await counters.read(team);
  return { stored: usageIn(row, 'stored'), answers: usageIn(row, 'answers') };
};

/** Sets the counters of a team to the exact sums of what it stores. */
export const sumUsage = async ({ database, clock }: Platform, tenantId: string): Promise<void> => {
  const summedAt = clock.now();
  const sums = await reports.storedBytes(database, tenantId);
  for (const kind of Object.values(UsageKind)) {
    await counters.set(database, tenantId, kind, { bytes: sums[kind], summedAt });
  }
};

/** A full counter is set to the exact sum once in this time, so that deletions soon make room. */
const sumAgainMs = secondsToMs(60);

/**
 * Whether a team may store more. `stored`: its cases, assignments, trainings and evaluations. `answers`: the answers
 * that are kept for `Idempotency-Key`.
 */
export const hasRoom = async (team: Team, kind: UsageKind): Promise<boolean> => {
  const { id, platform } = team;
  const { database, clock, storage } = platform;
  const known = `${kind} ${id}`;
  if (storage.withRoom.has(known)) return true;
  const isFull = async () => {
    const { used, quota } = usageIn(await counters.read(team), kind);
    return used >= quota;
  };
  if (await isFull()) {
    const now = clock.now();
    const isDue = await counters.claimSum(database, id, kind, { now, before: later(now, -sumAgainMs) });
    if (isDue) await sumUsage(platform, id);
    if (!isDue || (await isFull())) return false;
  }
  storage.withRoom.set(known, true);
  return true;
};

/**
 * Refuses a write of a team whose storage is full. It uses a connection of its own, so call it before a transaction
 * where that is possible.
 */
export const requireRoom = async (team: Team): Promise<void> => {
  if (await hasRoom(team, 'stored')) return;
  fail('validation_error', {
    field: 'storage',
    detail: accessMessages.storageFull,
  });
};
