import { toCamel, toSnake } from '../../core/spelling.ts';
import { runIn, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { query, uuid } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';
import { ProviderSettings, type ProviderSettings as Settings } from './providers/provider.ts';

// The table `crm_connection`. The table of runs is in run-store.ts, those of deals and objections are in deal-store.ts.

/** The key of a connection or a run. */
export interface RowKey {
  tenantId: string;
  id: string;
}

/** The key of a connection, by which its runs, deals and objections are found, too. */
export interface ConnectionKey {
  readonly tenantId: string;
  readonly connectionId: string;
}

export const whereKey = ({ tenantId, id }: RowKey) => ({ tenantId_id: { tenantId, id } });

const connectionColumns = {
  id: true,
  provider: true,
  label: true,
  status: true,
  url: true,
  credentials: true,
  settings: true,
  intervalSeconds: true,
  nextSyncAt: true,
  requestedAt: true,
  lastSyncedAt: true,
  lastFullAt: true,
  createdAt: true,
} as const satisfies Prisma.CrmConnectionSelect;

const readConnection = ({
  settings,
  ...row
}: Prisma.CrmConnectionGetPayload<{ select: typeof connectionColumns }>) => ({
  ...row,
  settings: toCamel(ProviderSettings.parse(settings)),
});
export type ConnectionRow = ReturnType<typeof readConnection>;

/** Settings are stored in snake_case, as the app shows them. */
const stored = <Values extends { settings?: Settings }>({ settings, ...values }: Values) => ({
  ...values,
  ...(settings && { settings: toSnake(settings) }),
});

const tryLock = query({
  name: 'crm.tryLockConnection',
  why: 'Prisma has no row locks, and this one does not wait',
  sql: 'select id from crm_connection where tenant_id = :tenantId and id = :id for no key update skip locked',
  parameters: { tenantId: uuid, id: uuid },
  row: { id: uuid },
});

const findConnected = async (tx: Tx, key: RowKey): Promise<ConnectionRow | null> => {
  const where = { ...whereKey(key), disconnectedAt: null };
  const row = await tx.crmConnection.findUnique({ where, select: connectionColumns });
  return row && readConnection(row);
};

export const connections = {
  insert: (tx: Tx, connection: Omit<Prisma.CrmConnectionUncheckedCreateInput, 'settings'> & { settings?: Settings }) =>
    tx.crmConnection.create({ data: stored(connection) }),

  count: (tx: Tx, tenantId: string) => tx.crmConnection.count({ where: { tenantId, disconnectedAt: null } }),

  /**
   * Whether the team is connected to the feed at this address. This needs no index, because a team has few connections.
   */
  hasFeed: async (tx: Tx, tenantId: string, url: string) =>
    (await tx.crmConnection.count({ where: { tenantId, provider: 'feed', url, disconnectedAt: null } })) > 0,

  /** The team of a connection; undefined if there is no such connection. */
  teamOf: async ({ prisma }: Database, id: string) =>
    (await prisma.crmConnection.findFirst({ where: { id, disconnectedAt: null }, select: { tenantId: true } }))
      ?.tenantId,

  /** The team's connections, oldest first, or one of them. */
  list: async ({ prisma }: Database, tenantId: string, id?: string): Promise<ConnectionRow[]> => {
    const rows = await prisma.crmConnection.findMany({
      where: { tenantId, ...(id !== undefined && { id }), disconnectedAt: null },
      select: connectionColumns,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(readConnection);
  },

  /**
   * Locks a connection that is not disconnected and reads it. Two syncs of it run one after the other, so they can't
   * deadlock on its deals.
   */
  lock: async (tx: Tx, { tenantId, id }: RowKey): Promise<ConnectionRow | null> => {
    lockRow(tx, 'crm_connection', { tenantId, id });
    return findConnected(tx, { tenantId, id });
  },

  /** Like `lock`, without waiting. `isLocked` is false if another transaction has the lock or no connection exists. */
  tryLock: async (tx: Tx, { tenantId, id }: RowKey) => {
    const isLocked = (await runIn(tx, tryLock, { tenantId, id })).length > 0;
    return { isLocked, connection: await findConnected(tx, { tenantId, id }) };
  },

  update: (
    tx: Tx,
    tenantId: string,
    id: string,
    data: Omit<Prisma.CrmConnectionUncheckedUpdateInput, 'settings'> & { settings?: Settings },
  ) => tx.crmConnection.update({ where: whereKey({ tenantId, id }), data: stored(data), select: { id: true } }),

  /** Connections that are due. Those that have waited longest come first. */
  due: async ({ prisma }: Database, now: Date, max: number) =>
    (
      await prisma.crmConnection.findMany({
        where: { nextSyncAt: { lte: now } },
        select: { tenantId: true, id: true, nextSyncAt: true },
        orderBy: { nextSyncAt: 'asc' },
        take: max,
      })
    ).map(({ tenantId, id, nextSyncAt }) => ({ tenantId, connectionId: id, since: nextSyncAt })),

  /** The disconnected connections that are not completely deleted yet, of all teams. */
  disconnected: async ({ prisma }: Database): Promise<ConnectionKey[]> =>
    (
      await prisma.crmConnection.findMany({
        where: { disconnectedAt: { not: null } },
        select: { tenantId: true, id: true },
      })
    ).map(({ tenantId, id }) => ({ tenantId, connectionId: id })),

  isDisconnected: async (tx: Tx, { tenantId, connectionId: id }: ConnectionKey) =>
    (await tx.crmConnection.count({ where: { tenantId, id, disconnectedAt: { not: null } } })) > 0,

  remove: (tx: Tx, { tenantId, connectionId: id }: ConnectionKey) =>
    tx.crmConnection.delete({ where: whereKey({ tenantId, id }) }),

  /** The connections of a team with their addresses. */
  urls: (tx: Tx, tenantId: string) =>
    tx.crmConnection.findMany({ where: { tenantId, url: { not: null } }, select: { id: true, url: true } }),
};

export const tokens = {
  /** The encrypted tokens of all teams. Each has some hundred bytes. */
  all: ({ prisma }: Database) =>
    prisma.crmConnection.findMany({
      where: { credentials: { not: null } },
      select: { tenantId: true, id: true, credentials: true },
    }),

  replace: ({ prisma }: Database, former: Prisma.CrmConnectionWhereInput, credentials: Uint8Array<ArrayBuffer>) =>
    prisma.crmConnection.updateMany({ where: former, data: { credentials } }),
};

/** Connections in the team's export and in the erasure of a person. */
export const connectionData = teamTable({
  table: 'crm_connection',
  values: ['id', 'provider', 'active', 'status', 'url', 'intervalSeconds'],
  times: ['nextSyncAt', 'requestedAt', 'disconnectedAt', 'lastSyncedAt', 'lastFullAt', 'lastFailedAt', 'createdAt'],
  texts: ['label', 'failureReason'],
  json: ['settings'],
  leftOut: { credentials: 'A sync signs in with them.' },
});
