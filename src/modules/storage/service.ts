import { later, secondsToMs } from '../../core/clock.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import { storageQuotas } from '../../core/limits.ts';
import { UsageKind } from '../../db/generated/enums.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import { counters } from './store.ts';

export interface StorageUsage {
  used: number;
  quota: number;
}

const usageIn = ({ plan, usage }: Awaited<ReturnType<typeof counters.read>>, kind: UsageKind): StorageUsage => ({
  used: Number(usage.find((counter) => counter.kind === kind)?.bytes ?? 0),
  quota: storageQuotas[plan][kind],
});

/** About how many bytes a team stores, and the quotas of its plan. */
export const usageOf = async (team: Team): Promise<Record<UsageKind, StorageUsage>> => {
  const row = await counters.read(team);
  return { stored: usageIn(row, 'stored'), answers: usageIn(row, 'answers') };
};

/** Sets the counters of a team to the exact sums of its stored bytes. */
export const sumUsage = async ({ database, clock }: Platform, tenantId: string): Promise<void> => {
  const summedAt = clock.now();
  const sums = await reports.storedBytes(database, tenantId);
  for (const kind of Object.values(UsageKind)) {
    await counters.set(database, tenantId, kind, { bytes: sums[kind], summedAt });
  }
};

/** A full counter is set to the exact sum at most once in this time, so that deletions soon make room. */
const sumAgainMs = secondsToMs(60);

const isFull = async (team: Team, kind: UsageKind): Promise<boolean> => {
  const { used, quota } = usageIn(await counters.read(team), kind);
  return used >= quota;
};

const nameOf = ({ id }: Team, kind: UsageKind): string => `${kind} ${id}`;

/** Whether a team may store more. */
export const hasRoom = async (team: Team, kind: UsageKind): Promise<boolean> => {
  const { withRoom } = team.platform.storage;
  if (withRoom.has(nameOf(team, kind))) return true;
  if (await isFull(team, kind)) return false;
  withRoom.set(nameOf(team, kind), true);
  return true;
};

/**
 * If a team has no room, sets its counters to the exact sums. This takes a while and uses another connection, so it
 * must run before a transaction.
 */
export const sumIfFull = async (team: Team, kind: UsageKind): Promise<void> => {
  if (await hasRoom(team, kind)) return;
  const { database, clock } = team.platform;
  const now = clock.now();
  const isDue = await counters.claimSum(database, team.id, kind, { now, before: later(now, -sumAgainMs) });
  if (isDue) await sumUsage(team.platform, team.id);
};

/** Refuses a write of a team whose storage is full. */
export const requireRoom = async (team: Team): Promise<void> => {
  if (team.tx === undefined) await sumIfFull(team, 'stored');
  if (await hasRoom(team, 'stored')) return;
  fail('validation_error', {
    field: 'storage',
    detail: accessMessages.storageFull,
  });
};
