import { z } from 'zod';
import { allEventTypes, eventTypes } from '../../core/events.ts';
import { limits, webhookLimits } from '../../core/limits.ts';
import type { AsJson } from '../../core/raw-json.ts';
import { answered } from '../../platform/free-form.ts';
import { pageOf, PageQuery } from '../../platform/paging.ts';
import { Instant, textUpTo, Time } from '../../platform/values.ts';
import { outcomes, probeNames, verdicts } from './probes.ts';
import type { ProbeName } from './probes.ts';

const { urlCharacters, descriptionCharacters } = webhookLimits;

const eventType = z.enum(allEventTypes);

const status = z.enum(['active', 'disabled', 'disabled_failures']);

const endpoint = {
  id: z.string(),
  url: z.string().meta({ description: 'The normalised URL.' }),
  events: z.array(eventType).meta({ description: 'Subscribed event types.' }),
  status: status.meta({
    description:
      '`disabled`: by a PATCH. `disabled_failures`: by the service, after three days without a successful delivery.',
  }),
  api_version: z.string().meta({ description: 'The shape of its events, as year-month.', example: '2026-11' }),
  description: z.string().nullable(),
  created_at: Time.nullable(),
  last_success_at: Time.nullable(),
};

export const WebhookEndpoint = z.object(endpoint).meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = z
  .object({
    ...endpoint,
    secret: z
      .string()
      .meta({ description: 'The secret with which its events are signed. It is shown only here, so store it.' }),
  })
  .meta({ id: 'CreatedWebhookEndpoint' });
export type CreatedWebhookEndpoint = z.output<typeof CreatedWebhookEndpoint>;

export const WebhookEndpointList = z.object({ data: z.array(WebhookEndpoint) }).meta({ id: 'WebhookEndpointList' });

const url = textUpTo(urlCharacters, 1).meta({
  description:
    'HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote desktops and the like), and reachable from the internet: nothing is sent to private addresses. Another URL is 422 with `field` `url` and the reason in `detail`.',
  example: 'https://hooks.example.com/training',
});

const events = z
  .array(eventType)
  .min(1)
  .transform((types) => [...new Set(types)])
  .meta({
    description: `The event types to send. ${Object.entries(eventTypes)
      .map(([type, when]) => `\`${type}\`: ${when}.`)
      .join(' ')} Duplicates are dropped.`,
  });

const description = textUpTo(descriptionCharacters).nullish().meta({ description: 'A text for people.' });

export const NewWebhookEndpoint = z.strictObject({ url, events, description });
export type NewWebhookEndpoint = z.output<typeof NewWebhookEndpoint>;

const endpointId = z.string().meta({ description: 'The id of a webhook endpoint of this team.' });

export const EndpointPath = z.strictObject({ endpoint_id: endpointId });

export const EndpointChange = z.strictObject({
  endpoint_id: endpointId,
  url: url.optional(),
  events: events.optional(),
  description: description.meta({ description: 'Null clears it.' }),
  status: status.optional().meta({
    description:
      '`active` or `disabled`; `disabled_failures`, which only the service sets, is refused. `active` lets deliveries that waited go on and starts the three days anew.',
  }),
});
export type EndpointChange = Omit<z.output<typeof EndpointChange>, 'endpoint_id'>;

export const deliveryStatuses = ['pending', 'failed', 'ok', 'gave_up'] as const;

export const WebhookDelivery = z
  .object({
    id: z.string(),
    attempt: z.int().meta({ description: 'Attempts made; 0 before the first.' }),
    status: z.enum(deliveryStatuses).meta({
      description:
        '`pending`: an attempt waits or runs. `failed`: one failed, `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows.',
    }),
    event_type: z.string().nullable(),
    created_at: Time.nullable(),
    next_try_at: Time.nullable(),
    response_code: z.int().nullable().meta({ description: 'Of the last attempt, like the following fields.' }),
    response_excerpt: z.string().nullable().meta({ description: 'The answer’s body, cut to 1000 characters.' }),
    response_ms: z.int().nullable(),
    error: z.string().nullable().meta({ description: 'Why there was no whole answer.' }),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

