import { z } from 'zod';

const foundKinds = [
  'member',
  'key',
  'endpoint',
  'delivery',
  'event',
  'request',
  'training',
  'assignment',
  'case',
] as const;

const searchCharacters = { min: 2, max: 200 } as const;

export const SearchQuery = z.strictObject({
  text: z.string().trim().min(searchCharacters.min).max(searchCharacters.max).meta({
    description:
      'An id, also within other text or as receivers see it (`evt_…`); or a part of a name, address or title.',
  }),
});

export const SearchResult = z.object({
  kind: z.enum(foundKinds),
  id: z.string(),
  name: z.string().nullable().meta({ description: 'Null if it has none.' }),
  detail: z.string().nullable().meta({ description: 'A value that tells it from others, such as its status.' }),
  endpoint_id: z.string().nullable().meta({ description: 'Only of deliveries.' }),
});
export type SearchResult = z.output<typeof SearchResult>;

export const SearchResults = z.object({ data: z.array(SearchResult) });
