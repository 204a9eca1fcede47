import { z } from 'zod';
import { allEventTypes, eventTypes } from '../../core/events.ts';
import { saying } from '../../core/language.ts';
import { endpointLimits, limits, webhookLimits } from '../../core/limits.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { headerNamePattern, type TeamHeaders } from '../../deliveries/team-headers.ts';
import { bulkIds } from '../../platform/bulk.ts';
import { listOf, pageOf, PageQuery } from '../../platform/paging.ts';
import { boundedText, Instant, Intervals, personal, textUpTo, Time } from '../../platform/values.ts';
import { outcomes, probeNames, verdicts, type ProbeName } from './probes.ts';

const { urlCharacters, descriptionCharacters, headerNameCharacters, headerValueCharacters } = endpointLimits;

const eventType = z
  .enum(allEventTypes)
  .meta({ id: 'EventType', description: 'A type of event to which endpoints can subscribe.' });

const settableStatuses = ['active', 'disabled'] as const;
const statuses = [...settableStatuses, 'disabled_failures'] as const;

const status = z.enum(statuses).meta({
  id: 'WebhookEndpointStatus',
  description:
    '`disabled`: by the team. `disabled_failures`: by the service, after three days in which every delivery failed.',
});

const sentType = z.enum([...allEventTypes, 'ping']).meta({
  id: 'SentEventType',
  description: 'A type of event that is sent: one to which endpoints can subscribe, or `ping`.',
});

export const WebhookEndpoint = z
  .object({
    id: z.string().meta({ description: 'The endpoint id: `{endpoint_id}` in paths.' }),
    url: z.string().meta({ description: 'The normalised URL.' }),
    events: z.array(eventType).meta({ description: 'Subscribed event types.' }),
    status,
    api_version: z.string().meta({ description: 'The shape of its events, as year-month.', example: '2026-11' }),
    description: z.string().nullable().meta({ description: 'A text for people.' }),
    headers: z.record(z.string(), z.null()).meta({
      description:
        'The names of the headers that you add to its requests. Their values are never shown, so each is null.',
    }),
    created_at: Time.nullable().meta({ description: 'When it was created.' }),
    last_success_at: Time.nullable().meta({ description: 'When a delivery was last answered with 2xx.' }),
  })
  .meta({ id: 'WebhookEndpoint', description: 'A URL to which events of the team are sent.' });
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = WebhookEndpoint.extend({
  secret: z
    .string()
    .meta({ description: 'The secret with which its events are signed. It is shown only here, so store it.' }),
}).meta({ id: 'CreatedWebhookEndpoint', description: 'A new endpoint, with its secret.' });
export type CreatedWebhookEndpoint = z.output<typeof CreatedWebhookEndpoint>;

export const WebhookEndpointList = listOf(WebhookEndpoint).meta({
  id: 'WebhookEndpointList',
  description: 'All endpoints of the team.',
});

const url = textUpTo(urlCharacters, 1).meta({
  description:
    'HTTPS, at port 443 or one from 1024 up that is not known for another service (databases, mail, remote desktops and the like), and reachable from the internet: nothing is sent to private addresses. Any other URL is 422 with `field` `url` and the reason in `detail`.',
  example: 'https://hooks.example.com/training',
});

const events = z
  .array(eventType)
  .min(1)
  .transform((types) => [...new Set(types)])
  .meta({
    maxItems: limits.listElements,
    description: `The event types to send. ${Object.entries(eventTypes)
      .map(([type, when]) => `\`${type}\`: ${when}.`)
      .join(' ')} Duplicates are dropped.`,
  });

const description = textUpTo(descriptionCharacters).nullish().meta({ description: 'A text for people.' });

const headerName = {
  type: 'string',
  minLength: 1,
  maxLength: headerNameCharacters,
  pattern: headerNamePattern.source,
} as const;

const headerValuePattern = /^[!-~]([ -~]*[!-~])?$/;

const headerValue = boundedText(headerValueCharacters, { min: 1 })
  .refine((value) => headerValuePattern.test(value), saying(webhookMessages.headerValue))
  .meta({ minLength: 1, maxLength: headerValueCharacters, pattern: headerValuePattern.source });

/** Names are not checked here but by the service, because its refusal has the field `headers`. */
const headers = z
  .record(z.string(), headerValue)
  .meta({ maxProperties: endpointLimits.headers, propertyNames: headerName })
  .transform((named): TeamHeaders => new Map(Object.entries(named)))
  .nullish()
  .meta({
    description: `Up to ${endpointLimits.headers} headers that are added to every request to this endpoint, for instance for a gateway. A value has visible ASCII characters, and spaces between them. Names that HTTP or the signature uses are refused: 422 with \`field\` \`headers\`. Values are stored encrypted and never shown.`,
    example: { 'X-Gateway-Key': 'a secret of your gateway' },
  });

