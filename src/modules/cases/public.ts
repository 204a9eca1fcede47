import { answer, toCamel } from '../../core/spelling.ts';
import { ListExportQuery, listExportOf, readListExport } from '../../platform/list-exports.ts';
import { Done, done, doneAfter } from '../../platform/values.ts';
import { exportRoute } from '../../platform/trpc/export-route.ts';
import { apiKeyProcedure, claimingStream, keyRouter, route } from '../../platform/trpc/procedures.ts';
import {
  Case,
  CaseChange,
  CasePage,
  CasePath,
  CaseQuery,
  caseExample as example,
  NewCase,
  newCaseExample,
} from './schema.ts';
import { changeCase, createCase, deleteCase, getCase, listCases } from './service.ts';

const path = { case_id: example.id };
const owner = { private: false } as const;

export const cases = keyRouter({
  list: apiKeyProcedure
    .meta(
      route('GET /cases', {
        operationId: 'listCases',
        scope: 'cases:read',
        privacy: 'member-detail',
        summary: 'List cases',
        description:
          'The team’s cases, newest first. Private cases of members are not listed. With `updated_since`, only cases that changed since, in the order of their changes.',
        large: true,
        example: { input: { limit: 50 }, output: { data: [example], next_cursor: null } },
      }),
    )
    .input(CaseQuery)
    .output(CasePage)
    .query(({ ctx, input }) => answer(listCases(ctx.team, toCamel(input)))),

  create: apiKeyProcedure
    .meta(
      route('POST /cases', {
        operationId: 'createCase',
        scope: 'cases:write',
        status: 201,
        located: true,
        errors: ['not_found'],
        summary: 'Create a case',
        description: 'Creates a case for an active member. The whole team can practise with it.',
        example: { input: newCaseExample, output: example },
      }),
    )
    .input(NewCase)
    .output(Case)
    .mutation(({ ctx, input }) => ctx.once((team) => answer(createCase(team, toCamel(input))))),

  get: apiKeyProcedure
    .meta(
      route('GET /cases/{case_id}', {
        operationId: 'getCase',
        scope: 'cases:read',
        privacy: 'member-detail',
        summary: 'Read a case',
        description: 'One case of the team. A private case of a member is not found.',
        example: { input: path, output: example },
      }),
    )
    .input(CasePath)
    .output(Case)
    .query(({ ctx, input }) => answer(getCase(ctx.team, owner, input.case_id))),

  change: apiKeyProcedure
    .meta(
      route('PATCH /cases/{case_id}', {
        operationId: 'updateCase',
        scope: 'cases:write',
        errors: ['privacy_restricted'],
        summary: 'Change a case',
        description:
          'Fields that are left out stay as they are; null removes a value. `fields` and `external_ref` are replaced whole. The answer is the whole case. While `member_detail_enabled` is off, the answer has only the changed values, `id`, `user_id`, `created_at` and `updated_at`; all others are null. A request that changes nothing is then 403 `privacy_restricted`.',
        example: {
          input: { ...path, title: 'Renewal at Nordlicht SE' },
          output: { ...example, title: 'Renewal at Nordlicht SE' },
        },
      }),
    )
    .input(CaseChange)
    .output(Case)
    .mutation(({ ctx, input: { case_id, ...content } }) =>
      answer(changeCase(ctx.team, owner, case_id, toCamel(content))),
    ),

  remove: apiKeyProcedure
    .meta(
      route('DELETE /cases/{case_id}', {
        operationId: 'deleteCase',
        scope: 'cases:write',
        summary: 'Delete a case',
        description: 'Deletes the case permanently.',
        example: { input: path, output: done },
      }),
    )
    .input(CasePath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteCase(ctx.team, owner, input.case_id))),

  export: apiKeyProcedure
    .meta(
      exportRoute('cases', {
        operationId: 'exportCases',
        list: '/cases',
        scope: 'cases:read',
        privacy: 'member-detail',
        example,
      }),
    )
    .input(ListExportQuery)
    .output(listExportOf(Case))
    .use(claimingStream)
    .query(({ ctx: { team }, input }) =>
      answer(readListExport(team, 'cases', toCamel(input), (query) => listCases(team, query))),
    ),
});
