import { z } from 'zod';
import { connectionMessages } from '../../core/messages/crm.ts';
import { fail } from '../../core/problem.ts';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { ListCount, PageQuery } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import {
  changeConnection,
  connect,
  countAppDeals,
  disconnect,
  getConnection,
  listAppDeals,
  listConnections,
  pauseConnection,
  renewToken,
  requestSync,
  resumeConnection,
  tryConnection,
} from './service.ts';
import { objectionList } from './deal-store.ts';
import { runList } from './run-store.ts';
import * as schema from './schema.ts';

/** For HubSpot and Pipedrive, addresses other than their public ones are only for the operator's tests. */
const refuseOtherAddress = ({ provider, url }: z.output<typeof schema.TriedConnection>): void => {
  if (provider !== 'feed' && url !== undefined) {
    fail('validation_error', { field: 'url', detail: connectionMessages.onlyFeedHasUrl });
  }
};

const action = adminProcedure.output(Done);
const connectionAction = action.input(schema.ConnectionPath);
const withoutInput = adminProcedure.input(z.strictObject({}));

export const crm = personRouter({
  connections: withoutInput
    .output(schema.ConnectionList)
    .query(async ({ ctx }) => toSnake({ data: await listConnections(ctx.team) })),

  connection: adminProcedure
    .input(schema.ConnectionPath)
    .output(schema.Connection)
    .query(({ ctx, input }) => answer(getConnection(ctx.team, input.connection_id))),

  tryConnection: action.input(schema.TriedConnection).mutation(({ ctx, input }) => {
    refuseOtherAddress(input);
    return doneAfter(tryConnection(ctx.team, toCamel(input)));
  }),

  connect: adminProcedure
    .input(schema.NewConnection)
    .output(schema.ConnectionPath)
    .mutation(async ({ ctx, input }) => {
      refuseOtherAddress(input);
      const { connectionId } = await connect(ctx.team, toCamel(input), { tries: true });
      return { connection_id: connectionId };
    }),

  change: action
    .input(schema.ConnectionChange)
    .mutation(({ ctx, input }) => doneAfter(changeConnection(ctx.team, toCamel(input)))),

  renewToken: action
    .input(schema.NewToken)
    .mutation(({ ctx, input }) => doneAfter(renewToken(ctx.team, input.connection_id, input.token))),

  syncNow: connectionAction.mutation(({ ctx, input }) => doneAfter(requestSync(ctx.team, input.connection_id))),
  pause: connectionAction.mutation(({ ctx, input }) => doneAfter(pauseConnection(ctx.team, input.connection_id))),
  resume: connectionAction.mutation(({ ctx, input }) => doneAfter(resumeConnection(ctx.team, input.connection_id))),
  disconnect: connectionAction.mutation(({ ctx, input }) => doneAfter(disconnect(ctx.team, input.connection_id))),

  runs: adminProcedure
    .input(schema.RunQuery)
    .output(schema.RunPage)
    .query(({ ctx, input }) => answer(runList(ctx.team, toCamel(input)))),

  deals: adminProcedure
    .input(schema.AppDealQuery)
    .output(schema.SyncedDealPage)
    .query(({ ctx, input }) => answer(listAppDeals(ctx.team, toCamel(input), ctx.language))),

  countDeals: adminProcedure
    .input(schema.AppDealFilters)
    .output(ListCount)
    .query(({ ctx, input }) => countAppDeals(ctx.team, toCamel(input))),

  countObjections: withoutInput.output(ListCount).query(({ ctx }) => objectionList.count(ctx.team)),

  objections: adminProcedure
    .input(PageQuery)
    .output(schema.SyncedObjectionPage)
    .query(({ ctx, input }) => answer(objectionList(ctx.team, input))),
});
