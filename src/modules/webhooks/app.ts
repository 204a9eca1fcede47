import { z } from 'zod';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { ListCount } from '../../platform/paging.ts';
import {
  AttemptList,
  BulkDeliveries,
  DaysWanted,
  DeliveryPath,
  EndpointDeliveriesFilters,
  EndpointDeliveriesQuery,
  EndpointDays,
  EndpointDeliveryPage,
  EventPath,
  EventReach,
  EventToReplay,
  FailingEndpoints,
  NewestDeliveriesQuery,
  Health,
  HealthQuery,
  OneDelivery,
  Recovery,
  RecoveryWanted,
  StartedDelivery,
  TeamDeliveryList,
} from './schema.ts';
import { recoverEndpoint, replayEvent, retryDelivery } from './by-hand.ts';
import { attemptsOf, countDeliveries, getDelivery, pageOfDeliveries } from './history.ts';
import { daysOfEndpoints, healthOf } from './health.ts';
import { newestDeliveries, reachOf } from './reach.ts';
import { failingEndpoints } from './service.ts';

export const webhookHistory = personRouter({
  failing: personProcedure
    .meta({
      needs: 'admin',
      summary: 'Since when which endpoints fail: paused ones, and active ones whose last two attempts failed',
    })
    .input(z.strictObject({}))
    .output(FailingEndpoints)
    .query(async ({ ctx }) => ({
      endpoints: (await failingEndpoints(ctx.team)).map(({ id, failingSince }) => ({
        endpoint_id: id,
        failing_since: failingSince.toISOString(),
      })),
    })),

  delivery: personProcedure
    .meta({ needs: 'admin', summary: 'One delivery, as it is right now' })
    .input(DeliveryPath)
    .output(OneDelivery)
    .query(({ ctx, input }) => getDelivery(ctx.team, input.delivery_id)),

  deliveries: personProcedure
    .meta({ needs: 'admin', summary: 'Deliveries to an endpoint, newest first, by status and event type' })
    .input(EndpointDeliveriesQuery)
    .output(EndpointDeliveryPage)
    .query(({ ctx, input }) => pageOfDeliveries(ctx.team, input)),

  countDeliveries: personProcedure
    .meta({ needs: 'admin', summary: 'How many deliveries to an endpoint match these filters' })
    .input(EndpointDeliveriesFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countDeliveries(ctx.team, input)),

  attempts: personProcedure
    .meta({
      needs: 'admin',
      summary: 'The attempts to send a delivery, the last one first: what was sent, and what came back',
    })
    .input(DeliveryPath)
    .output(AttemptList)
    .query(async ({ ctx, input }) => ({ data: await attemptsOf(ctx.team, input.delivery_id) })),

  retryMany: personProcedure
    .meta({ needs: 'admin', summary: 'Retry several deliveries now, each as if alone' })
    .input(BulkDeliveries)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.delivery_ids, (id) => retryDelivery(ctx.team, id))),

  event: personProcedure
    .meta({ needs: 'admin', summary: 'An event, and what became of it at each endpoint' })
    .input(EventPath)
    .output(EventReach)
    .query(({ ctx, input }) => reachOf(ctx.team, input.event_id)),

  newest: personProcedure
    .meta({ needs: 'admin', summary: 'The newest deliveries to all endpoints since a time' })
    .input(NewestDeliveriesQuery)
    .output(TeamDeliveryList)
    .query(async ({ ctx, input }) => ({ data: await newestDeliveries(ctx.team, input) })),

  replay: personProcedure
    .meta({ needs: 'admin', summary: 'Send an event to an endpoint once more' })
    .input(EventToReplay)
    .output(StartedDelivery)
    .mutation(({ ctx, input }) => replayEvent(ctx.team, input)),

  recover: personProcedure
    .meta({ needs: 'admin', summary: 'Send an endpoint the events that it missed since a time' })
    .input(RecoveryWanted)
    .output(Recovery)
    .mutation(({ ctx, input }) => recoverEndpoint(ctx.team, input)),

  days: personProcedure
    .meta({ needs: 'admin', summary: 'What the attempts to each endpoint came to on the last days, today’s last' })
    .input(DaysWanted)
    .output(EndpointDays)
    .query(({ ctx, input }) => daysOfEndpoints(ctx.team, input)),

  health: personProcedure
    .meta({
      needs: 'admin',
      summary: 'How attempts ended and how long they took in each of some intervals, to one endpoint or to all',
    })
    .input(HealthQuery)
    .output(Health)
    .query(({ ctx, input }) => healthOf(ctx.team, input)),
});
