import { memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { FoundList, SearchQuery } from './schema.ts';
import { findAll } from './service.ts';

export const search = personRouter({
  /** What has this id, or a name, address or title with this text. */
  find: memberProcedure
    .input(SearchQuery)
    .output(FoundList)
    .query(async ({ ctx, input }) => ({ data: await findAll(ctx.team, ctx.person, input.text) })),
});
