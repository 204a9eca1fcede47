import { newId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { recordStored } from '../audit/service.ts';
import { checkCombination } from '../catalog/service.ts';
import { memberOf } from '../members/membership.ts';
import type { Membership } from '../members/membership.ts';
import { rowBytes, textBytes } from '../storage/service.ts';
import { holdTeam } from '../teams/service.ts';
import { trainings } from '../trainings/store.ts';
import type { HeldTeam } from '../teams/service.ts';
import { raise } from '../../webhooks/outbox.ts';
import { presentAssignment } from './listing.ts';
import { mailRecipients } from './new-assignment-mail.ts';
import type { GivenTo } from './new-assignment-mail.ts';
import type {
  Assignment,
  AssignmentEdit,
  AssignmentState,
  GivenAssignments,
  NewAssignment,
  NewAssignments,
} from './schema.ts';
import { change, lockAssignment, moveOwn } from './states.ts';
import type { Changes, LockedAssignment, Own } from './states.ts';
import { assignments } from './store.ts';

export { getAssignment, listAssignments } from './listing.ts';
export { getOwnAssignment, listGivenAssignments, listOwnAssignments } from './progress.ts';
export { addLostRevocationJobs, addRevocationJob, revokeAssignmentsOf, revokeNext } from './revocation.ts';
export { beginAssignment, completeAssignment, lockAssignmentRow } from './states.ts';
export type { AssignedPractice } from './states.ts';

/** The member, invited or active. They stay so: a membership begins and ends under the team's lock, which is held here. */
const findRecipient = async (tx: Tx, team: Team, memberId: string): Promise<Membership> =>
  (await memberOf(tx, team, memberId)) ?? fail('not_found', { detail: 'member_id names no member of this team.' });

/** Tells of an assignment what the API itself did with it; what people do in the app raises nothing. */
const tell = async (
  tx: Tx,
  team: HeldTeam,
  type: 'assignment.created' | 'assignment.completed',
  { id, status, due_date, completed_training_id, member_user_id }: Assignment,
): Promise<void> => {
  if (team.actor.kind !== 'key') return;
  await raise(tx, team, type, {
    data: { assignment_id: id, status, due_date, completed_training_id },
    personal: member_user_id === null ? {} : { user_id: member_user_id },
  });
};

/** What somebody is to practise, and until when. */
type Practice = Omit<NewAssignment, 'member_id'> & Pick<NewAssignments, 'focus_dimension'>;

/** Gives a member something to practise that their policy and the catalog allow. */
const give = async (
  tx: Tx,
  team: HeldTeam,
  memberId: string,
  { title, note = null, due_date = null, focus_dimension = null, ...combination }: Practice,
): Promise<Assignment> => {
  const recipient = await findRecipient(tx, team, memberId);
  const { situation_id, personality_id, industry_id } = combination;
  await checkCombination(tx, team, memberId, combination);

  const createdAt = team.platform.clock.now();
  const assignment: Assignment = {
    id: newId(),
    status: 'open',
    title,
    situation_id,
    personality_id,
    industry_id,
    member_user_id: recipient.userId,
    member_email: recipient.email,
    note,
    due_date,
    focus_dimension,
    completed_training_id: null,
    created_at: createdAt.toISOString(),
  };
  const { id } = assignment;
  await assignments.insert(tx, {
    tenantId: team.id,
    id,
    memberId,
    title,
    situationId: situation_id,
    personalityId: personality_id,
    industryId: industry_id,
    note,
    dueDate: due_date,
    focusDimension: focus_dimension,
    createdAt,
  });
  await tell(tx, team, 'assignment.created', assignment);
  const created = {
    action: 'assignment.created',
    target: { type: 'assignment', id },
    data: { member_id: memberId, title },
  } as const;
  await recordStored(tx, team, created, rowBytes + textBytes(title, note));
  return assignment;
};

export const createAssignment = (caller: Team, { member_id, ...wanted }: NewAssignment): Promise<Assignment> =>
  inTransaction(caller, async (tx) => give(tx, await holdTeam(tx, caller), member_id, wanted));

/** Gives each of several members the same to practise, all or nothing, and tells them by mail as far as that is allowed. */
export const createAssignments = (caller: Team, { member_ids, ...wanted }: NewAssignments): Promise<GivenAssignments> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    const given: GivenTo[] = [];
    for (const memberId of new Set(member_ids)) {
      given.push({ memberId, assignment: await give(tx, team, memberId, wanted) });
    }
    const unmailed = await mailRecipients(tx, team, given);
    return { data: given.map(({ assignment }) => assignment), unmailed };
  });

/** What a change asks for that is not so already. */
const changesOf = (
  before: LockedAssignment,
  { title, status, note, due_date, focus_dimension }: AssignmentEdit,
): Changes => ({
  ...(title !== undefined && title !== before.title && { title }),
  ...(status !== undefined && status !== before.status && { status }),
  ...(note !== undefined && note !== before.note && { note }),
  ...(due_date !== undefined && due_date !== before.due_date && { due_date }),
  ...(focus_dimension !== undefined && focus_dimension !== before.focus_dimension && { focus_dimension }),
  ...(status !== undefined &&
    status !== 'done' &&
    before.completed_training_id !== null && { completed_training_id: null }),
});

/** Changes an assignment; what is so already is no change. */
export const changeAssignment = (caller: Team, id: string, wanted: AssignmentEdit): Promise<Assignment> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    const before = (await lockAssignment(tx, team, id)) ?? fail('not_found');
    const changes = changesOf(before, wanted);
    const assignment = presentAssignment({ ...before, ...changes, created_at: before.created_at.toISOString() });
    if (Object.keys(changes).length === 0) return assignment;

    await change(tx, team, before, changes);
    if (changes.status === 'done') await tell(tx, team, 'assignment.completed', assignment);
    return assignment;
  });

/** Deletes an assignment; the trainings of it stay and are of none. */
export const deleteAssignment = (caller: Team, id: string): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    const { member_id, title, note, status } = (await lockAssignment(tx, team, id, 'to delete')) ?? fail('not_found');
    await trainings.leaveAssignment(tx, team.id, id);
    await assignments.remove(tx, team.id, id);
    const deleted = {
      action: 'assignment.deleted',
      target: { type: 'assignment', id },
      data: { member_id, title, status },
    } as const;
    await recordStored(tx, team, deleted, -rowBytes - textBytes(title, note));
  });

/** A member says how far they are with one of their assignments. */
export const moveOwnAssignment = (caller: Team, own: Own, to: 'in_progress' | 'done'): Promise<AssignmentState> =>
  inTransaction(caller, async (tx) => {
    const { id, status } = await moveOwn(tx, await holdTeam(tx, caller), own, to);
    return { assignment_id: id, status };
  });
