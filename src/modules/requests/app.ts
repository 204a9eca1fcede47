import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import {
  DetailedRequest,
  KeyUses,
  KeyUsesWanted,
  RequestPage,
  RequestPath,
  RequestQuery,
  Volume,
  VolumeQuery,
} from './schema.ts';
import { getRequest, listRequests, usesOfOneKey, volumeOf } from './service.ts';

export const requests = personRouter({
  list: personProcedure
    .meta({
      needs: 'admin',
      summary: 'The requests with the team’s keys, newest first; a short page need not be the last one',
    })
    .input(RequestQuery)
    .output(RequestPage)
    .query(({ ctx, input }) => listRequests(ctx.team, input)),

  get: personProcedure
    .meta({ needs: 'admin', summary: 'One request of the log with its caller, query and problem' })
    .input(RequestPath)
    .output(DetailedRequest)
    .query(({ ctx, input }) => getRequest(ctx.team, input.entry_id)),

  ofKey: personProcedure
    .meta({ needs: 'admin', summary: 'What a key was used for in the last 30 days, and by which callers of late' })
    .input(KeyUsesWanted)
    .output(KeyUses)
    .query(({ ctx, input }) => usesOfOneKey(ctx.team, input.key_id)),

  volume: personProcedure
    .meta({ needs: 'admin', summary: 'How many requests there were in each of some intervals, by outcome' })
    .input(VolumeQuery)
    .output(Volume)
    .query(({ ctx, input }) => volumeOf(ctx.team, input)),
});
