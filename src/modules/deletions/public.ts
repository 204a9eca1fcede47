import { exampleIds } from '../../core/example-ids.ts';
import { answer } from '../../core/spelling.ts';
import { apiKeyProcedure, keyRouter, route } from '../../platform/trpc/procedures.ts';
import { DeletionPage, DeletionQuery } from './schema.ts';
import { listDeletions } from './service.ts';

/** For each list, the scope and privacy of its `GET`. The deletions of the list need the same. */
const needs = {
  users: { scope: 'users:read' },
  trainings: { scope: 'trainings:read', privacy: 'member-detail' },
  assignments: { scope: 'assignments:read', privacy: 'member-detail' },
  cases: { scope: 'cases:read', privacy: 'member-detail' },
  deals: { scope: 'cases:read' },
  objections: { scope: 'cases:read' },
} as const;

export const deletions = keyRouter({
  list: apiKeyProcedure
    .meta(
      route('GET /deletions', {
        operationId: 'listDeletions',
        scope: null,
        needsBy: { parameter: 'resource', needs },
        summary: 'List deletions',
        description:
          'The ids of rows that are gone from `GET /users`, `/trainings`, `/assignments`, `/cases`, `/crm/deals` (`deals`) or `/crm/objections` (`objections`), the oldest deletion first. The call needs the scope of that list, and member details to be on if that list needs it. ' +
          'For `users`, the ids are those of memberships that ended. The sessions of somebody who left disappear from `GET /trainings` without an entry here. ' +
          'Deletions are kept for 30 days, unless the operator changes this. An earlier `since` is 422: copy the list anew.',
        example: {
          input: { resource: 'users', since: '2026-11-20T08:00:00Z', limit: 50 },
          output: { data: [{ id: exampleIds.member, deleted_at: '2026-11-20T08:30:00.000Z' }], next_cursor: null },
        },
      }),
    )
    .input(DeletionQuery)
    .output(DeletionPage)
    .query(({ ctx, input }) => answer(listDeletions(ctx.team, input))),
});
