import { answer, toCamel } from '../../core/spelling.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import * as schema from './schema.ts';
import { getRequest, listRequests, usesOfOneKey, volumeOf } from './service.ts';

export const requests = personRouter({
  /** The requests with the team’s keys, newest first; a short page need not be the last one. */
  list: adminProcedure
    .input(schema.RequestQuery)
    .output(schema.RequestPage)
    .query(({ ctx, input }) => answer(listRequests(ctx.team, toCamel(input)))),

  get: adminProcedure
    .input(schema.RequestPath)
    .output(schema.DetailedRequest)
    .query(({ ctx, input }) => answer(getRequest(ctx.team, input.entry_id))),

  /** The routes that a key called in the last 30 days, and the callers of its newest requests. */
  ofKey: adminProcedure
    .input(schema.KeyUsesQuery)
    .output(schema.KeyUses)
    .query(({ ctx, input }) => answer(usesOfOneKey(ctx.team, input.key_id))),

  volume: adminProcedure
    .input(schema.VolumeQuery)
    .output(schema.Volume)
    .query(({ ctx, input }) => volumeOf(ctx.team, toCamel(input))),
});
