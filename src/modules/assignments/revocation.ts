import type { Tx } from '../../db/database.ts';
import type { Platform, Actor, Team } from '../../platform/team.ts';
import { recordAll } from '../audit/service.ts';
import type { AuditAction } from '../audit/service.ts';
import { actIn } from '../teams/service.ts';
import type { Assignment } from './schema.ts';
import { assignments, revocations } from './store.ts';
import type { MemberKey } from './store.ts';

/**
 * Revoking the assignments of a removed member.
 *
 * Up to a few hundred are rewritten in the transaction that removes the member. More would keep the team locked for seconds, so this
 * transaction only writes a `pending_revocation` and adds a job, which rewrites the assignments in batches. Clients can't tell the two
 * ways apart once the removal is committed:
 *
 *   - every read treats an assignment of such a member as `revoked` (`isRevoked`), even if its row has another status;
 *   - a change first revokes the one assignment like the job (`revokeLocked`) and marks the row, so that the job skips it;
 *   - each assignment gets one entry in the audit log, in the transaction that rewrites its row.
 *
 * A batch and its position are committed together, so after a kill the job continues where it stopped.
 */

type AssignmentStatus = Assignment['status'];

/** A row whose assignment may be revoked although its status does not say so yet. */
interface MayBeRevoked {
  status: AssignmentStatus;
  completed_training_id: string | null;
  revocation_pending: boolean;
}

/** The row with its effective status. */
export const asItIs = <Row extends MayBeRevoked>({ revocation_pending, ...row }: Row) =>
  revocation_pending ? { ...row, status: 'revoked' as const, completed_training_id: null } : row;

interface Revoked {
  id: string;
  from: AssignmentStatus;
}

const entryOf = ({ id, from }: Revoked): AuditAction => ({
  action: 'assignment.changed',
  target: { type: 'assignment', id },
  data: { changed: ['status'], from, to: 'revoked', member_removed: true },
});

const idOf = (actor: Actor): string | null => {
  if (actor.kind === 'key') return actor.id;
  return actor.kind === 'person' ? actor.userId : null;
};

/**
 * Revokes all assignments of a member who is being removed, at once or by a job, and returns how many they are. The team must be locked.
 */
export const revokeAssignmentsOf = async (tx: Tx, team: Team, memberId: string): Promise<number> => {
  const key = { tenantId: team.id, memberId };
  const found = await revocations.countOf(tx, key);
  if (!found || found.count === 0) return 0;
  if (found.few) {
    const revoked = await revocations.revokeAll(tx, key);
    await recordAll(tx, team, revoked.map(entryOf));
    return revoked.length;
  }
  await revocations.insert(tx, {
    ...key,
    actorKind: team.actor.kind,
    actorId: idOf(team.actor),
    requestId: team.requestId,
    removedAt: team.platform.clock.now(),
  });
  await revocations.addJobIn(tx, key);
  return found.count;
};

type Pending = Awaited<ReturnType<typeof revocations.pending>>;

const actorOf = ({ actorKind, actorId }: Pick<Pending, 'actorKind' | 'actorId'>): Actor => {
  if (actorKind === 'key' && actorId !== null) return { kind: 'key', id: actorId };
  if (actorKind === 'person' && actorId !== null) return { kind: 'person', userId: actorId };
  return actorKind === 'operator' ? { kind: 'operator' } : { kind: 'service' };
};

/** The team with the actor of the removal, for the audit log. */
const atRemoval = ({ id, privacy, rateLimitPerMin, platform }: Team, pending: Pending): Team => ({
  id,
  privacy,
  rateLimitPerMin,
  actor: actorOf(pending),
  requestId: pending.requestId,
  platform: { ...platform, clock: { now: () => pending.removedAt } },
});

/** Revokes one assignment, which this transaction has locked, before the job does, so that it can be changed. */
export const revokeLocked = async (
  tx: Tx,
  team: Team,
  { id, member_id, status }: { id: string; member_id: string; status: AssignmentStatus },
): Promise<void> => {
  const revoked = { status: 'revoked', completedTrainingId: null, changedSinceRemoval: true } as const;
  await assignments.update(tx, team.id, id, revoked);
  // It was already revoked, by the job or before the removal.
  if (status === 'revoked') return;
  // The pending revocation still exists: the job ends only after it has locked every assignment of the member.
  const pending = await revocations.pending(tx, { tenantId: team.id, memberId: member_id });
  await recordAll(tx, atRemoval(team, pending), [entryOf({ id, from: status })]);
};

/** Assignments in a batch: a transaction of some tens of milliseconds. */
const batchSize = 1_000;

const beforeAll = '00000000-0000-0000-0000-000000000000';

type PendingMember = MemberKey;

/** Revokes the next batch of a removed member's assignments; false once nothing is left. */
export const revokeNext = async (platform: Platform, member: PendingMember): Promise<boolean> => {
  const { tenantId } = member;
  const team = await actIn(platform, { kind: 'service' }, tenantId);
  return platform.database.transaction(
    async (tx) => {
      // Another worker may run the same job; the lock lets one continue at a time.
      if (!(await revocations.lock(tx, member))) return false;
      const pending = await revocations.pending(tx, member);
      const { doneCreatedAt, doneId } = pending;
      const seen = await revocations.revokeSome(tx, member, {
        doneCreatedAt: doneCreatedAt ?? '-infinity',
        doneId: doneId ?? beforeAll,
        size: batchSize,
      });
      const last = seen.at(-1);
      if (!last) {
        await revocations.remove(tx, member);
        return false;
      }
      await recordAll(tx, atRemoval(team, pending), seen.filter(({ revoked }) => revoked).map(entryOf));
      await revocations.update(tx, member, { doneCreatedAt: new Date(last.created_at), doneId: last.id });
      return true;
    },
    { group: tenantId },
  );
};

/** Adds the job that continues. */
export const addRevocationJob = async ({ database }: Platform, member: PendingMember): Promise<void> => {
  await revocations.addJob(database, member);
};

/** Adds the job of every pending revocation, in case a job was lost. A waiting job is replaced. */
export const addLostRevocationJobs = async ({ database }: Platform): Promise<void> => {
  await revocations.addLostJobs(database);
};
