import { z } from 'zod';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { ListCount } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import type { Person } from '../../platform/team.ts';
import { withItemNames } from '../catalog/service.ts';
import * as schema from './schema.ts';
import {
  changeAssignment,
  createAssignments,
  createAssignmentsEach,
  deleteAssignment,
  moveOwnAssignment,
} from './service.ts';
import { previewReminders, remindedPeople, remindMany } from './reminders.ts';
import {
  countGivenAssignments,
  getGivenAssignment,
  getOwnAssignment,
  holdersAmong,
  listGivenAssignments,
  listOwnAssignments,
} from './progress.ts';

const ownOf = ({ memberId }: Person, { assignment_id: id }: { assignment_id: string }) => ({ id, memberId });

const bulkAction = adminProcedure.input(schema.BulkAssignments).output(BulkResults);
const ownStep = memberProcedure.input(schema.AssignmentPath).output(schema.AssignmentState);

/**
 * Assignments in the app: admins create them, members complete them. These procedures raise no events about
 * assignments, because only changes by keys raise them.
 */
export const assigning = personRouter({
  list: adminProcedure
    .input(schema.GivenAssignmentQuery)
    .output(schema.GivenAssignmentPage)
    .query(({ ctx, input }) =>
      answer(withItemNames(ctx.team, listGivenAssignments(ctx.team, toCamel(input)), ctx.language)),
    ),

  count: adminProcedure
    .input(schema.GivenAssignmentFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countGivenAssignments(ctx.team, toCamel(input))),

  given: adminProcedure
    .input(schema.AssignmentPath)
    .output(schema.GivenAssignment)
    .query(({ ctx, input }) => answer(getGivenAssignment(ctx.team, input.assignment_id))),

  /**
   * Which of these members have or had an assignment of the same situation (revoked ones do not count), and which of
   * them have an unfinished one of the same combination.
   */
  holders: adminProcedure
    .input(schema.HoldersQuery)
    .output(schema.Holders)
    .query(async ({ ctx, input }) => toSnake({ data: await holdersAmong(ctx.team, toCamel(input)) })),

  /** Gives several members the same assignment, all or nothing, and mails them. */
  create: adminProcedure
    .input(schema.NewAssignments)
    .output(schema.GivenAssignments)
    .mutation(({ ctx, input }) => answer(createAssignments(ctx.team, toCamel(input)))),

  /** Creates the assignment for each member separately, as if for this member alone. */
  createMany: adminProcedure
    .input(schema.NewAssignmentsEach)
    .output(schema.GivenEach)
    .mutation(({ ctx, input }) => answer(createAssignmentsEach(ctx.team, toCamel(input)))),

  change: adminProcedure
    .input(schema.AssignmentEdit)
    .output(schema.Assignment)
    .mutation(({ ctx, input }) => {
      const { assignmentId, ...wanted } = toCamel(input);
      return answer(changeAssignment(ctx.team, assignmentId, wanted));
    }),

  remove: adminProcedure
    .input(schema.AssignmentPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteAssignment(ctx.team, input.assignment_id))),

  revokeMany: bulkAction.mutation(({ ctx, input }) =>
    forEachSeparately(input.assignment_ids, (id) => changeAssignment(ctx.team, id, { status: 'revoked' })),
  ),

  /** Opens several revoked assignments again. `status` is the status that they had before. */
  reopenMany: adminProcedure
    .input(schema.BulkReopening)
    .output(BulkResults)
    .mutation(({ ctx, input: { assignment_ids, status } }) =>
      forEachSeparately(assignment_ids, (id) => changeAssignment(ctx.team, id, { status })),
    ),

  previewReminders: adminProcedure
    .input(schema.RemindersQuery)
    .output(schema.ReminderPreview)
    .query(({ ctx, input }) => answer(previewReminders(ctx.team, input.assignment_ids))),

  /** How many active members were reminded in the last 14 days, and how many of them have practised since. */
  reminded: adminProcedure
    .input(z.strictObject({}))
    .output(schema.RemindedPeople)
    .query(({ ctx }) => answer(remindedPeople(ctx.team))),

  remindMany: bulkAction.mutation(({ ctx, input }) => remindMany(ctx.team, input.assignment_ids)),

  setDueDates: adminProcedure
    .input(schema.BulkDueDates)
    .output(BulkResults)
    .mutation(({ ctx, input: { assignment_ids, due_date } }) =>
      forEachSeparately(assignment_ids, (id) => changeAssignment(ctx.team, id, { dueDate: due_date })),
    ),

  removeMany: bulkAction.mutation(({ ctx, input }) =>
    forEachSeparately(input.assignment_ids, (id) => deleteAssignment(ctx.team, id)),
  ),

  mine: memberProcedure
    .input(schema.OwnAssignmentQuery)
    .output(schema.OwnAssignmentPage)
    .query(({ ctx, input }) =>
      answer(withItemNames(ctx.team, listOwnAssignments(ctx.team, ctx.person.memberId, toCamel(input)), ctx.language)),
    ),

  own: memberProcedure
    .input(schema.AssignmentPath)
    .output(schema.OwnAssignment)
    .query(({ ctx, input }) => answer(getOwnAssignment(ctx.team, ownOf(ctx.person, input)))),

  begin: ownStep.mutation(({ ctx, input }) =>
    answer(moveOwnAssignment(ctx.team, ownOf(ctx.person, input), 'in_progress')),
  ),
  finish: ownStep.mutation(({ ctx, input }) => answer(moveOwnAssignment(ctx.team, ownOf(ctx.person, input), 'done'))),
});
