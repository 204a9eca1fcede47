import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { ListCount } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
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

/**
 * Assignments in the app: admins give them, members complete them. Nothing here raises an event, because the service raises events only
 * for keys.
 */
export const assigning = personRouter({
  list: personProcedure
    .meta({ needs: 'admin', summary: 'Assignments with their members and progress, newest first' })
    .input(GivenAssignmentQuery)
    .output(GivenAssignmentPage)
    .query(({ ctx, input }) => listGivenAssignments(ctx.team, input)),

  count: personProcedure
    .meta({ needs: 'admin', summary: 'How many assignments match these filters' })
    .input(GivenAssignmentFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countGivenAssignments(ctx.team, input)),

  create: personProcedure
    .meta({
      needs: 'admin',
      summary: 'Give each of several members the same to practise, all or nothing, and tell them by mail',
    })
    .input(NewAssignments)
    .output(GivenAssignments)
    .mutation(({ ctx, input }) => createAssignments(ctx.team, input)),

  createMany: personProcedure
    .meta({ needs: 'admin', summary: 'Give each of many members the same to practise, each as if alone' })
    .input(NewAssignmentsEach)
    .output(GivenEach)
    .mutation(({ ctx, input }) => createAssignmentsEach(ctx.team, input)),

  change: personProcedure
    .meta({ needs: 'admin', summary: 'Change an assignment; what is left out stays as it is' })
    .input(AssignmentEdit)
    .output(Assignment)
    .mutation(({ ctx, input: { assignment_id, ...wanted } }) => changeAssignment(ctx.team, assignment_id, wanted)),

  remove: personProcedure
    .meta({ needs: 'admin', summary: 'Delete an assignment; its trainings stay' })
    .input(AssignmentPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteAssignment(ctx.team, input.assignment_id))),

  revokeMany: personProcedure
    .meta({ needs: 'admin', summary: 'Withdraw several assignments, each as if alone' })
    .input(BulkAssignments)
    .output(BulkResults)
    .mutation(({ ctx, input }) =>
      forEachSeparately(input.assignment_ids, (id) => changeAssignment(ctx.team, id, { status: 'revoked' })),
    ),

  removeMany: personProcedure
    .meta({ needs: 'admin', summary: 'Delete several assignments, each as if alone; their trainings stay' })
    .input(BulkAssignments)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.assignment_ids, (id) => deleteAssignment(ctx.team, id))),

  mine: personProcedure
    .meta({ needs: 'member', summary: 'What you were given to practise, newest first' })
    .input(OwnAssignmentQuery)
    .output(OwnAssignmentPage)
    .query(({ ctx, input }) => listOwnAssignments(ctx.team, ctx.person.memberId, input)),

  own: personProcedure
    .meta({ needs: 'member', summary: 'One of the things that you were given to practise' })
    .input(AssignmentPath)
    .output(OwnAssignment)
    .query(({ ctx, input }) => getOwnAssignment(ctx.team, ownOf(ctx.person, input))),

  begin: personProcedure
    .meta({ needs: 'member', summary: 'Start one of your assignments' })
    .input(AssignmentPath)
    .output(AssignmentState)
    .mutation(({ ctx, input }) => moveOwnAssignment(ctx.team, ownOf(ctx.person, input), 'in_progress')),

  finish: personProcedure
    .meta({ needs: 'member', summary: 'Say that one of your assignments is done' })
    .input(AssignmentPath)
    .output(AssignmentState)
    .mutation(({ ctx, input }) => moveOwnAssignment(ctx.team, ownOf(ctx.person, input), 'done')),
});
