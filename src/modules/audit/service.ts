import { newId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Actor, Team } from '../../platform/team.ts';
import type { Action, TargetType } from './actions.ts';
import { entryData } from './entry-data.ts';
import { entries } from './store.ts';
import type { NewEntry } from './store.ts';

export { urlInEntry } from './entry-data.ts';
export { listEntries } from './listing.ts';

/** Something that was done, for the audit log. */
export interface AuditAction {
  /** Its name, as `thing.done`. */
  action: Action;
  target: { type: TargetType; id: string };
  /** What changed; never a secret. Long texts and lists are shortened as the entry is written. */
  data?: Prisma.InputJsonObject;
}

const actorId = (actor: Actor): string | null => {
  if (actor.kind === 'key') return actor.id;
  return actor.kind === 'person' ? actor.userId : null;
};

const rowOf = (team: Team, { action, target, data = {} }: AuditAction): NewEntry => ({
  tenantId: team.id,
  id: newId(),
  actorKind: team.actor.kind,
  actorId: actorId(team.actor),
  action,
  targetType: target.type,
  targetId: target.id,
  data: entryData(data),
  requestId: team.requestId,
  createdAt: team.platform.clock.now(),
});

/** Writes into the team's audit log what is done in this transaction, whoever does it and whichever way. */
export const record = async (tx: Tx, team: Team, action: AuditAction): Promise<void> => {
  await entries.insert(tx, rowOf(team, action));
};

/**
 * The same for an action after which the team stores more or less, by so many bytes. Refused where that exceeds its quota. To be called last
 * in a transaction: from here to the commit no other of the team can count.
 */
export const recordStored = async (tx: Tx, team: Team, action: AuditAction, bytes: number): Promise<void> => {
  if (bytes === 0) return record(tx, team, action);
  if (!(await entries.insertCounted(tx, rowOf(team, action), bytes))) {
    fail('validation_error', {
      field: 'storage',
      detail: 'The team has used up the storage of its plan. Delete cases or assignments, or move to a larger plan.',
    });
  }
};

/** The same for many things that are done at once. */
export const recordAll = async (tx: Tx, team: Team, actions: readonly AuditAction[]): Promise<void> => {
  const [first, ...rest] = actions.map((action) => rowOf(team, action));
  if (first) await entries.insertAll(tx, [first, ...rest]);
};
