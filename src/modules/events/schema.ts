import { z } from 'zod';
import { entriesOf, PageQuery } from '../../platform/paging.ts';
import { Time, personal } from '../../platform/values.ts';
import { feedTypes } from '../../core/events.ts';
import { feedLimits } from '../../core/limits.ts';

const whileShown = 'Present only if `member_detail_enabled` is on, and was on when the event happened.';

export const Event = z
  .object({
    id: z.string().meta({ description: 'The id of the event, the same as in webhooks. Use it to detect duplicates.' }),
    type: z
      .string()
      .meta({ description: 'The event type. It determines the fields of `data`. New types may be added.' }),
    created_at: Time.meta({ description: 'When it happened.' }),
    api_version: z.string().meta({ description: 'The shape of `data`, as year-month.' }),
    tenant_id: z.string().meta({ description: 'The team.' }),
    data: z
      .looseObject({
        team_id: z.string().meta({ description: 'The team; the same as `tenant_id`.' }),
        user_id: personal(z.string().exactOptional(), 'omit').meta({ description: `The person. ${whileShown}` }),
        score: personal(z.int().exactOptional(), 'omit').meta({
          description: `The total of the evaluation. ${whileShown}`,
        }),
      })
      .meta({
        description: 'The details of the event: the `data` of the webhook of the same type.',
        additionalProperties: true,
      }),
  })
  .meta({ id: 'Event', description: 'An event, exactly as webhooks deliver it.' });
export type Event = z.output<typeof Event>;

export const EventPage = z
  .object({
    data: entriesOf(Event, 'The events of this page.'),
    next_cursor: z.string().meta({
      description:
        'Where to go on. Unlike in lists it is never null, because a feed has no end: store it once you have processed the page, and send it as `cursor` in the next request.',
    }),
    has_more: z.boolean().meta({
      description:
        'True: further events may be read at once. False: this was the end of the feed for now; ask again later, or with `wait`.',
    }),
    has_gap: z.boolean().meta({
      description:
        'True: events after the cursor were deleted because of their age before this request. The page goes on with the oldest event that is kept. Read what you copied from the lists again.',
    }),
  })
  .meta({ id: 'EventPage', description: 'A page of the event feed.' });
export type EventPage = z.output<typeof EventPage>;

export const EventsQuery = PageQuery.extend({
  cursor: z.string().optional().meta({
    description:
      'The `next_cursor` of the previous page, unchanged, with the same `type`. Without a cursor the feed is read from `start`.',
  }),
  start: z.enum(['oldest', 'now']).optional().meta({
    description:
      'Where to start without a cursor. `oldest` (default): with the oldest event that is kept. `now`: after all present events. With a cursor it has no effect.',
  }),
  type: z.enum(feedTypes).optional().meta({
    description:
      'Only events of this type. A page with few matches may be short or empty while `has_more` is true. A cursor is valid only with the same `type`.',
  }),
  wait: z.int().min(0).max(feedLimits.waitSeconds).default(0).meta({
    description:
      'If there is no further event, wait up to this many seconds for one. The request is answered as soon as there is an event, or with an empty page. The request counts once in the limits.',
  }),
});
export type EventsQuery = z.output<typeof EventsQuery>;

/** The position in a cursor. */
export const Position = z.tuple([z.int()]);
