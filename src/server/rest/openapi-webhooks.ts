import type { z } from 'zod';
import { webhookLimits } from '../../core/limits.ts';
import { probeNames } from '../../modules/webhooks/probes.ts';
import { inPascalCase } from './openapi-shared.ts';
import { bodySchemaOf, dataOf, exampleBodyOf, payloads } from '../../modules/events/payloads.ts';
import { sentTypes, triggers, type SentType } from '../../core/events.ts';

const { retrySeconds, timeoutSeconds, signatureAgeSeconds } = webhookLimits;

const schemaName = (type: string): string => `${inPascalCase(type)}Event`;

/**
 * The schemas of the events' data. Events with the same fields share one, named after their resource:
 * `MemberEventData`.
 */
const dataSchemas = (): ((type: SentType) => z.ZodObject) => {
  const schemas = new Map<z.ZodObject, z.ZodObject>();
  return (type) => {
    const { data } = payloads[type];
    const sharing = sentTypes.filter((other) => payloads[other].data === data);
    const id = `${sharing.length > 1 ? inPascalCase(type.split('.')[0] ?? '') : inPascalCase(type)}EventData`;
    const described = { id, description: `The data of ${sharing.map((each) => `\`${each}\``).join(' and ')}.` };
    const schema = schemas.get(data) ?? dataOf(type).loose().meta(described);
    schemas.set(data, schema);
    return schema;
  };
};

/** The bodies of all events, for the document's schemas. */
export const eventSchemas = (): Record<string, z.ZodObject> => {
  const dataSchemaOf = dataSchemas();
  return Object.fromEntries(
    sentTypes.map((type) => [
      schemaName(type),
      bodySchemaOf(type)
        .extend({ data: dataSchemaOf(type) })
        .meta({ description: `Sent when ${triggers[type]}.` }),
    ]),
  );
};

/** The headers of a delivery. The media type is documented with the body. */
export const eventHeaders = {
  SvcSignature: {
    name: 'Svc-Signature',
    in: 'header',
    required: true,
    description: `\`t\` is the time of the attempt in Unix seconds, \`v1\` the lowercase hex HMAC-SHA256 of \`<t>.<raw body>\` with the endpoint’s whole secret as key. Compare in constant time, and refuse a \`t\` older than ${signatureAgeSeconds} seconds. Ignore fields you do not know.`,
    schema: { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}' },
    example: 't=1795163400,v1=ba3f4a552924604aaefad7ec71a0e494cf0238deeec2f1d7de0384c22e20a442',
  },
  SvcEventId: {
    name: 'Svc-Event-Id',
    in: 'header',
    required: true,
    description: 'The `id` of the body, to deduplicate on before reading it.',
    schema: { type: 'string', pattern: '^evt_.+$' },
    example: 'evt_01990c1e7a0070008000000000000080',
  },
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: false,
    description: 'Standard Webhooks: the same as `Svc-Event-Id`.',
    schema: { type: 'string', pattern: '^evt_.+$' },
    example: 'evt_01990c1e7a0070008000000000000080',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: false,
    description: 'Standard Webhooks: the time of the attempt in Unix seconds.',
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '1795163400',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: false,
    description: `Standard Webhooks: \`v1,\` and the base64 HMAC-SHA256 of \`<webhook-id>.<webhook-timestamp>.<raw body>\`. The key is the secret after \`whsec_\`, decoded from base64.`,
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=$' },
    example: 'v1,uCl2NeXvDOSeg2XYNNw7kMc7oPUZlfE83FSGiW8srBE=',
  },
  DeliveryUserAgent: {
    name: 'User-Agent',
    in: 'header',
    required: true,
    description: 'Names the service and its version.',
    schema: { type: 'string', pattern: '^Team-Customer-API/' },
  },
} as const;

/** Only requests of a check of the receiver have this header. */
const checkHeader = {
  name: 'Svc-Check',
  in: 'header',
  required: false,
  description:
    'Only in requests of a check of your receiver: which of its requests this is. Some of them are forged, so verify them like all others.',
  schema: { type: 'string' },
  example: probeNames[0],
} as const;

/** `30 min`, `2 h`. */
export const shortDuration = (seconds: number): string => {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
};

/** The answers of a receiver. */
export const eventResponses = {
  EventArrived: { description: 'Any 2xx: the event has arrived and is not sent again.' },
  EventNotArrived: {
    description: `Any other status, redirects too, and no whole answer within ${timeoutSeconds} seconds: sent again after ${retrySeconds.map(shortDuration).join(', ')}, each counted from the attempt before; then given up.`,
  },
};

const responses = {
  '2XX': { $ref: '#/components/responses/EventArrived' },
  default: { $ref: '#/components/responses/EventNotArrived' },
};

/** OpenAPI 3.1 `webhooks`: the requests that the service sends to subscribed endpoints. */
export const webhooks = () =>
  Object.fromEntries(
    sentTypes.map((type) => [
      type,
      {
        post: {
          operationId: `on${inPascalCase(type)}`,
          summary: type,
          description:
            type === 'ping'
              ? 'Sent when an endpoint is tested, and by a check of its receiver. It can’t be subscribed to.'
              : `Sent when ${triggers[type]}, to every active endpoint that subscribes to it; at least once, in no certain order.`,
          security: [],
          parameters: [
            ...Object.keys(eventHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
            ...(type === 'ping' ? [checkHeader] : []),
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: `#/components/schemas/${schemaName(type)}` },
                examples: { example: { value: JSON.parse(exampleBodyOf(type)) } },
              },
            },
          },
          responses,
        },
      },
    ]),
  );
