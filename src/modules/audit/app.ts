import { z } from 'zod';
import { answer, toCamel } from '../../core/spelling.ts';
import { ListCount } from '../../platform/paging.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { actions, allActions, ActionList, AuditFilters, AuditPage, AuditQuery } from './schema.ts';
import { countEntries, listEntries } from './listing.ts';

export const audit = personRouter({
  list: adminProcedure
    .input(AuditQuery)
    .output(AuditPage)
    .query(({ ctx, input }) => answer(listEntries(ctx.team, toCamel(input), ctx.language))),

  count: adminProcedure
    .input(AuditFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countEntries(ctx.team, toCamel(input))),

  actions: adminProcedure
    .input(z.strictObject({}))
    .output(ActionList)
    .query(({ ctx }) => ({ actions: allActions.map((action) => ({ action, label: actions[action][ctx.language] })) })),
});
