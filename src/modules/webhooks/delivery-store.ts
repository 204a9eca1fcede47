import { greatestIdUntil, minIdSince } from '../../core/ids.ts';
import { writeLater, type Database, type Tx } from '../../db/database.ts';
import { DeliveryStatus } from '../../db/generated/enums.ts';
import type { WebhookDelivery } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { bool, int, listOf, oneOf, text, time, uuid, type RowOf } from '../../db/query.ts';
import type { Team } from '../../platform/team.ts';
import { walkList } from '../../platform/walk-list.ts';

// The tables `webhook_delivery` and `webhook_waiting`, for the rules of this module. src/deliveries delivers events
// with its own queries. A delivery may outlive its event and its endpoint, so it has no relations to them.

type TeamId = Pick<Team, 'id'>;

export interface EndpointKey {
  tenantId: string;
  endpointId: string;
}

interface DeliveryFilters {
  status?: DeliveryStatus | undefined;
  type?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

interface WantedDeliveries extends DeliveryFilters {
  endpointId: string;
}

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });

/** The columns of a delivery in every read. */
const deliveryRow = {
  id: uuid,
  endpointId: uuid,
  eventId: uuid,
  attempt: int,
  status: oneOf('delivery_status', DeliveryStatus),
  eventType: text,
  createdAt: time,
  nextTryAt: time.orNull,
  responseCode: int.orNull,
  responseExcerpt: text.orNull,
  responseMs: int.orNull,
  error: text.orNull,
  errorDe: text.orNull,
  memberDetail: bool.orNull,
  resumeStatus: oneOf('delivery_status', DeliveryStatus).orNull,
} as const;

export type DeliveryRow = RowOf<typeof deliveryRow>;

/**
 * Columns that the reads of this module leave out: every caller has the team's id, and only src/deliveries needs the
 * others.
 */
const omit = { tenantId: true, scheduled: true, resumeAt: true } as const;

/** Lists return times as texts, so times that Prisma reads are turned into texts too. */
const readRow = ({ createdAt, nextTryAt, ...row }: Omit<WebhookDelivery, keyof typeof omit>): DeliveryRow => ({
  ...row,
  createdAt: createdAt.toISOString(),
  nextTryAt: nextTryAt?.toISOString() ?? null,
});

const list = {
  why: 'ends after a number of rows, however few of them pass the filter',
  table: 'webhook_delivery',
  columns: deliveryRow,
  after: { id: ':below::uuid' },
  end: { id: ':min::uuid' },
  also: 'id < :below and id >= :min',
} as const;

// Ids are only approximately in the order of `created_at`, so the filter compares the times as well.
const filter = `(:status::delivery_status is null or status = :status) and (:type::text is null or event_type = :type)
             and created_at >= :since::timestamptz and created_at < :until::timestamptz`;

const parameters = {
  below: uuid,
  min: uuid,
  since: time,
  until: time,
  status: oneOf('delivery_status', DeliveryStatus).orNull,
  type: text.orNull,
} as const;

const page = walkList({
  ...list,
  name: 'webhooks.pageOfDeliveries',
  common: { endpointId: ':endpointId::uuid' },
  filter,
  parameters: { ...parameters, endpointId: uuid },
  counted: true,
});

const pageOfTeam = walkList({
  ...list,
  name: 'webhooks.pageOfTeam',
  // Leaves out the deliveries of deleted endpoints, which a job deletes later.
  filter: `endpoint_id = any (:endpointIds) and ${filter}`,
  parameters: { ...parameters, endpointIds: listOf(uuid) },
});

const wantedOf = <Of extends object>(list: string, of: Of, { status, type, since, until }: DeliveryFilters) => ({
  cursorOf: `${list}&${status ?? ''}&${type ?? ''}&${since?.getTime() ?? ''}&${until?.getTime() ?? ''}`,
  start: [greatestIdUntil(until)],
  parameters: ([below = '']: readonly string[]) => ({
    ...of,
    below,
    min: minIdSince(since),
    since: since ?? '-infinity',
    until: until ?? 'infinity',
    status: status ?? null,
    type: type ?? null,
  }),
});

const ofEndpoint = ({ endpointId, ...filters }: WantedDeliveries) =>
  wantedOf(`deliveries&${endpointId}`, { endpointId }, filters);