export const NewWebhookEndpoint = z.strictObject({ url, events, description, headers });
export type NewWebhookEndpoint = z.output<typeof NewWebhookEndpoint>;

const endpointId = z.string().meta({ description: 'The id of a webhook endpoint of this team.' });

export const EndpointPath = z.strictObject({ endpoint_id: endpointId });

/** The service refuses `disabled_failures` itself, after it has found the endpoint (404 comes first). */
const settableStatus = z.enum(statuses).meta({
  id: 'SettableWebhookEndpointStatus',
  enum: [...settableStatuses],
  description:
    '`active` sends deliveries that waited, and counts failures from zero. `disabled` stops sending. `disabled_failures` can’t be set.',
});

export const EndpointChange = z.strictObject({
  endpoint_id: endpointId,
  url: url.optional(),
  events: events.optional(),
  description: description.meta({ description: 'Null clears it.' }),
  headers: headers.meta({
    description:
      'Replaces all headers of your own; null removes them. If `url` changes, even only its path or query, send the headers again: otherwise 422 with `field` `headers`.',
  }),
  status: settableStatus.optional(),
});
export type EndpointChange = Omit<z.output<typeof EndpointChange>, 'endpoint_id'>;

export const deliveryStatuses = ['pending', 'failed', 'ok', 'gave_up'] as const;

const deliveryStatus = z.enum(deliveryStatuses).meta({
  id: 'WebhookDeliveryStatus',
  description:
    '`pending`: an attempt waits or runs. `failed`: an attempt failed; `next_try_at` says when the next comes. `ok`: answered with 2xx. `gave_up`: no automatic attempt follows.',
});

/**
 * Marks the text of a receiver, which may repeat the request. It is hidden while the team hides member details, unless
 * the request contained none.
 */
const received = <Schema extends z.ZodType>(schema: Schema): Schema =>
  personal(schema, 'null', ({ member_detail: had }) => had === false);

const whileHidden =
  'Null also while `member_detail_enabled` is off if `member_detail` is true: a receiver may repeat the request.';

/** The receiver’s answer to an attempt, besides its status. */
const answered = {
  response_excerpt: received(
    z
      .string()
      .nullable()
      .meta({
        maxLength: webhookLimits.excerptCharacters,
        description: `The answer’s body, cut to ${webhookLimits.excerptCharacters} characters. ${whileHidden}`,
      }),
  ),
  response_ms: z.int().nullable().meta({ minimum: 0, description: 'The time until the answer, in milliseconds.' }),
  error: z.string().nullable().meta({ description: 'Why there was no whole answer.' }),
};

