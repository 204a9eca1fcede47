import { z } from 'zod';
import { daysToMs, later } from '../../core/clock.ts';
import { onEach } from '../../db/parts.ts';
import type { Team, Platform } from '../../platform/team.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import { jobs, rewritingTask, stepsAtMostMs } from '../../platform/jobs.ts';
import { deletions, parts } from './store.ts';

/**
 * The end of a team.
 *
 *   active, suspended ──▶ ended ──TEAM_DELETION_DAYS later, or at once by an operator──▶ being deleted ──▶ (gone)
 *          ▲                │
 *          └────resumed─────┘
 *
 * Once a team has ended, nobody can use it. For TEAM_DELETION_DAYS its data is kept, and it can be resumed or exported;
 * the mail to the owner names the last day. After the deletion has started, the team can't be resumed. The data is
 * deleted in batches, each in its own transaction under the lock of the team's row. Several processes can delete the
 * same team, and if one is killed, the next one continues.
 */

const lastStep = { people: parts.length, team: parts.length + 1 } as const;

/**
 * Whether a row still refers to the team. A request that was running when the team ended may have added it after its
 * table was emptied.
 */
const isStillReferredTo = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'P2003' || error.code === '23001' || error.code === '23503');

/** Deletes a batch of a step. Returns undefined if the team no longer exists. */
const deleteBatch = async ({ database }: Platform, tenantId: string, step: number): Promise<number | undefined> => {
  if (step === lastStep.team) {
    const deleteTraces = () => database.transaction((tx) => deletions.deleteTraces(tx, tenantId));
    await onEach(database.parts.all(), deleteTraces);
  }
  return database.transaction(
    async (tx) => {
      const team = await deletions.lock(tx, tenantId);
      if (!team) return undefined;
      if (team.deletionStartedAt === null) throw new Error(`the deletion of the team ${tenantId} has not started`);
      const part = parts[step];
      if (part) return part(tx, tenantId);
      if (step === lastStep.people) return deletions.deletePeople(tx, tenantId);
      await deletions.deleteTeam(tx, tenantId);
      return undefined;
    },
    { group: tenantId },
  );
};

/** Deletes a team's data until `until` (`performance.now()`). Returns whether the team is completely deleted. */
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

export const teamDeletion = rewritingTask({
  name: 'delete_team',
  payload: z.object({ tenantId: z.uuid() }),
  next: async (platform, { tenantId }) =>
    !(await deleteTeamData(platform, tenantId, { until: performance.now() + stepsAtMostMs })),
});

/** Starts the deletion of teams that ended long enough ago, and adds the jobs of unfinished deletions again. */
export const deleteEndedTeams = async ({ database, clock, teamDeletionDays }: Platform): Promise<string[]> => {
  const now = clock.now();
  const started = await deletions.startOverdue(database, { now, endedBefore: later(now, -daysToMs(teamDeletionDays)) });
  await jobs.add(database, ...(await deletions.begun(database)).map(({ id }) => teamDeletion.job({ tenantId: id })));
  return started.map(({ id }) => id);
};

/**
 * Ends a team, if it has not ended, and starts its deletion at once, without a mail. The job continues the deletion if
 * this process does not.
 */
export const startDeletion = (caller: Team): Promise<void> =>
  inLockedTeam(caller, async (tx, { id, row, platform }) => {
    const now = platform.clock.now();
    if (row.deletionStartedAt === null) await deletions.start(tx, id, { now, endedAt: row.endedAt ?? now });
    await jobs.add(tx, teamDeletion.job({ tenantId: id }));
  });