export const deliveries = {
  get: async (tx: Tx, { id: tenantId }: TeamId, id: string): Promise<DeliveryRow | undefined> => {
    const row = await tx.webhookDelivery.findFirst({ where: { tenantId, id }, omit });
    return row ? readRow(row) : undefined;
  },

  /** A page of all deliveries to an endpoint, newest first. With a filter it examines a limited number of rows. */
  page: (team: Team, filters: WantedDeliveries, wanted: { cursor?: string | undefined; limit: number }) =>
    page(team, { ...ofEndpoint(filters), query: wanted }),

  /** A page of all deliveries to some endpoints of a team, newest first. It examines a limited number of rows. */
  pageOfTeam: (
    team: Team,
    { endpointIds, ...filters }: DeliveryFilters & { endpointIds: readonly string[] },
    wanted: { cursor?: string | undefined; limit: number },
  ) => pageOfTeam(team, { ...wantedOf('deliveries', { endpointIds }, filters), query: wanted }),

  /** How many deliveries of an endpoint match these filters. */
  count: (team: Team, filters: WantedDeliveries) => page.count(team, ofEndpoint(filters)),

  /** The deliveries of an event, oldest first. */
  ofEvent: async (
    { prisma }: Database,
    { id: tenantId }: TeamId,
    { eventId, limit }: { eventId: string; limit: number },
  ): Promise<DeliveryRow[]> => {
    const rows = await prisma.webhookDelivery.findMany({
      where: { tenantId, eventId },
      omit,
      orderBy: { id: 'asc' },
      take: limit,
    });
    return rows.map(readRow);
  },

  /** The newest deliveries since a time to some endpoints of a team. */
  newest: async (
    { prisma }: Database,
    { id: tenantId }: TeamId,
    { endpointIds, since, limit }: { endpointIds: string[]; since: Date; limit: number },
  ): Promise<DeliveryRow[]> => {
    const where = {
      tenantId,
      endpointId: { in: endpointIds },
      id: { gte: minIdSince(since) },
      createdAt: { gte: since },
    };
    const rows = await prisma.webhookDelivery.findMany({ where, omit, orderBy: { id: 'desc' }, take: limit });
    return rows.map(readRow);
  },

  /** The newest failed or given-up delivery to an endpoint. */
  lastFailure: (tx: Tx, { id: tenantId }: TeamId, endpointId: string) =>
    tx.webhookDelivery.findFirst({
      where: { tenantId, endpointId, status: { in: ['failed', 'gave_up'] } },
      select: { error: true, errorDe: true, responseCode: true },
      orderBy: { id: 'desc' },
    }),

  /** Makes a locked delivery pending, and stores its former status and schedule. */
  setAside: async (tx: Tx, team: TeamId, { id, status, nextTryAt }: DeliveryRow, now: Date): Promise<DeliveryRow> =>
    readRow(
      await tx.webhookDelivery.update({
        where: keyOf(team, id),
        omit,
        data: { status: 'pending', resumeStatus: status, resumeAt: nextTryAt, nextTryAt: now },
      }),
    ),

  /** Deletes some deliveries to an endpoint, with their attempts and waiting rows. Returns how many. */
  deleteSome: async (tx: Tx, { tenantId, endpointId }: EndpointKey, max: number): Promise<number> => {
    const where = { tenantId, endpointId };
    const found = await tx.webhookDelivery.findMany({ where, select: { id: true }, take: max });
    const ids = found.map(({ id }) => id);
    await tx.webhookWaiting.deleteMany({ where: { tenantId, deliveryId: { in: ids } } });
    await tx.webhookAttempt.deleteMany({ where: { tenantId, deliveryId: { in: ids } } });
    await tx.webhookDelivery.deleteMany({ where: { tenantId, id: { in: ids } } });
    return ids.length;
  },
};

export const waiting = {
  /** Locks the waiting row of a delivery, if there is one, and returns whether an attempt is running. */
  lock: async (tx: Tx, { id: tenantId }: TeamId, deliveryId: string, now: Date): Promise<boolean> => {
    lockRow(tx, 'webhook_waiting', { tenantId, deliveryId }, 'update');
    const running = { tenantId, deliveryId, claimId: { not: null }, dueAt: { gt: now } };
    return (await tx.webhookWaiting.count({ where: running })) > 0;
  },

  /** Makes a delivery due at once, as a retry by hand. If it has no waiting row, one is inserted. */
  makeDue: (
    tx: Tx,
    { id: tenantId }: TeamId,
    { deliveryId, endpointId, now }: { deliveryId: string; endpointId: string; now: Date },
  ) =>
    tx.webhookWaiting.upsert({
      where: { tenantId_deliveryId: { tenantId, deliveryId } },
      create: { tenantId, deliveryId, endpointId, dueAt: now, byHand: true },
      update: { dueAt: now, claimId: null, byHand: true },
    }),

  /** Deletes some of the waiting rows of an endpoint. */
  deleteSome: (tx: Tx, endpoint: EndpointKey, limit: number) =>
    writeLater(tx, () => tx.webhookWaiting.deleteMany({ where: endpoint, limit })),

  /** The teams with more waiting deliveries than `max`, and how many they have. */
  crowdedTeams: async ({ prisma }: Database, max: number) => {
    const having = { tenantId: { _count: { gt: max } } };
    const rows = await prisma.webhookWaiting.groupBy({ by: ['tenantId'], _count: true, having });
    return rows.map(({ tenantId, _count: count }) => ({ tenantId, count }));
  },

  /**
   * Gives up the oldest waiting deliveries of a team, or of one of its endpoints, and returns how many. Deliveries that
   * are being sent stay, and so do pings and retries by hand that are due.
   */
  giveUp: async (
    tx: Tx,
    { id: tenantId }: TeamId,
    { endpointId, now, max, error }: { endpointId?: string; now: Date; max: number; error: string },
  ): Promise<number> => {
    const isFree = { byHand: false, OR: [{ claimId: null }, { dueAt: { lte: now } }] };
    const found = await tx.webhookWaiting.findMany({
      where: { tenantId, ...(endpointId !== undefined && { endpointId }), ...isFree },
      select: { deliveryId: true },
      orderBy: { deliveryId: 'asc' },
      take: max,
    });
    // Locks the rows. A worker may have claimed or deleted some of them since they were read.
    const locked = await tx.webhookWaiting.updateManyAndReturn({
      where: { tenantId, deliveryId: { in: found.map(({ deliveryId }) => deliveryId) }, ...isFree },
      data: { claimId: null },
      select: { deliveryId: true },
    });
    const ids = locked.map(({ deliveryId }) => deliveryId);
    await tx.webhookWaiting.deleteMany({ where: { tenantId, deliveryId: { in: ids } } });
    await tx.webhookDelivery.updateMany({
      where: { tenantId, id: { in: ids } },
      data: { status: 'gave_up', nextTryAt: null, resumeStatus: null, resumeAt: null, error, errorDe: null },
    });
    return ids.length;
  },
};
