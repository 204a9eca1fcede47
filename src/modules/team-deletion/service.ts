import { daysToMs, later } from '../../core/clock.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team, Platform } from '../../platform/team.ts';
import { actIn, changeTeam, lockTeam } from '../teams/service.ts';
import { deletions, parts } from './store.ts';

/**
 * The end of a team.
 *
 *   active, suspended ──▶ ended ──TEAM_DELETION_DAYS later, or at once by an operator──▶ being deleted ──▶ (gone)
 *          ▲                │
 *          └────resumed─────┘
 *
 * While it has ended, nothing of the team works, its data is kept, and it can be resumed or exported; its owner is mailed until when. Once
 * its deletion has started, there is no way back. The data goes in batches, each in a transaction of its own that holds the team's row: several
 * processes can work at the same team, and one that is killed leaves the rest to the next.
 */

const lastStep = { people: parts.length, team: parts.length + 1 } as const;

/** A row of the team was added since its table was emptied, by a request that was under way when the team ended. */
const isStillReferredTo = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'P2003' || error.code === '23001' || error.code === '23503');

/** Deletes a batch at a step of the order; undefined once the team is gone. */
const deleteBatch = ({ database }: Platform, tenantId: string, step: number): Promise<number | undefined> =>
  database.transaction(
    async (tx) => {
      const team = await deletions.lock(tx, tenantId);
      if (!team) return undefined;
      if (!team.begun) throw new Error(`the deletion of the team ${tenantId} has not started`);
      const part = parts[step];
      if (part) return deletions.deletePart(tx, part, tenantId);
      if (step === lastStep.people) return deletions.deletePeople(tx, tenantId);
      await deletions.deleteTeam(tx, tenantId);
      return undefined;
    },
    { group: tenantId },
  );

/** Deletes a team's data until the time (of the process's own clock) is over; whether the team is gone. */
export const deleteTeamData = async (
  platform: Platform,
  tenantId: string,
  { until = Infinity, onDeleted }: { until?: number; onDeleted?: (rows: number) => Promise<void> | void } = {},
): Promise<boolean> => {
  let step = 0;
  do {
    try {
      const gone = await deleteBatch(platform, tenantId, step);
      if (gone === undefined) return true;
      if (gone === 0) step += 1;
      else await onDeleted?.(gone);
    } catch (error) {
      if (step !== lastStep.team || !isStillReferredTo(error)) throw error;
      step = 0;
    }
  } while (performance.now() < until);
  return false;
};

/** Adds the job that goes on deleting a team's data. */
export const addDeletionJob = async ({ database }: Platform, tenantId: string): Promise<void> => {
  await deletions.addJobLater(database, tenantId);
};

/**
 * Mails the owners of teams that ended before there was such a mail, and starts the deletion of those that ended long enough ago. A deletion
 * whose job was lost gets another.
 */
export const deleteEndedTeams = async (platform: Platform): Promise<string[]> => {
  const { database, clock, teamDeletionDays } = platform;
  for (const { id } of await deletions.unmailed(database)) {
    await changeTeam(await actIn(platform, { kind: 'service' }, id), { status: 'ended' });
  }
  const now = clock.now();
  const started = await deletions.startOverdue(database, { now, endedBefore: later(now, -daysToMs(teamDeletionDays)) });
  for (const { id } of await deletions.begun(database)) await addDeletionJob(platform, id);
  return started.map(({ id }) => id);
};

/**
 * Ends a team, if it has not ended, and starts its deletion at once: nobody is mailed. The job goes on with it if this process does not.
 */
export const startDeletion = (caller: Team): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const { id, row, platform } = await lockTeam(tx, caller);
    const now = platform.clock.now();
    if (row.deletionStartedAt === null) await deletions.start(tx, id, { now, endedAt: row.endedAt ?? now });
    await deletions.addJob(tx, id);
  });
