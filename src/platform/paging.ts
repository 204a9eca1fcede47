import { z } from 'zod';
import { limits } from '../core/limits.ts';

const { pageSize } = limits;

/** The query of a list route; routes add their filters with `.extend`. */
export const PageQuery = z.strictObject({
  cursor: z.string().optional().meta({ description: '`next_cursor` of the page before, unchanged.' }),
  limit: z
    .int()
    .min(pageSize.least)
    .max(pageSize.most)
    .default(pageSize.default)
    .meta({ description: 'How many entries a page has at most.' }),
});

export const pageOf = <Item extends z.ZodObject>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: 'Opaque; null on the last page.' }),
  });

export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}
