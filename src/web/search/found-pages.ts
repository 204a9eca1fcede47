import type { SearchResult } from '../../modules/search/schema.ts';

const pages: Readonly<Record<SearchResult['kind'], (found: SearchResult) => string>> = {
  member: ({ id }) => `/members/${id}`,
  key: ({ id }) => `/keys/${id}`,
  endpoint: ({ id }) => `/webhooks/${id}`,
  delivery: ({ id, endpoint_id }) => `/webhooks/${endpoint_id ?? ''}/deliveries/${id}`,
  event: ({ id }) => `/webhooks/events/${id}`,
  request: ({ id }) => `/requests/${id}`,
  training: ({ id }) => `/trainings/${id}`,
  assignment: ({ id }) => `/assignments?assignment_id=${id}`,
  case: ({ id, detail }) => `/cases?${detail === 'private' ? 'view=mine&' : ''}case_id=${id}`,
};

/** The page of an object that was found. */
export const pageOf = (found: SearchResult): string => pages[found.kind](found);
