import { z } from 'zod';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { actions, allActions, ActionList, AuditPage, AuditQuery } from './schema.ts';
import { listEntries } from './service.ts';

export const audit = appRouterOf({
  list: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'The audit log of the team, newest first',
      input: AuditQuery,
      output: AuditPage,
    },
    ({ ctx, input }) => listEntries(ctx.team, input, ctx.language),
  ),

  actions: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'All kinds of actions with their names',
      input: z.strictObject({}),
      output: ActionList,
    },
    ({ ctx }) => ({ actions: allActions.map((action) => ({ action, label: actions[action][ctx.language] })) }),
  ),
});
