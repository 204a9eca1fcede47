import { z } from 'zod';
import { connectionMessages } from '../../core/messages/crm.ts';
import { fail } from '../../core/problem.ts';
import { ListCount } from '../../platform/paging.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import {
  changeConnection,
  connect,
  disconnect,
  getConnection,
  listConnections,
  pauseConnection,
  renewToken,
  requestSync,
  resumeConnection,
  tryConnection,
} from './service.ts';
import { dealList, objectionList } from './deal-store.ts';
import { runList } from './run-store.ts';
import {
  Connection,
  ConnectionChange,
  ConnectionList,
  ConnectionPath,
  CrmQuery,
  NewConnection,
  NewToken,
  RunPage,
  RunQuery,
  SyncedDealPage,
  SyncedObjectionPage,
  TriedConnection,
} from './schema.ts';

/** Another address of HubSpot or Pipedrive is only for the operator's tests. */
const refuseOtherAddress = ({ provider, url }: z.output<typeof TriedConnection>): void => {
  if (provider !== 'feed' && url !== undefined) {
    fail('validation_error', { field: 'url', detail: connectionMessages.onlyFeedHasUrl });
  }
};

export const crm = personRouter({
  connections: personProcedure
    .meta({ needs: 'admin', summary: 'The team’s CRM connections, oldest first' })
    .input(z.strictObject({}))
    .output(ConnectionList)
    .query(async ({ ctx }) => ({ data: await listConnections(ctx.team) })),

  connection: personProcedure
    .meta({ needs: 'admin', summary: 'One CRM connection, as it is right now' })
    .input(ConnectionPath)
    .output(Connection)
    .query(({ ctx, input }) => getConnection(ctx.team, input.connection_id)),

  tryConnection: personProcedure
    .meta({ needs: 'admin', summary: 'Try the token of a CRM that is not connected yet; nothing is stored' })
    .input(TriedConnection)
    .output(Done)
    .mutation(({ ctx, input }) => {
      refuseOtherAddress(input);
      return doneAfter(tryConnection(ctx.team, input));
    }),

  connect: personProcedure
    .meta({
      needs: 'admin',
      summary: 'Connect the team to a CRM, after a try of the token; the first sync follows at once',
    })
    .input(NewConnection)
    .output(ConnectionPath)
    .mutation(async ({ ctx, input }) => {
      refuseOtherAddress(input);
      const { connection_id } = await connect(ctx.team, input, { tries: true });
      return { connection_id };
    }),

  change: personProcedure
    .meta({ needs: 'admin', summary: 'Change a CRM connection’s name, interval or settings' })
    .input(ConnectionChange)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(changeConnection(ctx.team, input))),

  renewToken: personProcedure
    .meta({ needs: 'admin', summary: 'Replace the access token of a CRM connection, after a try of the new one' })
    .input(NewToken)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(renewToken(ctx.team, input.connection_id, input.token))),

  syncNow: personProcedure
    .meta({
      needs: 'admin',
      summary: 'Sync a CRM connection within seconds; where a sync runs already, nothing more is done',
    })
    .input(ConnectionPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(requestSync(ctx.team, input.connection_id))),

  pause: personProcedure
    .meta({ needs: 'admin', summary: 'Stop the syncs of a CRM connection; what was found stays' })
    .input(ConnectionPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(pauseConnection(ctx.team, input.connection_id))),

  resume: personProcedure
    .meta({ needs: 'admin', summary: 'Start the syncs of a CRM connection again' })
    .input(ConnectionPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(resumeConnection(ctx.team, input.connection_id))),

  disconnect: personProcedure
    .meta({ needs: 'admin', summary: 'Disconnect a CRM: its deals and objections are gone from every answer at once' })
    .input(ConnectionPath)
    .output(Done)
    .mutation(({ ctx, input }) => doneAfter(disconnect(ctx.team, input.connection_id))),

  runs: personProcedure
    .meta({ needs: 'admin', summary: 'The syncs of a CRM connection, newest first' })
    .input(RunQuery)
    .output(RunPage)
    .query(({ ctx, input }) => runList(ctx.team, input)),

  deals: personProcedure
    .meta({ needs: 'admin', summary: 'The deals of all CRM connections, the one first seen last at the top' })
    .input(CrmQuery)
    .output(SyncedDealPage)
    .query(({ ctx, input }) => dealList(ctx.team, input)),

  countDeals: personProcedure
    .meta({ needs: 'admin', summary: 'How many deals all CRM connections have' })
    .input(z.strictObject({}))
    .output(ListCount)
    .query(({ ctx }) => dealList.count(ctx.team)),

  countObjections: personProcedure
    .meta({ needs: 'admin', summary: 'How many objections all CRM connections have' })
    .input(z.strictObject({}))
    .output(ListCount)
    .query(({ ctx }) => objectionList.count(ctx.team)),

  objections: personProcedure
    .meta({ needs: 'admin', summary: 'The objections of all CRM connections, newest first' })
    .input(CrmQuery)
    .output(SyncedObjectionPage)
    .query(({ ctx, input }) => objectionList(ctx.team, input)),
});
