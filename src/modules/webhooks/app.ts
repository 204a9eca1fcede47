import { z } from 'zod';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { BulkResults, forEachSeparately } from '../../platform/bulk.ts';
import { ListCount } from '../../platform/paging.ts';
import * as schema from './schema.ts';
import { countMissed, replayEvent, retryDelivery } from './manual-deliveries.ts';
import { attemptsOf, countDeliveries, getDelivery, pageOfDeliveries } from './history.ts';
import { daysOfEndpoints, healthOf } from './health.ts';
import { newestDeliveries, reachOf } from './event-outcomes.ts';
import { failingEndpoints, renewEndpoint } from './service.ts';

export const webhookHistory = personRouter({
  /** Which endpoints fail, and since when: paused ones, and active ones whose last two attempts failed. */
  failing: adminProcedure
    .input(z.strictObject({}))
    .output(schema.FailingEndpoints)
    .query(async ({ ctx }) => ({
      endpoints: (await failingEndpoints(ctx.team)).map(({ id, failingSince }) =>
        toSnake({ endpointId: id, failingSince }),
      ),
    })),

  delivery: adminProcedure
    .input(schema.DeliveryPath)
    .output(schema.OneDelivery)
    .query(({ ctx, input }) => answer(getDelivery(ctx.team, input.delivery_id))),

  deliveries: adminProcedure
    .input(schema.EndpointDeliveriesQuery)
    .output(schema.EndpointDeliveryPage)
    .query(({ ctx, input }) => answer(pageOfDeliveries(ctx.team, toCamel(input)))),

  countDeliveries: adminProcedure
    .input(schema.EndpointDeliveriesFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countDeliveries(ctx.team, toCamel(input))),

  attempts: adminProcedure
    .input(schema.DeliveryPath)
    .output(schema.AttemptList)
    .query(async ({ ctx, input }) => toSnake({ data: await attemptsOf(ctx.team, input.delivery_id) })),

  retryMany: adminProcedure
    .input(schema.BulkDeliveries)
    .output(BulkResults)
    .mutation(({ ctx, input }) => forEachSeparately(input.delivery_ids, (id) => retryDelivery(ctx.team, id))),

  event: adminProcedure
    .input(schema.EventPath)
    .output(schema.EventReach)
    .query(({ ctx, input }) => answer(reachOf(ctx.team, input.event_id))),

  newest: adminProcedure
    .input(schema.NewestDeliveriesQuery)
    .output(schema.TeamDeliveryList)
    .query(async ({ ctx, input }) => toSnake({ data: await newestDeliveries(ctx.team, input) })),

  missed: adminProcedure
    .input(schema.MissedQuery)
    .output(schema.MissedEvents)
    .query(({ ctx, input }) => answer(countMissed(ctx.team, toCamel(input)))),

  replay: adminProcedure
    .input(schema.EventToReplay)
    .output(schema.StartedDelivery)
    .mutation(({ ctx, input }) => answer(replayEvent(ctx.team, toCamel(input)))),

  /**
   * A second endpoint like this one, with a new secret. The right to export the audit log is not checked for `events`,
   * because every admin has it.
   */
  renew: adminProcedure
    .input(schema.EndpointPath)
    .output(schema.CreatedWebhookEndpoint)
    .mutation(({ ctx, input }) => answer(renewEndpoint(ctx.team, input.endpoint_id))),

  /** The outcomes of the attempts to each endpoint, for each of the last days; today comes last. */
  days: adminProcedure
    .input(schema.DaysQuery)
    .output(schema.EndpointDays)
    .query(({ ctx, input }) => answer(daysOfEndpoints(ctx.team, input))),

  /** The outcomes and durations of the attempts to one endpoint, or to all, in each of the given intervals. */
  health: adminProcedure
    .input(schema.HealthQuery)
    .output(schema.Health)
    .query(({ ctx, input }) => answer(healthOf(ctx.team, toCamel(input)))),
});
