import { Done, done } from '../../platform/values.ts';
import { operation, router } from '../../trpc/operation.ts';
import {
  Case,
  CaseChange,
  CasePage,
  CasePath,
  CaseQuery,
  caseExample as example,
  NewCase,
  newCaseExample as wanted,
} from './schema.ts';
import { changeCase, createCase, deleteCase, getCase, listCases } from './service.ts';

const path = { case_id: example.id };
const team = { of: 'team' } as const;

export const cases = router({
  list: operation(
    'GET /cases',
    {
      audience: 'key',
      operationId: 'listCases',
      scope: 'cases:read',
      privacy: 'member-detail',
      summary: 'List cases',
      description: 'The team’s cases, newest first. Private cases of members are not listed.',
      input: CaseQuery,
      output: CasePage,
      large: true,
      example: { input: { limit: 50 }, output: { data: [example], next_cursor: null } },
    },
    ({ ctx, input }) => listCases(ctx.team, input),
  ),

  create: operation(
    'POST /cases',
    {
      audience: 'key',
      operationId: 'createCase',
      scope: 'cases:write',
      status: 201,
      located: true,
      errors: ['not_found'],
      summary: 'Create a case',
      description: 'Makes a case of an active member that the whole team can train with.',
      input: NewCase,
      output: Case,
      example: { input: wanted, output: example },
    },
    ({ ctx, input }) => createCase(ctx.team, input),
  ),

  get: operation(
    'GET /cases/{case_id}',
    {
      audience: 'key',
      operationId: 'getCase',
      scope: 'cases:read',
      privacy: 'member-detail',
      errors: ['not_found'],
      summary: 'Read a case',
      description: 'One case of the team. A private case of a member is not found.',
      input: CasePath,
      output: Case,
      example: { input: path, output: example },
    },
    ({ ctx, input }) => getCase(ctx.team, input.case_id),
  ),

  change: operation(
    'PATCH /cases/{case_id}',
    {
      audience: 'key',
      operationId: 'updateCase',
      scope: 'cases:write',
      errors: ['not_found', 'privacy_restricted'],
      summary: 'Change a case',
      description:
        'Fields that are left out stay as they are; null removes a value. `fields` and `external_ref` are replaced whole. The answer is the whole case. While `member_detail_enabled` is off it has the values that changed, `id`, `user_id` and `created_at`, everything else is null, and a request that changes nothing is 403 `privacy_restricted`.',
      input: CaseChange,
      output: Case,
      example: {
        input: { ...path, title: 'Renewal at Nordlicht SE' },
        output: { ...example, title: 'Renewal at Nordlicht SE' },
      },
    },
    ({ ctx, input: { case_id, ...wanted } }) => changeCase(ctx.team, team, case_id, wanted),
  ),

  remove: operation(
    'DELETE /cases/{case_id}',
    {
      audience: 'key',
      operationId: 'deleteCase',
      scope: 'cases:write',
      errors: ['not_found'],
      summary: 'Delete a case',
      description: 'Deletes the case permanently.',
      input: CasePath,
      output: Done,
      example: { input: path, output: done },
    },
    async ({ ctx, input }) => {
      await deleteCase(ctx.team, team, input.case_id);
      return done;
    },
  ),
});
