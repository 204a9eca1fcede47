import { exampleIds } from '../../core/example-ids.ts';
import { z } from 'zod';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { endpointLimits } from '../../core/limits.ts';
import { Done, done, doneAfter } from '../../platform/values.ts';
import type { KeyContext } from '../../platform/trpc/context.ts';
import { apiKeyProcedure, keyRouter, route } from '../../platform/trpc/procedures.ts';
import * as schema from './schema.ts';
import { listChecks, presentProbe, startCheck } from './check-up.ts';
import { recoverEndpoint, retryDelivery, testEndpoint } from './manual-deliveries.ts';
import { listDeliveries, listTeamDeliveries, readDelivery } from './history.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  readEndpoint,
  requireRightToExport,
} from './service.ts';

const wanted = {
  url: 'https://hooks.example.com/training',
  events: ['training.completed' as const, 'evaluation.completed' as const],
  description: 'Scores for our dashboard',
};

const example = {
  id: exampleIds.endpoint,
  ...wanted,
  headers: {},
  status: 'active' as const,
  api_version: '2026-11',
  created_at: '2026-11-20T08:30:00.000Z',
  last_success_at: '2026-11-20T09:12:41.218Z',
};

const created = {
  ...example,
  last_success_at: null,
  secret: 'whsec_ForTheDocumentOnlyAndNotASecretOfAnybody1234',
};

const delivery = {
  id: exampleIds.delivery,
  attempt: 1,
  status: 'failed' as const,
  event_id: `evt_${exampleIds.event.replaceAll('-', '')}`,
  event_type: 'training.completed',
  created_at: '2026-11-20T09:12:40.902Z',
  next_try_at: '2026-11-20T09:13:41.004Z',
  response_code: 500,
  response_excerpt: 'Internal Server Error',
  response_ms: 84,
  error: null,
  member_detail: true,
};

const ofTeam = { ...delivery, endpoint_id: exampleIds.endpoint };

const withAttempts = {
  ...ofTeam,
  attempts: [
    {
      number: 1,
      manual: false,
      started_at: '2026-11-20T09:12:40.920Z',
      url: wanted.url,
      request_headers: { 'Content-Type': 'application/json', 'Svc-Event-Id': delivery.event_id },
      response_code: delivery.response_code,
      response_headers: { 'content-type': 'text/plain' },
      response_excerpt: delivery.response_excerpt,
      response_ms: delivery.response_ms,
      error: null,
      member_detail: true,
    },
  ],
};

const checkId = '01990c1e-7a00-7000-8000-000000000082';
const place = { publicUrl: 'https://api.example.com', language: 'en' } as const;
const answered = { code: 204, ms: 41, error: null };

const checked = {
  running: {
    id: checkId,
    status: 'running' as const,
    grade: null,
    created_at: '2026-11-20T09:15:00.412Z',
    completed_at: null,
    probes: [toSnake(presentProbe('valid', undefined, place))],
  },
  completed: {
    id: checkId,
    status: 'completed' as const,
    grade: 'failed' as const,
    created_at: '2026-11-20T09:15:00.412Z',
    completed_at: '2026-11-20T09:15:03.127Z',
    // Two of the probes. With all of them, this would be the longest example of the document.
    probes: (['valid', 'stale'] as const).map((probe) => toSnake(presentProbe(probe, { probe, ...answered }, place))),
  },
};

const path = { endpoint_id: example.id };
const scope = 'webhooks:manage';

const mayExport = ({ principal }: KeyContext): boolean => principal.scopes.has('audit:export');

