import { trainingMessages } from '../../core/messages/trainings.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { deleteOldRows, firstKept, type Retention } from '../../db/retention.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { teamIds } from '../../platform/team-row.ts';
import { deletionResources, type DeletionQuery, type DeletionResource } from './schema.ts';
import { deletionList, deletions } from './store.ts';

// Ids of deleted rows. Programs that keep a copy of a list read them here, and delete these rows from the copy.

/** Keeps the ids of rows that are being deleted. It belongs in the transaction that deletes them. */
export const noteDeleted = async (
  tx: Tx,
  { id: tenantId }: Pick<Team, 'id'>,
  resource: DeletionResource,
  ids: readonly string[],
  now: Date,
): Promise<void> => {
  await deletions.insert(tx, tenantId, resource, ids, now);
};

/** The deletions from a list, the oldest first. */
export const listDeletions = (team: Team, { resource, since, ...query }: DeletionQuery) => {
  const { clock, retentionDays } = team.platform;
  if (since && since < firstKept(clock, retentionDays)) {
    fail('validation_error', { field: 'since', detail: trainingMessages.deletionsGone(retentionDays) });
  }
  return deletionList(team, query, { resource, since: since?.toISOString() });
};

/** Deletes the ids of rows that were deleted long ago. */
export const deleteOldDeletions = async ({ database, clock }: Platform, { days, until }: Retention): Promise<void> => {
  const before = firstKept(clock, days);
  for (const tenantId of await teamIds(database)) {
    for (const resource of deletionResources) {
      await deleteOldRows(until, (limit) => deletions.deleteOld(database, { tenantId, resource, before }, limit));
    }
  }
};
