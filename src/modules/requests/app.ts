import { appRouterOf, operation } from '../../trpc/operation.ts';
import { RequestPage, RequestQuery } from './schema.ts';
import { listRequests } from './service.ts';

export const requests = appRouterOf({
  list: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'The requests that came with the team’s keys, newest first; a page may be short and not be the last',
      input: RequestQuery,
      output: RequestPage,
    },
    ({ ctx, input }) => listRequests(ctx.team, input),
  ),
});
