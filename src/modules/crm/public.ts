import { exampleIds } from '../../core/example-ids.ts';
import { answer, toCamel } from '../../core/spelling.ts';
import { ListExportQuery, listExportOf, readListExport } from '../../platform/list-exports.ts';
import { exportRoute } from '../../platform/trpc/export-route.ts';
import { apiKeyProcedure, claimingStream, keyRouter, route } from '../../platform/trpc/procedures.ts';
import { CrmDeal, CrmDealPage, CrmObjection, CrmObjectionPage, DealQuery, ObjectionQuery } from './schema.ts';
import { listDeals, listObjections } from './service.ts';

const deal = {
  id: exampleIds.deal,
  external_id: '18233290411',
  outcome: 'open',
  title: 'Fleet renewal 2027',
  amount: '84000.00',
  currency: 'EUR',
  close_date: '2026-12-24',
  probability: 60,
  pipeline_id: 'default',
  stage_id: 'negotiation',
  industry_id: exampleIds.industry,
  lost_reason: null,
  owner_user_id: exampleIds.user,
  last_activity_at: '2026-11-19T15:02:11.000Z',
  synced_at: '2026-11-20T06:00:04.120Z',
  updated_at: '2026-11-20T06:00:05.348Z',
} as const;

const objection = {
  id: exampleIds.objection,
  deal_id: deal.id,
  category: 'price',
  text: 'That is twice what we pay today.',
  lang: 'en',
  created_at: '2026-11-19T15:02:11.000Z',
  updated_at: '2026-11-20T06:00:05.348Z',
} as const;

export const crm = keyRouter({
  deals: apiKeyProcedure
    .meta(
      route('GET /crm/deals', {
        operationId: 'listCrmDeals',
        scope: 'cases:read',
        summary: 'List CRM deals',
        description:
          'The deals that the last syncs of the team’s CRM connections found. The deal that was first seen most recently comes first. Without a connection the list is empty. With `updated_since`, only deals that changed or that a sync found since, in the order of their changes.',
        example: { input: { limit: 50 }, output: { data: [deal], next_cursor: null } },
      }),
    )
    .input(DealQuery)
    .output(CrmDealPage)
    .query(({ ctx, input }) => answer(listDeals(ctx.team, toCamel(input)))),

  objections: apiKeyProcedure
    .meta(
      route('GET /crm/objections', {
        operationId: 'listCrmObjections',
        scope: 'cases:read',
        summary: 'List CRM objections',
        description:
          'The objections that customers raised in the deals of the team’s CRM connections, newest first. With `updated_since`, only objections that changed since, in the order of their changes.',
        example: { input: { limit: 50 }, output: { data: [objection], next_cursor: null } },
      }),
    )
    .input(ObjectionQuery)
    .output(CrmObjectionPage)
    .query(({ ctx, input }) => answer(listObjections(ctx.team, toCamel(input)))),

  exportDeals: apiKeyProcedure
    .meta(
      exportRoute('deals', { operationId: 'exportCrmDeals', list: '/crm/deals', scope: 'cases:read', example: deal }),
    )
    .input(ListExportQuery)
    .output(listExportOf(CrmDeal))
    .use(claimingStream)
    .query(({ ctx: { team }, input }) =>
      answer(readListExport(team, 'deals', toCamel(input), (query) => listDeals(team, query))),
    ),

  exportObjections: apiKeyProcedure
    .meta(
      exportRoute('objections', {
        operationId: 'exportCrmObjections',
        list: '/crm/objections',
        scope: 'cases:read',
        example: objection,
      }),
    )
    .input(ListExportQuery)
    .output(listExportOf(CrmObjection))
    .use(claimingStream)
    .query(({ ctx: { team }, input }) =>
      answer(readListExport(team, 'objections', toCamel(input), (query) => listObjections(team, query))),
    ),
});