export const webhooks = keyRouter({
  list: apiKeyProcedure
    .meta(
      route('GET /webhook-endpoints', {
        operationId: 'listWebhookEndpoints',
        scope,
        summary: 'List webhook endpoints',
        description: 'All endpoints of the team, newest first. Their secrets are not shown again.',
        example: { output: { data: [example] } },
      }),
    )
    .input(z.strictObject({}))
    .output(schema.WebhookEndpointList)
    .query(async ({ ctx }) => toSnake({ data: await listEndpoints(ctx.team) })),

  create: apiKeyProcedure
    .meta(
      route('POST /webhook-endpoints', {
        operationId: 'createWebhookEndpoint',
        scope,
        status: 201,
        summary: 'Create a webhook endpoint',
        description:
          'From now on, events are sent to the URL. Only this response contains the `secret` with which they are signed. The secret can’t be renewed: to change it, create another endpoint with the same events, switch the receiver, then delete this one. An endpoint for `audit.recorded` needs the scope `audit:export` too. ' +
          `A team has at most ${endpointLimits.endpointsPerTeam} endpoints; creating another returns 422 with \`field\` \`webhook_endpoints\`.`,
        example: { input: wanted, output: created },
      }),
    )
    .input(schema.NewWebhookEndpoint)
    .output(schema.CreatedWebhookEndpoint)
    .mutation(async ({ ctx, input }) => {
      requireRightToExport(input.events, mayExport(ctx));
      // `vet` asks DNS, so it runs before the transaction. A refused URL counts as a result of the action, so a
      // repeated request gets the same refusal.
      const verdict = await ctx.team.platform.egress.vet(input.url);
      return ctx.once((team) => answer(createEndpoint(team, input, verdict)));
    }),

  get: apiKeyProcedure
    .meta(
      route('GET /webhook-endpoints/{endpoint_id}', {
        operationId: 'getWebhookEndpoint',
        scope,
        summary: 'Read a webhook endpoint',
        description: 'One endpoint of the team, without its secret.',
        example: { input: path, output: example },
      }),
    )
    .input(schema.EndpointPath)
    .output(schema.WebhookEndpoint)
    .query(({ ctx, input }) => answer(readEndpoint(ctx.team, input.endpoint_id))),

  change: apiKeyProcedure
    .meta(
      route('PATCH /webhook-endpoints/{endpoint_id}', {
        operationId: 'updateWebhookEndpoint',
        scope,
        summary: 'Change a webhook endpoint',
        description:
          'Fields that are left out stay as they are. To subscribe to `audit.recorded`, and to change the `url` of an endpoint for it, the key needs the scope `audit:export` too. `disabled` stops sending: new events are not delivered, and waiting deliveries go on when the endpoint is `active` again.',
        example: { input: { ...path, status: 'disabled' }, output: { ...example, status: 'disabled' } },
      }),
    )
    .input(schema.EndpointChange)
    .output(schema.WebhookEndpoint)
    .mutation(({ ctx, input: { endpoint_id, ...wanted } }) =>
      answer(changeEndpoint(ctx.team, endpoint_id, wanted, { mayExport: mayExport(ctx) })),
    ),

  remove: apiKeyProcedure
    .meta(
      route('DELETE /webhook-endpoints/{endpoint_id}', {
        operationId: 'deleteWebhookEndpoint',
        scope,
        summary: 'Delete a webhook endpoint',
        description:
          'Deletes the endpoint permanently, with its waiting deliveries. A delivery that is being sent at that moment may still arrive.',
        example: { input: path, output: done },
      }),
    )
    .input(schema.EndpointPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(deleteEndpoint(ctx.team, input.endpoint_id))),

  test: apiKeyProcedure
    .meta(
      route('POST /webhook-endpoints/{endpoint_id}/test', {
        operationId: 'testWebhookEndpoint',
        scope,
        status: 202,
        summary: 'Test a webhook endpoint',
        description:
          'Sends one `ping` within seconds, whatever the endpoint’s status, which stays as it is. While the endpoint is not `active`, the ping is attempted once: if this attempt fails, the delivery is `gave_up` at once. The result is in the list of deliveries.',
        example: { input: path, output: { delivery_id: delivery.id, status: 'pending' } },
      }),
    )
    .input(schema.EndpointPath)
    .output(schema.StartedDelivery)
    .mutation(({ ctx, input }) => ctx.once((team) => answer(testEndpoint(team, input.endpoint_id)))),

  check: apiKeyProcedure
    .meta(
      route('POST /webhook-endpoints/{endpoint_id}/check', {
        operationId: 'checkWebhookEndpoint',
        scope,
        status: 202,
        summary: 'Check a receiver',
        description:
          `Sends the endpoint eight requests, one after the other: some that a good receiver accepts, and some that it refuses. Each has the header \`Svc-Check\`, and none reports a real event. Verdicts are in the list of the endpoint’s checks within a minute or two. ` +
          `A team can start ${endpointLimits.checksPerTeamPerHour} checks an hour (429), one at a time for each endpoint (409).`,
        example: { input: path, output: checked.running },
      }),
    )
    .input(schema.EndpointPath)
    .output(schema.WebhookCheck)
    .mutation(({ ctx, input }) => ctx.once((team) => answer(startCheck(team, input.endpoint_id, ctx.language)))),

  recover: apiKeyProcedure
    .meta(
      route('POST /webhook-endpoints/{endpoint_id}/recover', {
        operationId: 'recoverWebhookEndpoint',
        scope,
        status: 202,
        summary: 'Recover missed events',
        description:
          'Sends an `active` endpoint the events of its types since a time that were not delivered to it, unless a delivery is still to send them. Events from while it was paused or disabled are among them. Events older than the endpoint are sent only with `include_older`. With `dry_run` events are only counted: nothing is sent, and no limit is used. ' +
          `At most ${endpointLimits.recoveredAtOnce} events at once, and ${endpointLimits.recoveredPerTeamPerDay} for a team within 24 hours (429): if \`more\` is true, repeat the request with another \`Idempotency-Key\`.`,
        example: {
          input: { ...path, since: '2026-11-20T08:30:00Z' },
          output: { recovered: 17, older: 0, more: false },
        },
      }),
    )
    .input(schema.NewRecovery)
    .output(schema.Recovery)
    .mutation(({ ctx, input }) => ctx.once((team) => recoverEndpoint(team, toCamel(input)))),

  checks: apiKeyProcedure
    .meta(
      route('GET /webhook-endpoints/{endpoint_id}/checks', {
        operationId: 'listWebhookChecks',
        scope,
        summary: 'List checks of a receiver',
        description: 'The newest checks of an endpoint’s receiver, newest first.',
        example: { input: { ...path, limit: 1 }, output: { data: [checked.completed] } },
      }),
    )
    .input(schema.ChecksQuery)
    .output(schema.WebhookCheckList)
    .query(async ({ ctx, input }) => toSnake({ data: await listChecks(ctx.team, toCamel(input), ctx.language) })),

  deliveries: apiKeyProcedure
    .meta(
      route('GET /webhook-endpoints/{endpoint_id}/deliveries', {
        operationId: 'listWebhookDeliveries',
        scope,
        summary: 'List deliveries to an endpoint',
        description: 'The newest deliveries to an endpoint, newest first.',
        example: { input: { ...path, limit: 50 }, output: { data: [delivery] } },
      }),
    )
    .input(schema.DeliveriesQuery)
    .output(schema.WebhookDeliveryList)
    .query(async ({ ctx, input }) => toSnake({ data: await listDeliveries(ctx.team, toCamel(input)) })),

  allDeliveries: apiKeyProcedure
    .meta(
      route('GET /webhook-deliveries', {
        operationId: 'listAllWebhookDeliveries',
        scope,
        summary: 'List deliveries',
        description:
          'The deliveries to all endpoints of the team, newest first. With a filter that few deliveries match, a page may be short or empty and still have a `next_cursor`.',
        example: { input: { status: 'failed', limit: 50 }, output: { data: [ofTeam], next_cursor: null } },
      }),
    )
    .input(schema.TeamDeliveriesQuery)
    .output(schema.TeamDeliveryPage)
    .query(({ ctx, input }) => answer(listTeamDeliveries(ctx.team, toCamel(input)))),

  getDelivery: apiKeyProcedure
    .meta(
      route('GET /webhook-deliveries/{delivery_id}', {
        operationId: 'getWebhookDelivery',
        scope,
        summary: 'Read a delivery',
        description: 'One delivery, with its attempts: what was sent, and what the receiver answered.',
        example: { input: { delivery_id: delivery.id }, output: withAttempts },
      }),
    )
    .input(schema.DeliveryPath)
    .output(schema.DeliveryWithAttempts)
    .query(({ ctx, input }) => answer(readDelivery(ctx.team, input.delivery_id))),

  retry: apiKeyProcedure
    .meta(
      route('POST /webhook-deliveries/{delivery_id}/retry', {
        operationId: 'retryWebhookDelivery',
        scope,
        status: 202,
        summary: 'Retry a delivery',
        description:
          'Attempts a `failed` or `gave_up` delivery at once, on top of its schedule and whatever its endpoint’s status. If this attempt fails, a delivery that was `failed` continues with its schedule.',
        example: {
          input: { delivery_id: delivery.id },
          output: { ...delivery, status: 'pending', next_try_at: '2026-11-20T09:13:02.377Z' },
        },
      }),
    )
    .input(schema.DeliveryPath)
    .output(schema.WebhookDelivery)
    .mutation(({ ctx, input }) => ctx.once((team) => answer(retryDelivery(team, input.delivery_id)))),
});
