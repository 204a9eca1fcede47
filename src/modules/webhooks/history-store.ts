import { utcDay } from '../../core/clock.ts';
import { firstIdAt, minIdSince } from '../../core/ids.ts';
import { webhookLimits } from '../../core/limits.ts';
import { runOn, type Database, type Tx } from '../../db/database.ts';
import { bigint, bool, float, int, listOf, query, text, time, uuid, type ParametersOf } from '../../db/query.ts';
import { deleteOldRows, firstKept, firstKeptSums, type Retention } from '../../db/retention.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';
import { Headers } from './schema.ts';

// The tables `webhook_event` and `webhook_attempt`, and the sums of attempts: `webhook_quarter_hour` by endpoint,
// outcome and duration, `webhook_endpoint_day` by endpoint, `webhook_team_day` by team. Deliveries are in
// delivery-store.ts.

type TeamId = Pick<Team, 'id'>;

// An event whose delivery was given up counts as missed. An event whose delivery is still to be sent (`pending` or
// `failed`) does not, and neither does an event about the endpoint itself.
const missed = query({
  name: 'webhooks.missed',
  why: 'leaves out events that have a delivery: no relation says so',
  sql: `select v.id, v.type
          from webhook_event v
         where v.tenant_id = :tenantId and v.id >= :minId and v.created_at >= :since and v.created_at < :until::timestamptz
           and v.type = any (:types)
           and not exists (select 1 from webhook_delivery d
                            where d.tenant_id = :tenantId and d.endpoint_id = :endpointId and d.id >= :minId and d.event_id = v.id
                              and d.status <> 'gave_up')
           and (v.type not like 'endpoint.%' or v.data::jsonb ->> 'endpoint_id' <> :endpointId::text)
           and (v.type <> 'audit.recorded' or (v.data::jsonb #>> '{target,id}' is distinct from :endpointId::text
             and v.data::jsonb #>> '{data,endpoint_id}' is distinct from :endpointId::text))
         order by v.id limit :limit`,
  parameters: {
    tenantId: uuid,
    endpointId: uuid,
    types: listOf(text),
    since: time,
    until: time,
    minId: uuid,
    limit: bigint,
  },
  row: { id: uuid, type: text },
});

export const events = {
  get: async (tx: Tx, { id: tenantId }: TeamId, id: string) => {
    const row = await tx.webhookEvent.findFirst({
      where: { tenantId, id },
      select: { id: true, type: true, data: true, createdAt: true },
    });
    return row ?? undefined;
  },

  /**
   * The oldest events of some types in a range of time that were not delivered to an endpoint and have no delivery that
   * is still to be sent.
   */
  missed: (
    connection: Tx | Database,
    { id: tenantId }: TeamId,
    {
      since,
      until,
      ...wanted
    }: { endpointId: string; types: readonly string[]; since: Date; until?: Date; limit: number },
  ) => runOn(connection, missed, { tenantId, since, until: until ?? 'infinity', minId: minIdSince(since), ...wanted }),
};

export type EventRow = NonNullable<Awaited<ReturnType<(typeof events)['get']>>>;

/** Stored headers, by name. */
const headersIn = (stored: unknown): ReadonlyMap<string, string> | null => {
  const headers = Headers.nullable().parse(stored);
  return headers && new Map(Object.entries(headers));
};

