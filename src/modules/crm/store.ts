import { z } from 'zod';
import { isId } from '../../core/ids.ts';
import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { CrmConnectionStatus, CrmRunKind, CrmRunOutcome } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { bigint, bool, bytes, int, json, nothing, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { select } from '../../platform/keyset-list.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { deleteSome, teamTable, urlsNaming } from '../../platform/team-table.ts';
import { apiIsOnSql } from '../teams/plan.ts';

// The tables `crm_connection` and `crm_run`; those of deals and objections are in deal-store.ts.

// Connections

const status = oneOf('crm_connection_status', CrmConnectionStatus);

const lock = query({
  name: 'crm.lockConnection',
  why: 'Prisma has no row locks',
  sql: 'select provider from crm_connection where tenant_id = :tenantId and id = :id for no key update',
  parameters: { tenantId: uuid, id: uuid },
  row: { provider: text },
});

const connectionColumns = {
  id: uuid,
  provider: text,
  label: text.orNull,
  status,
  url: text.orNull,
  settings: json,
  interval_seconds: int,
  next_sync_at: time.orNull,
  requested_at: time.orNull,
  last_synced_at: time.orNull,
  last_full_at: time.orNull,
  created_at: time,
} as const;

const lockedColumns = {
  ...connectionColumns,
  credentials: bytes.orNull,
  /** False for a suspended or ended team and on a plan without the API. */
  team_may_sync: bool.checked,
} as const;
/** The columns of a connection for changes and syncs. */
export type ConnectionRow = RowOf<typeof lockedColumns>;

const lockConnected = query({
  name: 'crm.lockConnected',
  why: 'Prisma has no row locks',
  sql: `select ${select(lockedColumns, { team_may_sync: apiIsOnSql('team') }, 'connection')}
          from crm_connection as connection join team on team.id = connection.tenant_id
         where connection.tenant_id = :tenantId and connection.id = :id and connection.disconnected_at is null
           for no key update of connection`,
  parameters: { tenantId: uuid, id: uuid },
  row: lockedColumns,
});

const runOutcome = oneOf('crm_run_outcome', CrmRunOutcome);

const overviewColumns = {
  ...connectionColumns,
  has_token: bool.checked,
  last_sync_at: time.orNull,
  last_outcome: runOutcome.orNull,
  last_reason: text.orNull,
  running_since: time.orNull,
  running_deals: int.orNull,
  deals: int.checked,
  objections: int.checked,
} as const;
/** The columns of a connection in lists. */
export type ConnectionOverview = RowOf<typeof overviewColumns>;

const countOf = (table: string) =>
  `(select count(*)::int from ${table} where tenant_id = :tenantId and connection_id = connection.id)`;

const overview = query({
  name: 'crm.overview',
  why: 'takes the newest runs of each connection and counts its rows in one round trip',
  sql: `select ${select(
    overviewColumns,
    {
      has_token: 'connection.credentials is not null',
      last_sync_at: 'ended.ended_at',
      last_outcome: 'ended.outcome',
      last_reason: 'ended.reason',
      running_since: 'running.started_at',
      running_deals: 'running.deals',
      deals: countOf('crm_deal'),
      objections: countOf('crm_objection'),
    },
    'connection',
  )}
          from crm_connection as connection
          left join lateral (
            select ended_at, outcome, reason from crm_run
             where tenant_id = :tenantId and connection_id = connection.id and ended_at is not null order by id desc limit 1) as ended on true
          left join lateral (
            select started_at, deals from crm_run
             where tenant_id = :tenantId and connection_id = connection.id and ended_at is null) as running on true
         where connection.tenant_id = :tenantId and connection.disconnected_at is null
           and (:id::uuid is null or connection.id = :id::uuid)
         order by connection.created_at, connection.id`,
  parameters: { tenantId: uuid, id: uuid.orNull },
  row: overviewColumns,
});

interface Named {
  tenantId: string;
  id: string;
}

const keyOf = ({ tenantId, id }: Named) => ({ tenantId_id: { tenantId, id } });

export const connections = {
  insert: (tx: Tx, data: Prisma.CrmConnectionUncheckedCreateInput) => tx.crmConnection.create({ data }),

  count: (tx: Tx, tenantId: string) => tx.crmConnection.count({ where: { tenantId, disconnectedAt: null } }),

  /** Whether the team is connected to the feed at this address. A team has few connections. */
  hasFeed: async (tx: Tx, tenantId: string, url: string) =>
    (await tx.crmConnection.count({ where: { tenantId, provider: 'feed', url, disconnectedAt: null } })) > 0,

  /** The team of a connection; undefined if there is no such connection. */
  teamOf: async ({ prisma }: Database, id: string) =>
    (await prisma.crmConnection.findFirst({ where: { id, disconnectedAt: null }, select: { tenantId: true } }))
      ?.tenantId,

  /** The team's connections, oldest first, or one of them. */
  overview: (database: Database, tenantId: string, id: string | null = null) =>
    database.run(overview, { tenantId, id }),

  /** Locks a connection. Two syncs of it run one after the other, so they can't deadlock on its deals. */
  lock: async (tx: Tx, tenantId: string, id: string) => (await runIn(tx, lock, { tenantId, id }))[0],

  /** Locks a connection that is not disconnected and reads what a sync needs. */
  lockConnected: async (tx: Tx, { tenantId, id }: Named) => (await runIn(tx, lockConnected, { tenantId, id }))[0],

  update: (tx: Tx, tenantId: string, id: string, data: Prisma.CrmConnectionUncheckedUpdateInput) =>
    tx.crmConnection.update({ where: keyOf({ tenantId, id }), data, select: { id: true } }),
};

// Runs

const workColumns = {
  id: uuid,
  kind: oneOf('crm_run_kind', CrmRunKind),
  started_at: time,
  since: time.orNull,
  cursor: text.orNull,
  cursor_before: text.orNull,
  fetched: bool,
  pages: int,
  waits: int,
  abandoned: int,
} as const;
/** The state of a run from which a worker continues it. */
export type WorkRow = RowOf<typeof workColumns>;

const lockRunning = query({
  name: 'crm.lockRunningRun',
  why: 'Prisma has no row locks',
  sql: `select ${select(workColumns)}, claim_id, claimed_until from crm_run
         where tenant_id = :tenantId and connection_id = :connectionId and ended_at is null
           for update skip locked`,
  parameters: { tenantId: uuid, connectionId: uuid },
  row: { ...workColumns, claim_id: uuid.orNull, claimed_until: time.orNull },
});

const holdRun = query({
  name: 'crm.holdRun',
  why: 'updates a row only while it is claimed, and locks it',
  sql: `update crm_run set claimed_until = :until
         where tenant_id = :tenantId and id = :id and claim_id = :claimId and ended_at is null
        returning settings_changed,
                  (select ${apiIsOnSql('team')} from team where team.id = :tenantId) as team_may_sync`,
  parameters: { tenantId: uuid, id: uuid, claimId: uuid, until: time },
  row: { settings_changed: bool, team_may_sync: bool.checked },
});

const prune = query({
  name: 'crm.pruneRuns',
  why: 'finds the first run that is too old by its place',
  sql: `delete from crm_run where tenant_id = :tenantId and connection_id = :connectionId
           and id <= (select id from crm_run where tenant_id = :tenantId and connection_id = :connectionId order by id desc offset :kept limit 1)`,
  parameters: { tenantId: uuid, connectionId: uuid, kept: bigint },
  row: {},
});

const historyColumns = {
  id: true,
  kind: true,
  onDemand: true,
  startedAt: true,
  endedAt: true,
  outcome: true,
  reason: true,
  pages: true,
  deals: true,
  objections: true,
  deleted: true,
} as const satisfies Prisma.CrmRunSelect;

const readHistory = ({
  onDemand,
  startedAt,
  endedAt,
  ...run
}: Prisma.CrmRunGetPayload<{ select: typeof historyColumns }>) => ({
  ...run,
  on_demand: onDemand,
  started_at: startedAt.toISOString(),
  ended_at: endedAt?.toISOString() ?? null,
});

/** The columns of a run in the history. */
export type HistoryRow = ReturnType<typeof readHistory>;

/** A page of the runs of a connection, newest first. */
export const runList = (
  team: Team,
  page: { cursor?: string | undefined; limit: number },
  { connectionId }: { connectionId: string },
): Promise<Page<HistoryRow>> =>
  walkPage(team, {
    list: `crm/runs&connectionId=${encodeURIComponent(connectionId)}`,
    position: z.tuple([z.uuid()]),
    query: page,
    walk: async (after, limit) => {
      if (!isId(connectionId)) return { rows: [] };
      const rows = await team.platform.database.prisma.crmRun.findMany({
        where: { tenantId: team.id, connectionId, ...(after && { id: { lt: after[0] } }) },
        select: historyColumns,
        orderBy: { id: 'desc' },
        take: limit,
      });
      return { rows: rows.map(readHistory) };
    },
    positionOf: ({ id }): [string] => [id],
  });

const due = query({
  name: 'crm.addDueJobs',
  why: 'adds a job of graphile-worker for each connection that is due and each run whose worker is gone, in one statement',
  sql: `with due as materialized (
          (select tenant_id, id as connection_id from crm_connection
            where next_sync_at <= :now order by next_sync_at limit :most)
          union
          (select tenant_id, connection_id from crm_run
            where ended_at is null and claimed_until <= :now order by claimed_until limit :most))
        select add_crm_sync_job(tenant_id, connection_id) as added from due`,
  parameters: { now: time, most: bigint },
  row: { added: nothing },
});

const addJob = query({
  name: 'crm.addJob',
  why: 'adds a job of graphile-worker',
  sql: 'select add_crm_sync_job(:tenantId, :connectionId) as added',
  parameters: { tenantId: uuid, connectionId: uuid },
  row: { added: nothing },
});

/** A run that a worker has claimed. */
export interface ClaimedRun {
  readonly tenantId: string;
  readonly connectionId: string;
  readonly id: string;
  readonly claimId: string;
}

/** The columns that the end of a run empties: the claim, and the cursors, which may contain a person's address. */
const ended = { claimId: null, claimedUntil: null, cursor: null, cursorBefore: null } as const;

/** The end of a run. */
interface RunEnd {
  endedAt: Date;
  reason?: string;
}

const ifClaimed = ({ tenantId, id, claimId }: ClaimedRun) => ({ tenantId, id, claimId, endedAt: null });

export const runs = {
  /** The unfinished run of a connection, if there is one. */
  running: async (tx: Tx, tenantId: string, connectionId: string) => {
    const run = await tx.crmRun.findFirst({
      where: { tenantId, connectionId, endedAt: null },
      select: { claimedUntil: true },
    });
    return run ? { claimed_until: run.claimedUntil?.toISOString() ?? null } : undefined;
  },

  /** Locks this run and reads what a worker needs; undefined also if another transaction has locked it. */
  lockRunning: async (tx: Tx, tenantId: string, connectionId: string) =>
    (await runIn(tx, lockRunning, { tenantId, connectionId }))[0],

  insert: (tx: Tx, data: Prisma.CrmRunUncheckedCreateInput) => tx.crmRun.create({ data, select: { id: true } }),

  insertAll: (tx: Tx, data: Prisma.CrmRunCreateManyInput[]) => tx.crmRun.createMany({ data }),

  claim: (tx: Tx, { tenantId, id, claimId }: ClaimedRun, data: { claimedUntil: Date; abandoned: number }) =>
    tx.crmRun.update({ where: keyOf({ tenantId, id }), data: { ...data, claimId }, select: { id: true } }),

  /** Extends the claim; undefined if it is lost. The run stays locked until the transaction ends. */
  hold: async (tx: Tx, { tenantId, id, claimId }: ClaimedRun, until: Date) =>
    (await runIn(tx, holdRun, { tenantId, id, claimId, until }))[0],

  /** Extends the claim outside of a transaction. */
  keep: (database: Database, { tenantId, id, claimId }: ClaimedRun, until: Date) =>
    database.run(holdRun, { tenantId, id, claimId, until }),

  /** Writes the progress of a claimed run. False if the claim is lost. */
  update: async (tx: Tx, run: ClaimedRun, data: Prisma.CrmRunUncheckedUpdateManyInput) =>
    (await tx.crmRun.updateMany({ where: ifClaimed(run), data })).count > 0,

  /** Gives a claimed run back with its position, so that any worker can continue it. */
  giveBack: (
    database: Database,
    run: ClaimedRun,
    data: { claimedUntil: Date } & Prisma.CrmRunUncheckedUpdateManyInput,
  ) => database.prisma.crmRun.updateMany({ where: ifClaimed(run), data: { ...data, claimId: null } }),

  /** Ends a claimed run. */
  end: (tx: Tx, run: ClaimedRun, data: RunEnd & { outcome: 'ok' | 'failed' }) =>
    tx.crmRun.updateMany({ where: ifClaimed(run), data: { ...ended, ...data } }),

  /** Ends the running run of a connection, if there is one, whichever worker has claimed it. */
  stop: (tx: Tx, tenantId: string, connectionId: string, data: RunEnd) =>
    tx.crmRun.updateMany({
      where: { tenantId, connectionId, endedAt: null },
      data: { ...ended, ...data, outcome: 'stopped' },
    }),

  /** Records in the running run of a connection, if there is one, that the settings have changed. */
  noteNewSettings: (tx: Tx, tenantId: string, connectionId: string) =>
    tx.crmRun.updateMany({ where: { tenantId, connectionId, endedAt: null }, data: { settingsChanged: true } }),

  get: (database: Database, { tenantId, id }: Named) =>
    database.prisma.crmRun.findUnique({
      where: keyOf({ tenantId, id }),
      select: { outcome: true, deals: true, objections: true, deleted: true, reason: true },
    }),

  prune: (tx: Tx, tenantId: string, connectionId: string, kept: number) =>
    runIn(tx, prune, { tenantId, connectionId, kept }),

  /** Adds jobs for connections that are due and for runs whose claim has expired. Returns their number. */
  addDueJobs: async (database: Database, now: Date, most: number) => (await database.run(due, { now, most })).length,

  addJob: (database: Database, { tenantId, connectionId }: Pick<ClaimedRun, 'tenantId' | 'connectionId'>) =>
    database.run(addJob, { tenantId, connectionId }),
};

// The rows of a disconnected connection

const addForgettingJob = query({
  name: 'crm.addForgettingJob',
  why: 'adds a job of graphile-worker',
  sql: `select add_rewriting_job('forget_crm', json_build_object('tenantId', :tenantId::uuid, 'connectionId', :connectionId::uuid),
                                 :connectionId::text) as added`,
  parameters: { tenantId: uuid, connectionId: uuid },
  row: { added: nothing },
});

const addForgettingJobs = query({
  name: 'crm.addForgettingJobs',
  why: 'adds jobs of graphile-worker',
  sql: `select add_rewriting_job('forget_crm', json_build_object('tenantId', tenant_id, 'connectionId', id), id::text) as added
          from crm_connection where disconnected_at is not null`,
  parameters: {},
  row: { added: nothing },
});

const dropSome = (table: string) =>
  deleteSome(`crm.forget ${table}`, table, {
    ids: `select id from ${table} where tenant_id = :tenantId and connection_id = :connectionId limit :most`,
    parameters: { connectionId: uuid, most: bigint },
  });

/** Rows of each of these tables refer to the tables after it. */
const dropsInOrder = ['crm_objection', 'crm_deal', 'crm_run'].map(dropSome);

type Left = Pick<ClaimedRun, 'tenantId' | 'connectionId'>;

const ifDisconnected = ({ tenantId, connectionId: id }: Left) => ({ tenantId, id, disconnectedAt: { not: null } });

export const leftovers = {
  addJob: (tx: Tx, left: Left) => runIn(tx, addForgettingJob, left),

  addJobAgain: (database: Database, left: Left) => database.run(addForgettingJob, left),

  addAllJobs: (database: Database) => database.run(addForgettingJobs, {}),

  isDisconnected: async (tx: Tx, left: Left) => (await tx.crmConnection.count({ where: ifDisconnected(left) })) > 0,

  /** Deletes up to `most` rows of one table; false once no row is left, and then the connection is deleted too. */
  dropNext: async (tx: Tx, left: Left, most: number): Promise<boolean> => {
    for (const drop of dropsInOrder) {
      const [done] = await runIn(tx, drop, { ...left, most });
      if (done && done.gone > 0) return true;
    }
    await tx.crmConnection.deleteMany({ where: ifDisconnected(left) });
    return false;
  },
};

// Sealed tokens

const sealedAfter = query({
  name: 'crm.nextTokens',
  why: 'compares two columns as a pair, so that the index gives the position',
  sql: `select tenant_id as "tenantId", id, credentials as sealed from crm_connection
         where (tenant_id, id) > (:tenantId, :id) and credentials is not null order by tenant_id, id limit :most`,
  parameters: { tenantId: uuid, id: uuid, most: bigint },
  row: { tenantId: uuid, id: uuid, sealed: bytes.checked },
});

export const tokens = {
  /** Encrypted tokens of all teams, after a position. */
  after: (database: Database, position: { tenantId: string; id: string; most: number }) =>
    database.run(sealedAfter, position),

  /** Replaces a token unless it has changed meanwhile; returns whether it did. */
  replace: async ({ prisma }: Database, { tenantId, id }: Named, former: Uint8Array, sealed: Uint8Array) => {
    const where = { tenantId, id, credentials: Uint8Array.from(former) };
    const { count } = await prisma.crmConnection.updateMany({ where, data: { credentials: Uint8Array.from(sealed) } });
    return count > 0;
  },
};

/** Connections and runs, as the export of a team and the erasure of a person read them. */
export const connectionData = teamTable({
  module: 'crm',
  rows: 'from crm_connection',
  file: 'crm_connections.json',
  key: { id: 'uuid' },
  values: ['id', 'provider', 'active', 'status', 'url', 'interval_seconds'],
  times: [
    'next_sync_at',
    'requested_at',
    'disconnected_at',
    'last_synced_at',
    'last_full_at',
    'last_failed_at',
    'created_at',
  ],
  texts: ['label', 'failure_reason'],
  json: ['settings'],
  leftOut: { credentials: 'A sync signs in with them.' },
});

export const runData = teamTable({
  module: 'crm',
  rows: 'from crm_run',
  file: 'crm_runs.json',
  key: { id: 'uuid' },
  values: ['id', 'connection_id', 'kind', 'on_demand', 'outcome', 'fetched', 'pages', 'deals', 'objections', 'deleted'],
  times: ['started_at', 'ended_at', 'since'],
  texts: ['reason'],
  leftOut: {
    cursor: 'The state of a sync that runs.',
    cursor_before: 'The state of a sync that runs.',
    claim_id: 'The state of a sync that runs.',
    claimed_until: 'The state of a sync that runs.',
    waits: 'The state of a sync that runs.',
    abandoned: 'The state of a sync that runs.',
    settings_changed: 'The state of a sync that runs.',
  },
});

/** The ids of the team's connections whose URL contains a text. */
export const connectionsNaming = urlsNaming('crm.connectionsNaming', 'from crm_connection');