export const WebhookDeliveryList = z.object({ data: z.array(WebhookDelivery) }).meta({ id: 'WebhookDeliveryList' });

const { pageSize } = limits;

export const limit = z
  .int()
  .min(pageSize.least)
  .max(pageSize.most)
  .default(pageSize.default)
  .meta({ description: 'How many of the newest are listed at most.' });

export const DeliveriesQuery = z.strictObject({ endpoint_id: endpointId, limit });

export const StartedDelivery = z
  .object({
    delivery_id: z.string().meta({ description: 'Its outcome is in the list of the endpoint’s deliveries.' }),
    status: z.enum(deliveryStatuses),
  })
  .meta({ id: 'StartedWebhookDelivery' });
export type StartedDelivery = z.output<typeof StartedDelivery>;

export const DeliveryPath = z.strictObject({
  delivery_id: z.string().meta({ description: 'The id of a delivery to an endpoint of this team.' }),
});

const probeMeaning: Readonly<Record<ProbeName, string>> = {
  valid: 'a genuine ping',
  duplicate: 'the same event again',
  unknown_type: 'a type that no receiver knows',
  large: `a body of ${webhookLimits.bodyBytes / 1024} KiB`,
  slow: 'a body that arrives over two seconds',
  tampered: 'a body that was changed after it was signed',
  stale: 'a signature that is ten minutes old',
  wrong_secret: 'a signature with another secret',
};

const CheckProbe = z
  .object({
    probe: z.enum(probeNames).meta({
      description: `What was sent, as in the header \`Svc-Check\`. ${probeNames.map((name) => `\`${name}\`: ${probeMeaning[name]}.`).join(' ')}`,
    }),
    expected: z.enum(['accepted', 'refused']).meta({
      description: 'What a good receiver does: answer with a 2xx, or with a 4xx.',
    }),
    outcome: z.enum(outcomes).nullable().meta({
      description:
        'What the receiver did: answered with 2xx, 4xx, 3xx or 5xx, or not (completely) within 10 seconds. Null if the probe was not sent (yet).',
    }),
    verdict: z.enum(verdicts).nullable(),
    response_code: z.int().nullable(),
    response_ms: z.int().nullable(),
    error: z.string().nullable().meta({ description: 'Why there was no whole answer.' }),
    advice: z.string().nullable().meta({ description: 'What to do, in the language of `Accept-Language`.' }),
    docs_url: z.string().nullable().meta({ description: 'Where the documentation explains it.' }),
  })
  .meta({ id: 'WebhookCheckProbe', description: 'One request of a check, and what the receiver did with it.' });

export const WebhookCheck = z
  .object({
    id: z.string(),
    status: z.enum(['running', 'completed', 'failed']).meta({
      description: `\`failed\`: the service could not complete it within ${webhookLimits.checkMinutes} minutes.`,
    }),
    grade: z.enum(verdicts).nullable().meta({ description: 'The worst verdict; null unless `completed`.' }),
    created_at: Time,
    completed_at: Time.nullable(),
    probes: z.array(CheckProbe).meta({ description: 'In the order in which they are sent.' }),
  })
  .meta({ id: 'WebhookCheck', description: 'A check of an endpoint’s receiver.' });
export type WebhookCheck = z.output<typeof WebhookCheck>;

export const ChecksQuery = z.strictObject({ endpoint_id: endpointId, limit });

export const WebhookCheckList = z.object({ data: z.array(WebhookCheck) }).meta({ id: 'WebhookCheckList' });

// Inputs and outputs of the app and the command line that the public API does not have.

const eventId = z.string().meta({ description: 'As receivers see it, with evt_, or as a plain id.' });

export const EndpointDelivery = WebhookDelivery.extend({ event_id: eventId });
export type EndpointDelivery = z.output<typeof EndpointDelivery>;
export const EndpointDeliveryPage = pageOf(EndpointDelivery);

/** A delivery with its endpoint. */
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
/** An attempt as the reader of the JSON sees it. */
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
