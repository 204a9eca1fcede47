import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Actor, Team } from '../../platform/team.ts';
import { recordAll } from '../audit/service.ts';
import type { Deed } from '../audit/service.ts';
import { actIn } from '../teams/service.ts';
import type { Assignment } from './schema.ts';

/**
 * Revoking the assignments of a removed member.
 *
 * A few hundred are rewritten in the transaction that removes the member. More would keep the team locked for seconds: then
 * that transaction only writes a `pending_revocation` and adds a job, which rewrites the assignments in batches. Both ways look
 * the same from outside from the moment the removal is committed:
 *
 *   - every read takes an assignment of such a member for `revoked` (`isRevoked`), whatever its row says;
 *   - a change first revokes that one assignment as the job would (`revokeLocked`) and marks the row: from then on the row
 *     says what is so, and the job leaves it alone;
 *   - each assignment gets one entry in the audit log, in the transaction that rewrites its row.
 *
 * A batch and its position in the list are committed together, so a job that was killed goes on where it stopped.
 */

type AssignmentStatus = Assignment['status'];

/**
 * SQL: whether the assignment `a` is revoked although its row may not say so yet. The table is nearly always empty, and looked
 * at once for a statement.
 */
export const isRevokedIn = (tenantId: string): string =>
  `(a.member_id = any (array(select p.member_id from pending_revocation p where p.tenant_id = ${tenantId})) and not a.changed_since_removal)`;

/** What a row says, and whether its assignment is revoked all the same. */
interface MayBeRevoked {
  status: AssignmentStatus;
  completed_training_id: string | null;
  revocation_pending: boolean;
}

/** The row as it is to be shown. */
export const asItIs = <Row extends MayBeRevoked>({ revocation_pending, ...row }: Row) =>
  revocation_pending ? { ...row, status: 'revoked' as const, completed_training_id: null } : row;

interface Revoked {
  id: string;
  from: AssignmentStatus;
}

const entryOf = ({ id, from }: Revoked): Deed => ({
  action: 'assignment.changed',
  target: { type: 'assignment', id },
  data: { changed: ['status'], from, to: 'revoked', member_removed: true },
});

const countOf = statement<{ count: number; few: boolean }, [tenantId: string, memberId: string]>(
  `select count(*)::int as count, count(*) <= rewritten_at_once() as few
     from assignment where tenant_id = $1 and member_id = $2 and status <> 'revoked'`,
);

const revokeAll = statement<Revoked, [tenantId: string, memberId: string]>(
  `with before as (
     select id, status from assignment
      where tenant_id = $1 and member_id = $2 and status <> 'revoked' for no key update)
   update assignment set status = 'revoked', completed_training_id = null from before
    where assignment.tenant_id = $1 and assignment.id = before.id
   returning assignment.id, before.status::text as "from"`,
);

const addJob = statement<object, [tenantId: string, memberId: string]>(`select add_revocation_job($1, $2)`);

const idOf = (actor: Actor): string | null => {
  if (actor.kind === 'key') return actor.id;
  return actor.kind === 'person' ? actor.userId : null;
};

/** Takes back everything that a member who is removed was given to do, now or by a job; how much it is. The team is locked. */
export const revokeAssignmentsOf = async (tx: Tx, team: Team, memberId: string): Promise<number> => {
  const [found] = await rowsIn(tx, countOf, team.id, memberId);
  if (!found || found.count === 0) return 0;
  if (found.few) {
    const revoked = await rowsIn(tx, revokeAll, team.id, memberId);
    await recordAll(tx, team, revoked.map(entryOf));
    return revoked.length;
  }
  await tx.pendingRevocation.create({
    data: {
      tenantId: team.id,
      memberId,
      actorKind: team.actor.kind,
      actorId: idOf(team.actor),
      requestId: team.requestId,
      removedAt: team.platform.clock.now(),
    },
  });
  await rowsIn(tx, addJob, team.id, memberId);
  return found.count;
};

type Pending = NonNullable<Awaited<ReturnType<Tx['pendingRevocation']['findUnique']>>>;

const actorOf = ({ actorKind, actorId }: Pick<Pending, 'actorKind' | 'actorId'>): Actor => {
  if (actorKind === 'key' && actorId !== null) return { kind: 'key', id: actorId };
  if (actorKind === 'person' && actorId !== null) return { kind: 'person', userId: actorId };
  return actorKind === 'operator' ? { kind: 'operator' } : { kind: 'service' };
};

