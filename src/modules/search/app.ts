import { appRouterOf, operation } from '../../trpc/operation.ts';
import { FoundList, SearchQuery } from './schema.ts';
import { findAll } from './service.ts';

export const search = appRouterOf({
  find: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'What has this id, or a name, address or title with this text',
      input: SearchQuery,
      output: FoundList,
    },
    async ({ ctx, input }) => ({ data: await findAll(ctx.team, ctx.person, input.text) }),
  ),
});
