import { z } from 'zod';
import { allEventTypes } from '../../core/events.ts';
import { webhookLimits } from '../../core/limits.ts';
import type { AsJson } from '../../core/raw-json.ts';
import { answered } from '../../platform/free-form.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Instant, Time } from '../../platform/values.ts';
import { deliveryStatuses, EndpointPath, WebhookDelivery } from './schema.ts';

// What the app and the command line show and do beyond the public API.

const eventId = z.string().meta({ description: 'As receivers see it, with evt_, or as a plain id.' });

export const EndpointDelivery = WebhookDelivery.extend({ event_id: eventId });
export type EndpointDelivery = z.output<typeof EndpointDelivery>;
export const EndpointDeliveryPage = pageOf(EndpointDelivery);

/** A delivery by itself, which says where it goes. */
export const OneDelivery = EndpointDelivery.extend({ endpoint_id: z.string() });
export type OneDelivery = z.output<typeof OneDelivery>;

export const FailingEndpoints = z.object({
  endpoints: z.array(
    z.object({
      endpoint_id: z.string(),
      failing_since: Time.meta({ description: 'The first failed attempt since the last that got through.' }),
    }),
  ),
});

export const EndpointDeliveriesQuery = PageQuery.extend({
  ...EndpointPath.shape,
  status: z.enum(deliveryStatuses).optional(),
  event_type: z.enum([...allEventTypes, 'ping']).optional(),
});
export type EndpointDeliveriesQuery = z.output<typeof EndpointDeliveriesQuery>;

const headers = answered<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } });

export const Attempt = z.object({
  id: z.string(),
  number: z.int(),
  manual: z.boolean().meta({ description: 'By hand, not by schedule.' }),
  started_at: Time,
  url: z.string().meta({ description: 'The endpoint’s at that time.' }),
  request_headers: headers.meta({ description: 'As sent, signature included.' }),
  request_body: z.string().nullable().meta({
    description:
      'As sent. Null once the event was cut by age, and where it tells of a person while that is switched off.',
  }),
  response_code: z.int().nullable(),
  response_headers: headers.nullable(),
  response_excerpt: z.string().nullable(),
  response_ms: z.int().nullable(),
  error: z.string().nullable(),
});
export type Attempt = z.output<typeof Attempt>;
/** As whoever reads the answer has it. */
export type AttemptJson = AsJson<Attempt>;
export const AttemptList = z.object({ data: z.array(Attempt) });

export const EventToReplay = z.strictObject({ event_id: eventId, ...EndpointPath.shape });

export const RecoveryWanted = z.strictObject({
  ...EndpointPath.shape,
  since: Instant.meta({ description: 'Events that were created then or later.' }),
});

export const Recovery = z.object({
  recovered: z.int().meta({ description: 'Events that are on their way again.' }),
  more: z.boolean().meta({ description: 'Whether others are left: ask again for them.' }),
});
export type Recovery = z.output<typeof Recovery>;

const { countedDays } = webhookLimits;

export const DaysWanted = z.strictObject({
  ...EndpointPath.shape,
  days: z.int().min(1).max(countedDays.most).default(countedDays.default),
});

export const Day = z.object({
  day: z.iso.date().meta({ description: 'In UTC.' }),
  delivered: z.int().meta({ description: 'Attempts that were answered with 2xx.' }),
  failed: z.int().meta({ description: 'The other attempts.' }),
  mean_ms: z.int().nullable(),
  slowest_ms: z.int().nullable(),
});
export type Day = z.output<typeof Day>;
export const DayList = z.object({ data: z.array(Day) });