export const WebhookDelivery = z
  .object({
    id: z.string().meta({ description: 'The delivery id: `{delivery_id}` in paths.' }),
    attempt: z.int().meta({ minimum: 0, description: 'Attempts made; 0 before the first.' }),
    status: deliveryStatus,
    event_id: z
      .string()
      .meta({ description: 'The id of its event, as in the body, the headers of the request and the event feed.' }),
    event_type: z.string().nullable().meta({ description: 'The type of its event, or `ping`.' }),
    created_at: Time.nullable().meta({ description: 'When it was created.' }),
    next_try_at: Time.nullable().meta({ description: 'When the next attempt is due; null if none follows.' }),
    response_code: z.int().nullable().meta({
      description:
        'The HTTP status of the last attempt’s answer. The other `response_` fields, `error` and `member_detail` are of that attempt, too.',
    }),
    ...answered,
    member_detail: z.boolean().nullable().meta({
      description:
        'Whether the request of the last attempt had member details, for instance `user_id` or `score`. Null before the first.',
    }),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event for one endpoint, until it is `ok` or `gave_up`.' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

export const WebhookDeliveryList = listOf(WebhookDelivery).meta({
  id: 'WebhookDeliveryList',
  description: 'The newest deliveries to an endpoint.',
});

export const TeamDelivery = WebhookDelivery.extend({
  endpoint_id: z.string().meta({ description: 'Its endpoint.' }),
}).meta({ id: 'TeamWebhookDelivery', description: 'A delivery, with its endpoint.' });

export const TeamDeliveryPage = pageOf(TeamDelivery).meta({
  id: 'TeamWebhookDeliveryPage',
  description: 'A page of deliveries.',
});

export const Headers = z.record(z.string(), z.string());

const PublicAttempt = z
  .object({
    number: z.int().meta({ minimum: 1, description: 'Its number among the attempts of this delivery.' }),
    manual: z.boolean().meta({ description: 'Whether it was started by hand, not by the schedule.' }),
    started_at: Time.meta({ description: 'When it began.' }),
    url: z.string().meta({ description: 'The URL of the endpoint at that time.' }),
    request_headers: Headers.meta({
      description: 'The headers that were sent; the values of your own headers are replaced by `[redacted]`.',
    }),
    response_code: z.int().nullable().meta({ description: 'The HTTP status of the answer.' }),
    response_headers: received(
      Headers.nullable().meta({ description: `The headers of the answer, as many as are stored. ${whileHidden}` }),
    ),
    ...answered,
    member_detail: z
      .boolean()
      .meta({ description: 'Whether the request had member details, for instance `user_id` or `score`.' }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One request of a delivery.' });

export const DeliveryWithAttempts = TeamDelivery.extend({
  attempts: z
    .array(PublicAttempt)
    .meta({ description: `Its attempts, the newest first; at most ${endpointLimits.attemptsShown}.` }),
}).meta({ id: 'WebhookDeliveryWithAttempts', description: 'A delivery, with its attempts.' });

const limit = PageQuery.shape.limit.meta({
  description: 'How many of the newest entries are listed, all on one page.',
});

export const DeliveriesQuery = z.strictObject({ endpoint_id: endpointId, limit });

export const TeamDeliveriesQuery = PageQuery.extend({
  endpoint_id: z.string().optional().meta({ description: 'Only deliveries to this endpoint.' }),
  status: deliveryStatus.optional().meta({ description: 'Only deliveries with this status.' }),
  event_type: sentType.optional().meta({ description: 'Only deliveries of events of this type.' }),
  since: Instant.optional().meta({ description: 'Only deliveries that were created at this time or later.' }),
});
export type TeamDeliveriesQuery = z.output<typeof TeamDeliveriesQuery>;

export const StartedDelivery = z
  .object({
    delivery_id: z.string().meta({ description: 'The id of the delivery. Its outcome is in the list of deliveries.' }),
    status: deliveryStatus,
  })
  .meta({ id: 'StartedWebhookDelivery', description: 'A delivery that was just started.' });
export type StartedDelivery = z.output<typeof StartedDelivery>;

export const DeliveryPath = z.strictObject({
  delivery_id: z.string().meta({ description: 'The id of a delivery to an endpoint of this team.' }),
});

export const NewRecovery = z.strictObject({
  endpoint_id: endpointId,
  since: Instant.meta({ description: 'Events that were created at this time or later.' }),
  include_older: z.boolean().optional().meta({ description: 'Sends events that are older than the endpoint, too.' }),
  dry_run: z.boolean().optional().meta({ description: 'Only counts: sends nothing.' }),
});

export const Recovery = z
  .object({
    recovered: z.int().meta({
      minimum: 0,
      description: 'The number of events that are sent; with `dry_run`, that would be sent.',
    }),
    older: z.int().meta({
      minimum: 0,
      description: `The number of missed events that are older than the endpoint, counted up to ${endpointLimits.recoveredAtOnce}. They are in \`recovered\` only with \`include_older\`.`,
    }),
    more: z
      .boolean()
      .meta({ description: 'Whether more missed events are left: repeat the request, with the same `since`.' }),
  })
  .meta({ id: 'WebhookRecovery', description: 'The missed events that are sent.' });
export type Recovery = z.output<typeof Recovery>;
export type NewRecovery = z.output<typeof NewRecovery>;

const probeMeaning: Readonly<Record<ProbeName, string>> = {
  valid: 'a genuine ping',
  duplicate: 'the same event again',
  unknown_type: 'a type that no receiver knows',
  large: `a body of ${endpointLimits.bodyBytes / 1024} KiB`,
  slow: 'a body that arrives over two seconds',
  tampered: 'a body that was changed after it was signed',
  stale: 'a signature that is ten minutes old',
  wrong_secret: 'a signature with another secret',
};

const verdict = z.enum(verdicts).meta({
  id: 'WebhookCheckVerdict',
  description: 'The verdict on a receiver’s answer: `improvable` is safe, but should be better.',
});

const outcome = z.enum(outcomes).meta({
  id: 'WebhookCheckOutcome',
  description:
    'A receiver’s answer: 2xx, 4xx, 3xx, 5xx, or no complete one within 10 seconds (in the order of the values).',
});

const CheckProbe = z
  .object({
    probe: z.enum(probeNames).meta({
      description: `The request that was sent, as in its header \`Svc-Check\`. ${probeNames.map((name) => `\`${name}\`: ${probeMeaning[name]}.`).join(' ')}`,
    }),
    expected: outcome.meta({ description: 'The outcome with a good receiver: `accepted` or `refused`.' }),
    outcome: outcome
      .nullable()
      .meta({ description: 'The outcome with this receiver. Null if the request was not sent (yet).' }),
    verdict: verdict
      .nullable()
      .meta({ description: 'The verdict on the outcome. Null if the request was not sent (yet).' }),
    response_code: z.int().nullable().meta({ description: 'The HTTP status of the answer.' }),
    response_ms: z.int().nullable().meta({ description: 'The time until the answer, in milliseconds.' }),
    error: z.string().nullable().meta({ description: 'Why there was no whole answer.' }),
    advice: z
      .string()
      .nullable()
      .meta({ description: 'The advice on what to change, in the language of `Accept-Language`.' }),
    docs_url: z.string().nullable().meta({ description: 'Where the documentation explains it.' }),
  })
  .meta({ id: 'WebhookCheckProbe', description: 'One request of a check, and what the receiver did with it.' });

export const WebhookCheck = z
  .object({
    id: z.string().meta({ description: 'The id of the check.' }),
    status: z.enum(['running', 'completed', 'failed']).meta({
      description: `\`running\`, \`completed\`, or \`failed\`: the service could not complete it within ${endpointLimits.checkMinutes} minutes.`,
    }),
    grade: verdict.nullable().meta({ description: 'The worst verdict; null unless `completed`.' }),
    created_at: Time.meta({ description: 'When the check was started.' }),
    completed_at: Time.nullable().meta({ description: 'When the last probe was answered.' }),
    probes: z.array(CheckProbe).meta({ description: 'Its requests, in the order in which they are sent.' }),
  })
  .meta({ id: 'WebhookCheck', description: 'A check of an endpoint’s receiver.' });
export type WebhookCheck = z.output<typeof WebhookCheck>;

export const ChecksQuery = z.strictObject({ endpoint_id: endpointId, limit });

export const WebhookCheckList = listOf(WebhookCheck).meta({
  id: 'WebhookCheckList',
  description: 'The newest checks of an endpoint’s receiver.',
});

// Inputs and outputs of the app and the command line that the public API does not have.

const eventId = z.string().meta({ description: 'As receivers see it, with evt_, or as a plain id.' });

const germanError = z.string().nullable().meta({ description: '`error` in German.' });

export const EndpointDelivery = WebhookDelivery.extend({
  error_de: germanError,
  is_held: z.boolean().meta({
    description:
      'It waits until its endpoint is active again; `next_try_at` is then null. Pings and retries by hand never wait for that.',
  }),
});
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

export const EndpointDeliveriesFilters = EndpointPath.extend({
  status: deliveryStatus.optional(),
  event_type: sentType.optional(),
  since: Instant.optional().meta({ description: 'Created at this time or later.' }),
  until: Instant.optional().meta({ description: 'Created before this time.' }),
});
export type EndpointDeliveriesFilters = z.output<typeof EndpointDeliveriesFilters>;

export const EndpointDeliveriesQuery = PageQuery.extend(EndpointDeliveriesFilters.shape);
export type EndpointDeliveriesQuery = z.output<typeof EndpointDeliveriesQuery>;

export const Attempt = z.object({
  id: z.string(),
  number: z.int(),
  manual: z.boolean().meta({ description: 'Whether it was started by hand, not by the schedule.' }),
  started_at: Time,
  url: z.string().meta({ description: 'The endpoint’s at that time.' }),
  request_headers: Headers.meta({ description: 'As sent, signature included.' }),
  request_body: z.string().nullable().meta({
    description:
      'As sent. Null once the event was cut by age, and where it tells of a person while that is switched off.',
  }),
  response_code: z.int().nullable(),
  response_headers: received(Headers.nullable()),
  response_excerpt: received(z.string().nullable()),
  response_ms: z.int().nullable(),
  error: z.string().nullable(),
  member_detail: z.boolean(),
  error_de: germanError,
});
export type Attempt = z.output<typeof Attempt>;
export const AttemptList = z.object({ data: z.array(Attempt) });

export const EventToReplay = z.strictObject({ event_id: eventId, ...EndpointPath.shape });

export const MissedQuery = NewRecovery.pick({ endpoint_id: true, since: true });

export const MissedEvents = z.object({
  missed: z.int().meta({ description: 'Without those that are older than the endpoint.' }),
  older: z.int(),
  at_most: z.int().meta({ description: 'Either number is counted up to this.' }),
});
export type MissedEvents = z.output<typeof MissedEvents>;

export const BulkDeliveries = z.strictObject({ delivery_ids: bulkIds });

const { countedDays } = endpointLimits;

export const DaysQuery = z.strictObject({
  days: z.int().min(1).max(countedDays.max).default(countedDays.default),
});

export const EndpointDay = z.object({
  day: z.iso.date().meta({ description: 'In UTC.' }),
  delivered: z.int().meta({ description: 'Attempts that were answered with 2xx.' }),
  failed: z.int().meta({ description: 'The other attempts.' }),
});
export type EndpointDay = z.output<typeof EndpointDay>;
export const EndpointDays = z.object({
  endpoints: z.array(z.object({ endpoint_id: z.string(), days: z.array(EndpointDay) })),
});
export type EndpointDays = z.output<typeof EndpointDays>;

export const HealthQuery = Intervals.extend({
  endpoint_id: EndpointPath.shape.endpoint_id.optional().meta({ description: 'One endpoint; by default all.' }),
});
export type HealthQuery = z.output<typeof HealthQuery>;

/**
 * Attempts by outcome, and two percentiles of their durations in milliseconds, off by a fifth at most. Without attempts
 * the percentiles are null. After a single attempt, with no other one on its day, both are its exact duration.
 */
const HealthNumbers = EndpointDay.omit({ day: true }).extend({
  p50_ms: z.int().nullable(),
  p95_ms: z.int().nullable(),
});
export const Health = z.object({
  total: HealthNumbers,
  intervals: z.array(HealthNumbers).meta({ description: 'One for each start.' }),
});
export type Health = z.output<typeof Health>;

export const EventPath = z.strictObject({ event_id: eventId });

/** Whether an event was sent to an endpoint when it was raised, and if not, why. */
const reachStates = [
  'asked',
  'concerned',
  'not_subscribed',
  'disabled',
  'paused',
  'created_later',
  'not_sent',
] as const;

const ReachAttempt = Attempt.pick({
  id: true,
  number: true,
  manual: true,
  started_at: true,
  response_code: true,
  response_ms: true,
  error: true,
  error_de: true,
});

export const ReachDelivery = EndpointDelivery.extend({
  by_hand: z.boolean().meta({ description: 'Not made when the event was raised: by a replay, a recovery or a test.' }),
  attempts: z.array(ReachAttempt).meta({ description: 'The first one first.' }),
});
export type ReachDelivery = z.output<typeof ReachDelivery>;

export const EndpointReach = z.object({
  endpoint_id: z.string(),
  url: z.string(),
  state: z.enum(reachStates).meta({
    description:
      '`asked`: when the event was raised. `concerned`: the event is about this endpoint. The others say how the endpoint is now. `not_sent`: it is active and subscribed now, but was not then.',
  }),
  status,
  created_at: Time,
  last_before: z
    .object({ at: Time, succeeded: z.boolean() })
    .nullable()
    .meta({ description: 'The last attempt that ended before the event. Null: none is known.' }),
  deliveries: z.array(ReachDelivery),
});
export type EndpointReach = z.output<typeof EndpointReach>;

export const EventReach = z.object({
  event_id: eventId,
  type: z.string(),
  created_at: Time,
  body: z.string().nullable().meta({
    description: 'As receivers get it. Null: it is about a person while the team does not show such details.',
  }),
  endpoints: z.array(EndpointReach),
});
export type EventReach = z.output<typeof EventReach>;

export const NewestDeliveriesQuery = z.strictObject({
  since: Instant.meta({ description: 'Created at this time or later.' }),
  limit: z.int().min(1).max(200).default(100),
});

export const TeamDeliveryList = z.object({ data: z.array(OneDelivery) });
