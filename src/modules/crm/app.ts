import { z } from 'zod';
import { connectionMessages } from '../../core/messages/crm.ts';
import { fail } from '../../core/problem.ts';
import { done, Done } from '../../platform/values.ts';
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
  listDeals,
  listObjectionsWithDeals,
  listRuns,
} from './service.ts';
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

const forAdmins = { audience: 'person', needs: 'admin' } as const;

/** Another address of HubSpot or Pipedrive is only for the operator's tests. */
const refuseOtherAddress = ({ provider, url }: z.output<typeof TriedConnection>): void => {
  if (provider !== 'feed' && url !== undefined) {
    fail('validation_error', { field: 'url', detail: connectionMessages.onlyFeedHasUrl });
  }
};

export const crm = personRouter({
  connections: personProcedure
    .meta({ ...forAdmins, summary: 'The team’s CRM connections, oldest first' })
    .input(z.strictObject({}))
    .output(ConnectionList)
    .query(async ({ ctx }) => ({ data: await listConnections(ctx.team) })),

  connection: personProcedure
    .meta({ ...forAdmins, summary: 'One CRM connection, as it is right now' })
    .input(ConnectionPath)
    .output(Connection)
    .query(({ ctx, input }) => getConnection(ctx.team, input.connection_id)),

  tryConnection: personProcedure
    .meta({ ...forAdmins, summary: 'Try the token of a CRM that is not connected yet; nothing is stored' })
    .input(TriedConnection)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      refuseOtherAddress(input);
      await tryConnection(ctx.team, input);
      return done;
    }),

  connect: personProcedure
    .meta({
      ...forAdmins,
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
    .meta({ ...forAdmins, summary: 'Change a CRM connection’s name, interval or settings' })
    .input(ConnectionChange)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await changeConnection(ctx.team, input);
      return done;
    }),

  renewToken: personProcedure
    .meta({ ...forAdmins, summary: 'Replace the access token of a CRM connection, after a try of the new one' })
    .input(NewToken)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await renewToken(ctx.team, input.connection_id, input.token);
      return done;
    }),

  syncNow: personProcedure
    .meta({
      ...forAdmins,
      summary: 'Sync a CRM connection within seconds; where a sync runs already, nothing more is done',
    })
    .input(ConnectionPath)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await requestSync(ctx.team, input.connection_id);
      return done;
    }),

  pause: personProcedure
    .meta({ ...forAdmins, summary: 'Stop the syncs of a CRM connection; what was found stays' })
    .input(ConnectionPath)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await pauseConnection(ctx.team, input.connection_id);
      return done;
    }),

  resume: personProcedure
    .meta({ ...forAdmins, summary: 'Start the syncs of a CRM connection again' })
    .input(ConnectionPath)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await resumeConnection(ctx.team, input.connection_id);
      return done;
    }),

  disconnect: personProcedure
    .meta({ ...forAdmins, summary: 'Disconnect a CRM: its deals and objections are gone from every answer at once' })
    .input(ConnectionPath)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await disconnect(ctx.team, input.connection_id);
      return done;
    }),

  runs: personProcedure
    .meta({ ...forAdmins, summary: 'The syncs of a CRM connection, newest first' })
    .input(RunQuery)
    .output(RunPage)
    .query(({ ctx, input }) => listRuns(ctx.team, input)),

  deals: personProcedure
    .meta({ ...forAdmins, summary: 'The deals of all CRM connections, the one first seen last at the top' })
    .input(CrmQuery)
    .output(SyncedDealPage)
    .query(({ ctx, input }) => listDeals(ctx.team, input)),

  objections: personProcedure
    .meta({ ...forAdmins, summary: 'The objections of all CRM connections, newest first' })
    .input(CrmQuery)
    .output(SyncedObjectionPage)
    .query(({ ctx, input }) => listObjectionsWithDeals(ctx.team, input)),
});