export const attempts = {
  /** The attempts of these deliveries, delivery by delivery and each oldest first, without headers and excerpts. */
  ofDeliveries: ({ prisma }: Database, { id: tenantId }: TeamId, deliveryIds: string[], limit: number) =>
    prisma.webhookAttempt.findMany({
      where: { tenantId, deliveryId: { in: deliveryIds } },
      omit: { tenantId: true, requestHeaders: true, responseHeaders: true, responseExcerpt: true, memberDetail: true },
      orderBy: [{ deliveryId: 'asc' }, { number: 'asc' }],
      take: limit,
    }),

  /** The attempts of a delivery, newest first. */
  newest: async ({ prisma }: Database, { id: tenantId }: TeamId, deliveryId: string, limit: number) => {
    const rows = await prisma.webhookAttempt.findMany({
      where: { tenantId, deliveryId },
      omit: { tenantId: true, deliveryId: true },
      orderBy: [{ number: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map(({ requestHeaders, responseHeaders, ...row }) => ({
      ...row,
      requestHeaders: headersIn(requestHeaders) ?? new Map(),
      responseHeaders: headersIn(responseHeaders),
    }));
  },
};

// The rows are read endpoint by endpoint, because the rows of one endpoint are stored together. Rows of deleted
// endpoints are not counted.
const health = query({
  name: 'webhooks.health',
  why: 'adds up the quarter hours of each interval',
  sql: `select width_bucket(start, :starts::timestamptz[]) - 1 as at, delivered, duration, sum(attempts)::float8 as attempts
          from webhook_endpoint e
         cross join lateral (
           select start, delivered, duration, attempts from webhook_quarter_hour q
            where q.tenant_id = :tenantId and q.endpoint_id = e.id and start >= (:starts::timestamptz[])[1] and start < :end) as counted
         where e.tenant_id = :tenantId and (:endpointId::uuid is null or e.id = :endpointId)
         group by 1, 2, 3`,
  parameters: { tenantId: uuid, starts: listOf(time), end: time, endpointId: uuid.orNull },
  row: { at: int.checked, delivered: bool, duration: int, attempts: float.checked },
});

interface DaysOf {
  first: string;
  last: string;
  endpointId: string | null;
}

export const endpointDays = {
  /** The numbers of successful and failed attempts to each endpoint on each day, from a day on. */
  since: async ({ prisma }: Database, { id: tenantId }: TeamId, first: string) => {
    const rows = await prisma.webhookEndpointDay.findMany({
      where: { tenantId, day: { gte: new Date(first) } },
      select: { endpointId: true, day: true, delivered: true, failed: true },
    });
    return rows.map(({ day, ...counts }) => ({ ...counts, day: utcDay(day) }));
  },

  /** The number of attempts to one endpoint, or to all, on some days (UTC), and the sum of their durations. */
  sum: async ({ prisma }: Database, { id: tenantId }: TeamId, { first, last, endpointId }: DaysOf) => {
    const where = { tenantId, ...(endpointId !== null && { endpointId }) };
    const { _sum: sum } = await prisma.webhookEndpointDay.aggregate({
      where: { ...where, day: { gte: new Date(first), lte: new Date(last) } },
      _sum: { delivered: true, failed: true, totalMs: true },
    });
    return { attempts: (sum.delivered ?? 0) + (sum.failed ?? 0), totalMs: Number(sum.totalMs ?? 0) };
  },
};

/** The numbers of attempts to one endpoint, or to all, in each interval by outcome and duration. */
export const endpointHealth = (database: Database, wanted: ParametersOf<(typeof health)['parameters']>) =>
  database.run(health, wanted);

/**
 * Deletes old events, deliveries and attempts of these teams, and waiting rows of old deliveries, receiver checks and
 * sums of attempts (by quarter hour, team day and endpoint day) of all teams. Checks and sums are deleted by their own
 * age.
 */
export const deleteOldHistory = async (
  { database: { prisma }, clock }: Platform,
  tenantIds: readonly string[],
  { days, until }: Retention,
): Promise<void> => {
  const kept = firstKept(clock, days);
  const id = { lt: firstIdAt(kept) };
  // Waiting rows are deleted before the deliveries, so that no worker claims a row whose delivery is gone.
  await deleteOldRows(until, (limit) => prisma.webhookWaiting.deleteMany({ where: { deliveryId: id }, limit }));
  await deleteOldRows(until, (limit) => prisma.webhookCheck.deleteMany({ where: { id }, limit }));
  const start = { lt: kept };
  await deleteOldRows(until, (limit) => prisma.webhookQuarterHour.deleteMany({ where: { start }, limit }));
  await deleteOldRows(until, (limit) => prisma.webhookTeamDay.deleteMany({ where: { day: start }, limit }));
  const day = { lt: firstKeptSums(clock, days) };
  await deleteOldRows(until, (limit) => prisma.webhookEndpointDay.deleteMany({ where: { day }, limit }));
  for (const tenantId of tenantIds) {
    const where = { tenantId, id };
    await deleteOldRows(until, (limit) => prisma.webhookAttempt.deleteMany({ where, limit }));
    await deleteOldRows(until, (limit) => prisma.webhookDelivery.deleteMany({ where, limit }));
    await deleteOldRows(until, (limit) => prisma.webhookEvent.deleteMany({ where, limit }));
  }
};

export const deleteSumsOf = (tx: Tx, key: { tenantId: string; endpointId: string }) =>
  tx.webhookQuarterHour.deleteMany({ where: key });

// The tables in the team's export and in the erasure of a person.

export const eventData = teamTable({
  table: 'webhook_event',
  values: ['id', 'type'],
  times: ['createdAt'],
  json: ['data'],
  // Erases the person's address in events of the audit log, under the same conditions as in the log itself.
  clearedIn: {
    data: {
      member: 'address',
      when: `t.type = 'audit.recorded' and (t.data::jsonb #>> '{actor,id}' ~* :any
        or (t.data::jsonb #>> '{actor,kind}' = 'service' and t.data::jsonb #>> '{target,id}' ~* :any))`,
    },
  },
});

export const attemptData = teamTable({
  table: 'webhook_attempt',
  values: ['id', 'deliveryId', 'number', 'manual', 'responseCode', 'responseMs', 'memberDetail'],
  times: ['startedAt'],
  texts: ['url', ['responseExcerpt', webhookLimits.excerptCharacters], 'error', 'errorDe'],
  json: ['requestHeaders', 'responseHeaders'],
});

export const deliveryData = teamTable({
  table: 'webhook_delivery',
  file: 'webhook_deliveries.json',
  values: [
    'id',
    'endpointId',
    'eventId',
    'eventType',
    'status',
    'attempt',
    'scheduled',
    'resumeStatus',
    'responseCode',
    'responseMs',
    'memberDetail',
  ],
  times: ['nextTryAt', 'resumeAt', 'createdAt'],
  texts: [['responseExcerpt', webhookLimits.excerptCharacters], 'error', 'errorDe'],
});

export const teamDayData = teamTable({
  table: 'webhook_team_day',
  key: { day: 'date' },
  values: ['day', 'attempts'],
});

export const endpointDayData = teamTable({
  table: 'webhook_endpoint_day',
  key: { endpointId: 'uuid', day: 'date' },
  values: ['endpointId', 'day', 'delivered', 'failed', 'totalMs', 'slowestMs'],
});
