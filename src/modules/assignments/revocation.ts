import { z } from 'zod';
import type { Tx } from '../../db/database.ts';
import type { AssignmentStatus } from '../../db/generated/enums.ts';
import { ActorKind } from '../../db/generated/enums.ts';
import { jobs, rewritingJob } from '../../platform/jobs.ts';
import type { Platform, Actor, Team } from '../../platform/team.ts';
import { actorId, recordAll } from '../audit/service.ts';
import type { AuditAction } from '../audit/service.ts';
import { actIn } from '../teams/service.ts';
import { assignments, revocations } from './store.ts';
import type { AssignmentRow } from './store.ts';

/**
 * Revoking the assignments of a removed member.
 *
 * An assignment of a former member is revoked, whatever its row says, unless it was changed since (`isRevokedByRemoval`). Its row and the
 * audit log follow in batches: the first in the transaction of the removal, the others by a job, so that the team's lock is held briefly.
 * Each assignment gets one entry in the audit log, in the transaction that rewrites its row.
 */

/** Whether the assignment is revoked because its member was removed. */
export const isRevokedByRemoval = ({ member, changedSinceRemoval }: AssignmentRow): boolean =>
  member.status === 'ended' && !changedSinceRemoval;

const entryOf = (id: string, from: AssignmentStatus): AuditAction => ({
  action: 'assignment.changed',
  target: { type: 'assignment', id },
  data: { changed: ['status'], from, to: 'revoked', member_removed: true },
});

/** Assignments in a batch: a transaction of some tens of milliseconds. */
const batchSize = 500;

interface Removal {
  memberId: string;
  /** The batches before have revoked all that are older. */
  since?: string | undefined;
}

/** Revokes the next assignments of a removed member. Returns where the next batch begins; undefined if there is none. */
const revokeSome = async (tx: Tx, team: Team, { memberId, since }: Removal): Promise<string | undefined> => {
  const found = await revocations.next(tx, team.id, memberId, { since, most: batchSize });
  for (const [from, rows] of Map.groupBy(found, (row) => row.status)) {
    const ids = rows.map(({ id }) => id);
    const revoked = await revocations.revoke(tx, team.id, from, ids);
    await recordAll(
      tx,
      team,
      revoked.map(({ id }) => entryOf(id, from)),
    );
  }
  return found.length < batchSize ? undefined : found.at(-1)?.createdAt.toISOString();
};

/** The payload of the job that continues. The audit entries have the actor, the request and the time of the removal. */
export const RevocationJob = z.object({
  tenantId: z.uuid(),
  memberId: z.uuid(),
  since: z.iso.datetime(),
  actorKind: z.enum(ActorKind),
  actorId: z.string().nullable(),
  requestId: z.uuid().nullable(),
  removedAt: z.iso.datetime(),
});
export type RevocationJob = z.output<typeof RevocationJob>;

export const revocationJob = (job: RevocationJob) =>
  rewritingJob('revoke_assignments', job, `${job.tenantId} ${job.memberId}`);

/** Revokes the assignments of a member who was just removed, and returns how many they are. The team must be locked. */
export const revokeAssignmentsOf = async (tx: Tx, team: Team, memberId: string): Promise<number> => {
  const count = await revocations.count(tx, team.id, memberId);
  const since = await revokeSome(tx, team, { memberId });
  if (since !== undefined) {
    const { kind: actorKind } = team.actor;
    const by = { actorKind, actorId: actorId(team.actor), requestId: team.requestId };
    const removedAt = team.platform.clock.now().toISOString();
    await jobs.add(tx, revocationJob({ tenantId: team.id, memberId, since, ...by, removedAt }));
  }
  return count;
};

const actorOf = ({ actorKind, actorId: id }: RevocationJob): Actor => {
  if (actorKind === 'key' && id !== null) return { kind: 'key', id };
  if (actorKind === 'person' && id !== null) return { kind: 'person', userId: id };
  return actorKind === 'operator' ? { kind: 'operator' } : { kind: 'service' };
};

/** Revokes the next batch of a removed member's assignments. Returns the job that continues; false once nothing is left. */
export const revokeNext = async (platform: Platform, job: RevocationJob): Promise<RevocationJob | false> => {
  const clock = { now: () => new Date(job.removedAt) };
  const team = await actIn({ ...platform, clock }, actorOf(job), job.tenantId);
  const since = await platform.database.transaction(
    (tx) => revokeSome(tx, { ...team, requestId: job.requestId }, job),
    { group: job.tenantId },
  );
  return since !== undefined && { ...job, since };
};

/**
 * Writes the revocation of an assignment that this transaction has locked and is about to change. If the job has not reached it yet, the
 * entry in the audit log is one of the service.
 */
export const revokeLocked = async (tx: Tx, team: Team, { id, status }: AssignmentRow): Promise<void> => {
  const revoked = { status: 'revoked', completedTrainingId: null, changedSinceRemoval: true } as const;
  await assignments.update(tx, team.id, id, revoked);
  if (status === 'revoked') return;
  await recordAll(tx, { ...team, actor: { kind: 'service' }, requestId: null }, [entryOf(id, status)]);
};
