import { z } from 'zod';
import { isEventType } from '../../core/events.ts';
import { writeLater, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { query, time, uuid } from '../../db/query.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';
import { probeNames } from './probes.ts';

// The tables `webhook_endpoint` and `webhook_check`. Deliveries and waiting rows are in delivery-store.ts; events,
// attempts and sums in history-store.ts.

type TeamId = Pick<Team, 'id'>;

/** The columns of an endpoint in every read, without its secret and the values of its headers. */
const columns = {
  id: true,
  url: true,
  events: true,
  status: true,
  apiVersion: true,
  description: true,
  headerNames: true,
  createdAt: true,
  lastSuccessAt: true,
  failingSince: true,
} as const satisfies Prisma.WebhookEndpointSelect;

const readRow = (row: Prisma.WebhookEndpointGetPayload<{ select: typeof columns }>) => ({
  ...row,
  events: row.events.filter(isEventType),
});
export type EndpointRow = ReturnType<typeof readRow>;

interface SilentSince {
  /** Endpoints that have failed at least since this time are to be paused. */
  pausing: Date;
  /** Endpoints that have failed at least since this time are to be warned about. */
  warning: Date;
}

const isSilent = ({ pausing, warning }: SilentSince) =>
  ({
    status: 'active',
    failingSince: { lte: warning },
    OR: [{ failingSince: { lte: pausing } }, { warnedAt: null }],
  }) satisfies Prisma.WebhookEndpointWhereInput;

interface AlarmTimes {
  /** `endpoint.failing` is due about endpoints that have failed at least since this time. */
  failing: Date;
  /** An event about an endpoint is not raised again if one of the same type was raised after this time. */
  raisedBefore: Date;
}

/**
 * Endpoints about which `endpoint.failing` is to be raised. It is raised once for each period in which an endpoint
 * fails.
 */
const isAlarming = ({ prisma }: Pick<Database, 'prisma'>, { failing, raisedBefore }: AlarmTimes) =>
  ({
    status: 'active',
    failingSince: { lte: failing },
    failedAgainAt: { not: null },
    AND: [
      { OR: [{ alarmedAt: null }, { alarmedAt: { lt: prisma.webhookEndpoint.fields.failingSince } }] },
      { OR: [{ failingEventAt: null }, { failingEventAt: { lte: raisedBefore } }] },
    ],
  }) satisfies Prisma.WebhookEndpointWhereInput;

/** Endpoints about which `endpoint.recovered` is to be raised: a delivery succeeded after the alarm. */
const hasRecovered = ({ prisma }: Pick<Database, 'prisma'>, { raisedBefore }: AlarmTimes) =>
  ({
    status: 'active',
    failingSince: null,
    alarmedAt: { not: null },
    lastSuccessAt: { gt: prisma.webhookEndpoint.fields.alarmedAt },
    OR: [{ recoveredEventAt: null }, { recoveredEventAt: { lte: raisedBefore } }],
  }) satisfies Prisma.WebhookEndpointWhereInput;

const findPaused = query({
  name: 'webhooks.findPaused',
  why: 'checks whether a waiting row exists: the schema has no relation to it',
  sql: `select e.tenant_id as "tenantId", e.id
          from webhook_endpoint e
         where e.status = 'disabled_failures'
           and exists (select from webhook_waiting w
                        where w.tenant_id = e.tenant_id and w.endpoint_id = e.id and not w.by_hand
                          and (w.claim_id is null or w.due_at <= :now))
         limit 100`,
  parameters: { now: time },
  row: { tenantId: uuid, id: uuid },
});

export const endpoints = {
  /** All endpoints of a team with their URLs. */
  urls: (tx: Tx, tenantId: string) =>
    tx.webhookEndpoint.findMany({ where: { tenantId }, select: { id: true, url: true } }),

  sealedHeaders: async (tx: Tx, { id: tenantId }: TeamId, id: string) => {
    const row = await tx.webhookEndpoint.findFirst({ where: { tenantId, id }, select: { headers: true } });
    return row?.headers ?? null;
  },

  /** All endpoints of a team, newest first. */
  list: async ({ prisma }: Database, { id: tenantId }: TeamId): Promise<EndpointRow[]> => {
    const rows = await prisma.webhookEndpoint.findMany({
      where: { tenantId },
      select: columns,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    return rows.map(readRow);
  },

  /**
   * Endpoints that are paused, and active ones whose last two attempts failed. Those that have failed for longest come
   * first.
   */
  failing: async ({ prisma }: Database, { id: tenantId }: TeamId) => {
    const rows = await prisma.webhookEndpoint.findMany({
      where: {
        tenantId,
        OR: [{ status: 'disabled_failures' }, { status: 'active', failedAgainAt: { not: null } }],
      },
      select: { id: true, url: true, status: true, failingSince: true },
      orderBy: [{ failingSince: 'asc' }, { id: 'asc' }],
    });
    return rows.flatMap(({ failingSince, ...row }) => (failingSince === null ? [] : [{ ...row, failingSince }]));
  },

  get: async (tx: Tx, { id: tenantId }: TeamId, id: string): Promise<EndpointRow | undefined> => {
    const row = await tx.webhookEndpoint.findFirst({ where: { tenantId, id }, select: columns });
    return row ? readRow(row) : undefined;
  },

  count: (tx: Tx, { id: tenantId }: TeamId) => tx.webhookEndpoint.count({ where: { tenantId } }),

  insert: async (tx: Tx, { id: tenantId }: TeamId, row: Omit<Prisma.WebhookEndpointUncheckedCreateInput, 'tenantId'>) =>
    readRow(await tx.webhookEndpoint.create({ data: { tenantId, ...row }, select: columns })),

  update: (tx: Tx, { id: tenantId }: TeamId, id: string, data: Prisma.WebhookEndpointUncheckedUpdateManyInput) =>
    writeLater(tx, () => tx.webhookEndpoint.updateMany({ where: { tenantId, id }, data })),

  remove: (tx: Tx, { id: tenantId }: TeamId, id: string) =>
    writeLater(tx, () => tx.webhookEndpoint.deleteMany({ where: { tenantId, id } })),

  /**
   * At most 100 endpoints, of all teams, that are to be paused, or warned about for the first time. Those that have
   * failed for longest come first.
   */
  findSilent: ({ prisma }: Database, since: SilentSince) =>
    prisma.webhookEndpoint.findMany({
      where: isSilent(since),
      select: { tenantId: true, id: true },
      orderBy: { failingSince: 'asc' },
      take: 100,
    }),

  /** A locked endpoint that `findSilent` found; null if it is no longer to be paused or warned about. */
  getSilent: (tx: Tx, { id: tenantId }: TeamId, id: string, since: SilentSince) =>
    tx.webhookEndpoint.findFirst({
      where: { tenantId, id, ...isSilent(since) },
      select: { url: true, status: true, failingSince: true, warnedAt: true, pausedEventAt: true },
    }),

  /**
   * At most 100 endpoints, of all teams, about which `endpoint.failing` is to be raised, and as many about which
   * `endpoint.recovered` is.
   */
  findChanged: async ({ prisma }: Database, times: AlarmTimes) => {
    const wanted = { select: { tenantId: true, id: true }, take: 100 };
    const orderBy = { failingSince: 'asc' } as const;
    const failing = await prisma.webhookEndpoint.findMany({ where: isAlarming({ prisma }, times), ...wanted, orderBy });
    return [
      ...failing,
      ...(await prisma.webhookEndpoint.findMany({ where: hasRecovered({ prisma }, times), ...wanted })),
    ];
  },

  /** Which event is due about a locked endpoint, and since when the endpoint fails or works; undefined if none is. */
  getChanged: async (database: Database, tx: Tx, { id: tenantId }: TeamId, id: string, times: AlarmTimes) => {
    const select = { failingSince: true, lastSuccessAt: true };
    const failing = { tenantId, id, ...isAlarming(database, times) };
    const alarming = await tx.webhookEndpoint.findFirst({ where: failing, select });
    if (alarming?.failingSince) return { kind: 'failing', since: alarming.failingSince } as const;
    const recovered = { tenantId, id, ...hasRecovered(database, times) };
    const working = await tx.webhookEndpoint.findFirst({ where: recovered, select });
    return working?.lastSuccessAt ? ({ kind: 'recovered', since: working.lastSuccessAt } as const) : undefined;
  },

  /** At most 100 endpoints, of all teams, that the service paused and that have waiting deliveries to give up. */
  findPaused: (database: Database, now: Date) => database.run(findPaused, { now }),

  /** The sealed signing secrets and headers of all teams' endpoints. */
  secrets: ({ prisma }: Database) =>
    prisma.webhookEndpoint.findMany({ select: { tenantId: true, id: true, secret: true, headers: true } }),

  replaceSecrets: (
    { prisma }: Database,
    former: Prisma.WebhookEndpointWhereInput,
    data: { secret?: Uint8Array<ArrayBuffer>; headers?: Uint8Array<ArrayBuffer> },
  ) => prisma.webhookEndpoint.updateMany({ where: former, data }),
};

const CheckResult = z.object({
  probe: z.enum(probeNames),
  code: z.number().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
  errorDe: z.string().nullish(),
});

/** The result of one request of a check. */
export type CheckResult = z.output<typeof CheckResult>;

const asJson = (results: readonly CheckResult[]): Prisma.InputJsonArray => results.map((result) => ({ ...result }));

const checkColumns = { id: true, endpointId: true, results: true, createdAt: true, completedAt: true } as const;

const readCheck = ({ results, ...row }: Prisma.WebhookCheckGetPayload<{ select: typeof checkColumns }>) => ({
  ...row,
  results: z.array(CheckResult).parse(results),
});
export type CheckRow = ReturnType<typeof readCheck>;

export interface CheckKey {
  tenantId: string;
  id: string;
}

export const checks = {
  /** The newest checks of an endpoint. */
  list: async ({ prisma }: Pick<Database, 'prisma'>, { id: tenantId }: TeamId, endpointId: string, max: number) => {
    const rows = await prisma.webhookCheck.findMany({
      where: { tenantId, endpointId },
      select: checkColumns,
      orderBy: { id: 'desc' },
      take: max,
    });
    return rows.map(readCheck);
  },

  /** Whether a check is running that started after a time. The endpoint must be locked. */
  isRunning: async (tx: Tx, { id: tenantId }: TeamId, endpointId: string, begunAfter: Date): Promise<boolean> =>
    (await tx.webhookCheck.count({
      where: { tenantId, endpointId, completedAt: null, createdAt: { gt: begunAfter } },
    })) > 0,

  insert: async (tx: Tx, { id: tenantId }: TeamId, row: { id: string; endpointId: string; createdAt: Date }) =>
    readCheck(await tx.webhookCheck.create({ data: { tenantId, ...row }, select: checkColumns })),

  /** A check with its endpoint; undefined if the check is complete, or was deleted with its endpoint. */
  started: async ({ prisma }: Database, { tenantId, id }: CheckKey) => {
    const endpoint = {
      select: {
        url: true,
        secret: true,
        headers: true,
        apiVersion: true,
        team: { select: { plan: true, status: true } },
      },
    };
    const where = { tenantId, id, completedAt: null };
    const row = await prisma.webhookCheck.findFirst({ where, select: { ...checkColumns, endpoint } });
    return row ? { ...readCheck(row), endpoint: row.endpoint } : undefined;
  },

  /** Adds the result of a probe, unless another worker has stored a result since `known` was read. */
  addResult: (
    { prisma }: Database,
    { tenantId, id }: CheckKey,
    { known, result, completedAt }: { known: readonly CheckResult[]; result: CheckResult; completedAt: Date | null },
  ) =>
    prisma.webhookCheck.updateMany({
      where: { tenantId, id, completedAt: null, results: { equals: asJson(known) } },
      data: { results: asJson([...known, result]), completedAt },
    }),
};

// The tables in the team's export and in the erasure of a person.

export const checkData = teamTable({
  table: 'webhook_check',
  values: ['id', 'endpointId'],
  times: ['createdAt', 'completedAt'],
  json: ['results'],
});

export const endpointData = teamTable({
  table: 'webhook_endpoint',
  values: ['id', 'url', 'events', 'status', 'apiVersion', 'headerNames'],
  times: [
    'lastSuccessAt',
    'failingSince',
    'failedAgainAt',
    'warnedAt',
    'slowAt',
    'alarmedAt',
    'failingEventAt',
    'pausedEventAt',
    'recoveredEventAt',
    'createdAt',
  ],
  texts: ['description'],
  leftOut: {
    secret: 'It signs what the endpoint gets.',
    headers: 'Their values are secrets of the receiver.',
  },
});