/** The team as it was when the member was removed, for the audit log. */
const atRemoval = ({ id, privacy, rateLimitPerMin, platform }: Team, pending: Pending): Team => ({
  id,
  privacy,
  rateLimitPerMin,
  actor: actorOf(pending),
  requestId: pending.requestId,
  platform: { ...platform, clock: { now: () => pending.removedAt } },
});

const keyOf = (tenantId: string, memberId: string) => ({ tenantId_memberId: { tenantId, memberId } });

/** Revokes one assignment that this transaction has locked, ahead of the job, so that it can be changed. */
export const revokeLocked = async (
  tx: Tx,
  team: Team,
  { id, member_id, status }: { id: string; member_id: string; status: AssignmentStatus },
): Promise<void> => {
  await tx.assignment.updateMany({
    where: { tenantId: team.id, id },
    data: { status: 'revoked', completedTrainingId: null, changedSinceRemoval: true },
  });
  // The job has revoked it already, or somebody did before the removal.
  if (status === 'revoked') return;
  // It is still there: the job ends only after it had the lock of every assignment of the member.
  const pending = await tx.pendingRevocation.findUniqueOrThrow({ where: keyOf(team.id, member_id) });
  await recordAll(tx, atRemoval(team, pending), [entryOf({ id, from: status })]);
};

/** How many assignments a batch looks at: a transaction of some tens of milliseconds. */
const batchSize = 1_000;

const lockPending = statement<{ member_id: string }, [tenantId: string, memberId: string]>(
  `select member_id from pending_revocation where tenant_id = $1 and member_id = $2 for update`,
);

interface Seen extends Revoked {
  created_at: string;
  revoked: boolean;
}

// The rows come as they are once they are locked. They were all there when the member was removed; none is added since.
const revokeSome = statement<
  Seen,
  [tenantId: string, memberId: string, doneCreatedAt: Date | string, doneId: string, size: number]
>(
  `with batch as materialized (
     select id, created_at, status, changed_since_removal from assignment
      where tenant_id = $1 and member_id = $2 and (created_at, id) > ($3::timestamptz, $4::uuid)
      order by created_at, id limit $5
        for no key update),
   revoked as (
     update assignment set status = 'revoked', completed_training_id = null from batch
      where assignment.tenant_id = $1 and assignment.id = batch.id
        and batch.status <> 'revoked' and not batch.changed_since_removal
     returning assignment.id)
   select batch.id, batch.created_at, batch.status::text as "from", revoked.id is not null as revoked
     from batch left join revoked using (id)
    order by batch.created_at, batch.id`,
);

const beforeAll = '00000000-0000-0000-0000-000000000000';

export interface PendingMember {
  tenantId: string;
  memberId: string;
}

/** Revokes the next batch of a removed member's assignments; false once there is nothing left to do. */
export const revokeNext = async (platform: Platform, { tenantId, memberId }: PendingMember): Promise<boolean> => {
  const team = await actIn(platform, { kind: 'service' }, tenantId);
  return platform.database.transaction(
    async (tx) => {
      // Another worker may be at it: only one goes on at a time.
      const [locked] = await rowsIn(tx, lockPending, tenantId, memberId);
      if (!locked) return false;
      const where = keyOf(tenantId, memberId);
      const pending = await tx.pendingRevocation.findUniqueOrThrow({ where });
      const { doneCreatedAt, doneId } = pending;
      const seen = await rowsIn(
        tx,
        revokeSome,
        tenantId,
        memberId,
        doneCreatedAt ?? '-infinity',
        doneId ?? beforeAll,
        batchSize,
      );
      const last = seen.at(-1);
      if (!last) {
        await tx.pendingRevocation.delete({ where });
        return false;
      }
      await recordAll(tx, atRemoval(team, pending), seen.filter(({ revoked }) => revoked).map(entryOf));
      await tx.pendingRevocation.update({
        where,
        data: { doneCreatedAt: new Date(last.created_at), doneId: last.id },
      });
      return true;
    },
    { group: tenantId },
  );
};

/** Adds the job that goes on with it. */
export const addRevocationJob = async (
  { database }: Platform,
  { tenantId, memberId }: PendingMember,
): Promise<void> => {
  await database.rows(addJob, tenantId, memberId);
};

const addLostJobs = statement<object, []>(
  `select add_revocation_job(tenant_id, member_id) from pending_revocation limit 1000`,
);

/** Adds the job of every pending revocation, in case one gave up: a job that waits already is only replaced. */
export const addLostRevocationJobs = async ({ database }: Platform): Promise<void> => {
  await database.rows(addLostJobs);
};
