import { exampleIds } from '../../core/example-ids.ts';
import { limits } from '../../core/limits.ts';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { furtherRequests, problemResult } from '../../platform/bulk.ts';
import { ListExportQuery, listExportOf, readListExport } from '../../platform/list-exports.ts';
import { Done, done, doneAfter } from '../../platform/values.ts';
import { exportRoute } from '../../platform/trpc/export-route.ts';
import { apiKeyProcedure, claimingStream, keyRouter, route } from '../../platform/trpc/procedures.ts';
import * as schema from './schema.ts';
import {
  changeAssignment,
  createAssignment,
  createAssignmentOfEach,
  deleteAssignment,
  getAssignment,
  listAssignments,
} from './service.ts';

const wanted = {
  title: 'Price talk with a sceptical buyer',
  situation_id: exampleIds.situation,
  personality_id: exampleIds.personality,
  industry_id: exampleIds.industry,
  note: 'Name the price before you defend it.',
  due_date: '2026-12-04',
} as const;

const example = {
  id: exampleIds.assignment,
  status: 'open',
  ...wanted,
  member_user_id: exampleIds.user,
  member_email: 'mia.berg@example.com',
  focus_dimension: null,
  completed_training_id: null,
  created_at: '2026-11-20T08:30:00.000Z',
  updated_at: '2026-11-20T08:30:00.000Z',
} as const;

const path = { assignment_id: example.id };

export const assignments = keyRouter({
  list: apiKeyProcedure
    .meta(
      route('GET /assignments', {
        operationId: 'listAssignments',
        scope: 'assignments:read',
        privacy: 'member-detail',
        summary: 'List assignments',
        description:
          'The team’s assignments, newest first. Assignments of former members are `revoked` and stay listed. With `updated_since`, only assignments that changed since, in the order of their changes.',
        example: { input: { limit: 50 }, output: { data: [example], next_cursor: null } },
      }),
    )
    .input(schema.AssignmentQuery)
    .output(schema.AssignmentPage)
    .query(({ ctx, input }) => answer(listAssignments(ctx.team, toCamel(input)))),

  create: apiKeyProcedure
    .meta(
      route('POST /assignments', {
        operationId: 'createAssignment',
        scope: 'assignments:write',
        status: 201,
        located: true,
        errors: ['not_found', 'vorgabe_gesperrt', 'kombination_ungueltig'],
        summary: 'Create an assignment',
        description:
          'Gives a member, invited or active, something to practise and raises `assignment.created`. The combination is checked against the catalog and the policies of the team and of the member.',
        example: {
          input: { member_id: exampleIds.member, ...wanted },
          output: example,
        },
      }),
    )
    .input(schema.NewAssignment)
    .output(schema.Assignment)
    .mutation(({ ctx, input }) => ctx.once((team) => answer(createAssignment(team, toCamel(input))))),

  createMany: apiKeyProcedure
    .meta(
      route('POST /assignments/bulk', {
        operationId: 'createAssignments',
        scope: 'assignments:write',
        itemsIn: 'items',
        summary: 'Create several assignments',
        description: `Creates up to ${limits.itemsInRequest} assignments, each as \`POST /assignments\` would: a refused item has the \`problem\` in its result and does not stop the others, so the answer is 200 even if none was created. The call counts as one request for each ${limits.itemsCountedAsRequest} items begun; if a budget has fewer requests left, nothing is created. An \`Idempotency-Key\` applies to all items together.`,
        example: {
          input: {
            items: [
              { member_id: exampleIds.member, ...wanted },
              { member_id: exampleIds.otherMember, ...wanted },
            ],
          },
          output: {
            results: [
              { status: 201, assignment: example },
              {
                status: 404,
                problem: {
                  type: 'https://training.example.com/developers/errors#not_found',
                  title: 'Not found',
                  status: 404,
                  code: 'not_found',
                  request_id: '6f1c2f0e-6a52-4a5e-9a53-0f6f4d1f9a01',
                  detail: 'The member is not in this team.',
                },
              },
            ],
          },
        },
      }),
    )
    .input(schema.ItemsOfAssignments)
    .output(schema.CreatedAssignments)
    .mutation(async ({ ctx, input: { items } }) => {
      await ctx.countFurther?.(furtherRequests(items.length));
      return ctx.once(async (team) => {
        const outcomes = await createAssignmentOfEach(team, items);
        return {
          results: outcomes.map((outcome) =>
            'made' in outcome
              ? { status: 201, assignment: toSnake(outcome.made) }
              : problemResult(team, ctx.language, outcome.problem),
          ),
        };
      });
    }),

  get: apiKeyProcedure
    .meta(
      route('GET /assignments/{assignment_id}', {
        operationId: 'getAssignment',
        scope: 'assignments:read',
        privacy: 'member-detail',
        summary: 'Read an assignment',
        description: 'One assignment, whatever its status.',
        example: { input: path, output: example },
      }),
    )
    .input(schema.AssignmentPath)
    .output(schema.Assignment)
    .query(({ ctx, input }) => answer(getAssignment(ctx.team, input.assignment_id))),

  change: apiKeyProcedure
    .meta(
      route('PATCH /assignments/{assignment_id}', {
        operationId: 'updateAssignment',
        scope: 'assignments:write',
        summary: 'Change an assignment',
        description:
          'Changes status, note and due date; fields that are left out stay as they are. A change to `done` raises `assignment.completed`; a change from `done` to another status sets `completed_training_id` to null.',
        example: { input: { ...path, status: 'done' }, output: { ...example, status: 'done' } },
      }),
    )
    .input(schema.AssignmentChange)
    .output(schema.Assignment)
    .mutation(({ ctx, input }) => {
      const { assignmentId, ...wanted } = toCamel(input);
      return answer(changeAssignment(ctx.team, assignmentId, wanted));
    }),

  remove: apiKeyProcedure
    .meta(
      route('DELETE /assignments/{assignment_id}', {
        operationId: 'deleteAssignment',
        scope: 'assignments:write',
        summary: 'Delete an assignment',
        description: 'Its trainings stay; their `assignment_id` becomes null.',
        example: { input: path, output: done },
      }),
    )
    .input(schema.AssignmentPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteAssignment(ctx.team, input.assignment_id))),

  export: apiKeyProcedure
    .meta(
      exportRoute('assignments', {
        operationId: 'exportAssignments',
        list: '/assignments',
        scope: 'assignments:read',
        privacy: 'member-detail',
        example,
      }),
    )
    .input(ListExportQuery)
    .output(listExportOf(schema.Assignment))
    .use(claimingStream)
    .query(({ ctx: { team }, input }) =>
      answer(readListExport(team, 'assignments', toCamel(input), (query) => listAssignments(team, query))),
    ),
});
