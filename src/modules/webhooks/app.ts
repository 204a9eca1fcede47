import { z } from 'zod';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import {
  AttemptList,
  DayList,
  DaysWanted,
  EndpointDeliveriesQuery,
  EndpointDeliveryPage,
  EventToReplay,
  FailingEndpoints,
  OneDelivery,
  Recovery,
  RecoveryWanted,
} from './schema.ts';
import { DeliveryPath, StartedDelivery } from './schema.ts';
import { recoverEndpoint, replayEvent } from './by-hand.ts';
import { attemptsOf, daysOf, getDelivery, pageOfDeliveries } from './history.ts';
import { endpointsOf } from './service.ts';

export const webhookHistory = appRouterOf({
  failing: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Since when nothing gets through to which endpoints',
      input: z.strictObject({}),
      output: FailingEndpoints,
    },
    async ({ ctx }) => ({
      endpoints: (await endpointsOf(ctx.team)).flatMap(({ id, failing_since }) =>
        failing_since === null ? [] : [{ endpoint_id: id, failing_since }],
      ),
    }),
  ),

  delivery: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'One delivery, as it is right now',
      input: DeliveryPath,
      output: OneDelivery,
    },
    ({ ctx, input }) => getDelivery(ctx.team, input.delivery_id),
  ),

  deliveries: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Deliveries to an endpoint, newest first, by status and event type',
      input: EndpointDeliveriesQuery,
      output: EndpointDeliveryPage,
    },
    ({ ctx, input }) => pageOfDeliveries(ctx.team, input),
  ),

  attempts: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'The attempts to send a delivery, the last one first: what was sent, and what came back',
      input: DeliveryPath,
      output: AttemptList,
    },
    async ({ ctx, input }) => ({ data: await attemptsOf(ctx.team, input.delivery_id) }),
  ),

  replay: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Send an event to an endpoint once more',
      input: EventToReplay,
      output: StartedDelivery,
    },
    ({ ctx, input }) => replayEvent(ctx.team, input),
  ),

  recover: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Send an endpoint the events that it missed since a time',
      input: RecoveryWanted,
      output: Recovery,
    },
    ({ ctx, input }) => recoverEndpoint(ctx.team, input),
  ),

  days: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'What the attempts of each of the last days came to, today’s last',
      input: DaysWanted,
      output: DayList,
    },
    async ({ ctx, input }) => ({ data: await daysOf(ctx.team, input) }),
  ),
});
