import { appRouterOf, operation } from '../../trpc/operation.ts';
import { RequestPage, RequestQuery } from './schema.ts';
import { listRequests } from './service.ts';

export const requests = appRouterOf({
  list: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'The requests with the team’s keys, newest first; a short page need not be the last one',
      input: RequestQuery,
      output: RequestPage,
    },
    ({ ctx, input }) => listRequests(ctx.team, input),
  ),
});
