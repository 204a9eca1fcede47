import { z } from 'zod';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
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
  /** Since when which endpoints fail: paused ones, and active ones whose last two attempts failed. */
  failing: adminProcedure
    .input(z.strictObject({}))
    .output(FailingEndpoints)
    .query(async ({ ctx }) => ({
      endpoints: (await failingEndpoints(ctx.team)).map(({ id, failingSince }) => ({
        endpoint_id: id,
        failing_since: failingSince.toISOString(),
      })),
    })),

  delivery: adminProcedure
    .input(DeliveryPath)
    .output(OneDelivery)
    .query(({ ctx, input }) => getDelivery(ctx.team, input.delivery_id)),

  deliveries: adminProcedure
    .input(EndpointDeliveriesQuery)
    .output(EndpointDeliveryPage)
    .query(({ ctx, input }) => pageOfDeliveries(ctx.team, input)),

  countDeliveries: adminProcedure
    .input(EndpointDeliveriesFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countDeliveries(ctx.team, input)),

  attempts: adminProcedure
    .input(DeliveryPath)
    .output(AttemptList)
    .query(async ({ ctx, input }) => ({ data: await attemptsOf(ctx.team, input.delivery_id) })),

  retryMany: adminProcedure
    .input(BulkDeliveries)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.delivery_ids, (id) => retryDelivery(ctx.team, id))),

  event: adminProcedure
    .input(EventPath)
    .output(EventReach)
    .query(({ ctx, input }) => reachOf(ctx.team, input.event_id)),

  newest: adminProcedure
    .input(NewestDeliveriesQuery)
    .output(TeamDeliveryList)
    .query(async ({ ctx, input }) => ({ data: await newestDeliveries(ctx.team, input) })),

  replay: adminProcedure
    .input(EventToReplay)
    .output(StartedDelivery)
    .mutation(({ ctx, input }) => replayEvent(ctx.team, input)),

  recover: adminProcedure
    .input(RecoveryWanted)
    .output(Recovery)
    .mutation(({ ctx, input }) => recoverEndpoint(ctx.team, input)),

  /** What the attempts to each endpoint came to on the last days, today’s last. */
  days: adminProcedure
    .input(DaysWanted)
    .output(EndpointDays)
    .query(({ ctx, input }) => daysOfEndpoints(ctx.team, input)),

  /** How attempts ended and how long they took in each of some intervals, to one endpoint or to all. */
  health: adminProcedure
    .input(HealthQuery)
    .output(Health)
    .query(({ ctx, input }) => healthOf(ctx.team, input)),
});
