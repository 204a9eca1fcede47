import { z } from 'zod';
import { ListCount } from '../../platform/paging.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { actions, allActions, ActionList, AuditFilters, AuditPage, AuditQuery } from './schema.ts';
import { countEntries, listEntries } from './listing.ts';

export const audit = personRouter({
  list: personProcedure
    .meta({ needs: 'admin', summary: 'The audit log of the team, newest first' })
    .input(AuditQuery)
    .output(AuditPage)
    .query(({ ctx, input }) => listEntries(ctx.team, input, ctx.language)),

  count: personProcedure
    .meta({ needs: 'admin', summary: 'How many entries of the audit log match these filters' })
    .input(AuditFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countEntries(ctx.team, input)),

  actions: personProcedure
    .meta({ needs: 'admin', summary: 'All kinds of actions with their names' })
    .input(z.strictObject({}))
    .output(ActionList)
    .query(({ ctx }) => ({ actions: allActions.map((action) => ({ action, label: actions[action][ctx.language] })) })),
});
