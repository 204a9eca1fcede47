import { toSnake } from '../../core/spelling.ts';
import { memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { SearchResults, SearchQuery } from './schema.ts';
import { findAll } from './service.ts';

export const search = personRouter({
  /**
   * Finds the objects with the id in this text. Without an id, it finds those with the text in their name, address,
   * title or description.
   */
  find: memberProcedure
    .input(SearchQuery)
    .output(SearchResults)
    .query(async ({ ctx, input }) => toSnake({ data: await findAll(ctx.team, ctx.person, input.text) })),
});
