import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { ListCount } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import type { Person } from '../../platform/team.ts';
import {
  Assignment,
  AssignmentEdit,
  GivenAssignments,
  AssignmentPath,
  AssignmentState,
  BulkAssignments,
  GivenAssignmentFilters,
  GivenAssignmentPage,
  GivenAssignmentQuery,
  GivenEach,
  NewAssignments,
  NewAssignmentsEach,
  OwnAssignment,
  OwnAssignmentPage,
  OwnAssignmentQuery,
} from './schema.ts';
import {
  changeAssignment,
  createAssignments,
  createAssignmentsEach,
  deleteAssignment,
  moveOwnAssignment,
} from './service.ts';
import { countGivenAssignments, getOwnAssignment, listGivenAssignments, listOwnAssignments } from './progress.ts';

const ownOf = ({ memberId }: Person, { assignment_id: id }: { assignment_id: string }) => ({ id, memberId });

const bulkAction = adminProcedure.input(BulkAssignments).output(BulkResults);
const ownStep = memberProcedure.input(AssignmentPath).output(AssignmentState);

/**
 * Assignments in the app: admins give them, members complete them. Nothing here raises an event, because the service raises events only
 * for keys.
 */
export const assigning = personRouter({
  list: adminProcedure
    .input(GivenAssignmentQuery)
    .output(GivenAssignmentPage)
    .query(({ ctx, input }) => listGivenAssignments(ctx.team, input)),

  count: adminProcedure
    .input(GivenAssignmentFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countGivenAssignments(ctx.team, input)),

  /** Give each of several members the same to practise, all or nothing, and tell them by mail. */
  create: adminProcedure
    .input(NewAssignments)
    .output(GivenAssignments)
    .mutation(({ ctx, input }) => createAssignments(ctx.team, input)),

  createMany: adminProcedure
    .input(NewAssignmentsEach)
    .output(GivenEach)
    .mutation(({ ctx, input }) => createAssignmentsEach(ctx.team, input)),

  change: adminProcedure
    .input(AssignmentEdit)
    .output(Assignment)
    .mutation(({ ctx, input: { assignment_id, ...wanted } }) => changeAssignment(ctx.team, assignment_id, wanted)),

  remove: adminProcedure
    .input(AssignmentPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteAssignment(ctx.team, input.assignment_id))),

  revokeMany: bulkAction.mutation(({ ctx, input }) =>
    forEachSeparately(input.assignment_ids, (id) => changeAssignment(ctx.team, id, { status: 'revoked' })),
  ),

  removeMany: bulkAction.mutation(({ ctx, input }) =>
    forEachSeparately(input.assignment_ids, (id) => deleteAssignment(ctx.team, id)),
  ),

  mine: memberProcedure
    .input(OwnAssignmentQuery)
    .output(OwnAssignmentPage)
    .query(({ ctx, input }) => listOwnAssignments(ctx.team, ctx.person.memberId, input)),

  own: memberProcedure
    .input(AssignmentPath)
    .output(OwnAssignment)
    .query(({ ctx, input }) => getOwnAssignment(ctx.team, ownOf(ctx.person, input))),

  begin: ownStep.mutation(({ ctx, input }) => moveOwnAssignment(ctx.team, ownOf(ctx.person, input), 'in_progress')),
  finish: ownStep.mutation(({ ctx, input }) => moveOwnAssignment(ctx.team, ownOf(ctx.person, input), 'done')),
});
