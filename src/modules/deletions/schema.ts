import { z } from 'zod';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Instant, Time } from '../../platform/values.ts';

/** The lists of which the ids of deleted rows are kept for a while. */
export const deletionResources = ['users', 'trainings', 'assignments', 'cases', 'deals', 'objections'] as const;
export type DeletionResource = (typeof deletionResources)[number];

export const Deletion = z
  .object({
    id: z.string().meta({ description: 'The id that the row had.' }),
    deleted_at: Time.meta({ description: 'When it was deleted, or the membership ended.' }),
  })
  .meta({ id: 'Deletion', description: 'A row that a list no longer has.' });

export const DeletionPage = pageOf(Deletion).meta({ id: 'DeletionPage', description: 'A page of deletions.' });

export const DeletionQuery = PageQuery.extend({
  resource: z.enum(deletionResources).meta({ id: 'DeletionResource', description: 'The list that had the rows.' }),
  since: Instant.optional().meta({
    description:
      'Only rows that were deleted at this time or later. To miss none, begin each read without a `cursor` five minutes before the start of your last one. A time from which deletions are no longer kept is 422.',
  }),
});
export type DeletionQuery = z.output<typeof DeletionQuery>;
