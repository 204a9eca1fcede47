import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { greatestIdUntil, leastIdSince } from '../../core/ids.ts';
import { DeliveryStatus } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { dailyTables, oldRows } from '../../db/partitions.ts';
import type { Partitioned } from '../../db/partitions.ts';
import { bigint, bool, int, json, listOf, nothing, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { withinBudget } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { walkList } from '../../platform/walk-list.ts';

// The tables `webhook_event`, `webhook_delivery`, `webhook_attempt` and `webhook_waiting`, for the rules of this module. src/webhooks
// delivers events with its own queries. A delivery outlives its event and its endpoint, so it has no relations to them.

type TeamId = Pick<Team, 'id'>;

/** The endpoint of the deliveries. */
export interface EndpointKey {
  tenantId: string;
  endpointId: string;
}

interface WantedDeliveries {
  endpointId: string;
  status: DeliveryStatus | undefined;
  type: string | undefined;
  since: Date | undefined;
  until: Date | undefined;
}

const keyOf = ({ id: tenantId }: TeamId, id: string) => ({ tenantId_id: { tenantId, id } });

/** The columns of a delivery in every read. */
const deliveryRow = {
  id: uuid,
  endpoint_id: uuid,
  event_id: uuid,
  attempt: int,
  status: oneOf('delivery_status', DeliveryStatus),
  event_type: text,
  created_at: time,
  next_try_at: time.orNull,
  response_code: int.orNull,
  response_excerpt: text.orNull,
  response_ms: int.orNull,
  error: text.orNull,
} as const;

export type DeliveryRow = RowOf<typeof deliveryRow>;

const deliveryColumns = Object.keys(deliveryRow).join(', ');

const columnsOf = (table: string): string =>
  Object.keys(deliveryRow)
    .map((column) => `${table}.${column}`)
    .join(', ');

/** Ids from the first to the last, both included. */
export interface IdSpan {
  first: string;
  last: string;
}

/**
 * The endpoint is compared as a range and is part of the order, so that only the index by endpoint gives that order: other endpoints of the
 * team may have had a million deliveries since the last one of this endpoint. It is a subquery, so that the planner ignores how many
 * deliveries the endpoint has: otherwise it would read and sort them all.
 */
const asked = '(select :endpointId::uuid)';

const newest = query({
  name: 'webhooks.newestDeliveries',
  why: 'is written for one index, which Prisma can not choose',
  sql: `select ${deliveryColumns} from webhook_delivery
         where tenant_id = :tenantId and endpoint_id >= ${asked} and (endpoint_id, id) < (${asked}, :below) and id < :below
         order by endpoint_id desc, id desc limit :limit`,
  parameters: { tenantId: uuid, endpointId: uuid, below: uuid, limit: bigint },
  row: deliveryRow,
});

/** Greater than every id. */
const beyondAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const beforeAll = '00000000-0000-0000-0000-000000000000';

const page = walkList({
  name: 'webhooks.pageOfDeliveries',
  why: 'ends after a number of rows, however few of them pass the filter',
  table: 'webhook_delivery',
  columns: deliveryRow,
  common: { endpoint_id: ':endpointId::uuid' },
  below: { id: ':below::uuid' },
  least: { id: ':least::uuid' },
  // With this condition the planner skips the partitions of other days.
  also: 'id < :below and id >= :least',
  // The order of ids is only approximately that of the times.
  filter: `(:status::delivery_status is null or status = :status) and (:type::text is null or event_type = :type)
             and created_at >= :since::timestamptz and created_at < :until::timestamptz`,
  parameters: {
    endpointId: uuid,
    below: uuid,
    least: uuid,
    since: time,
    until: time,
    status: oneOf('delivery_status', DeliveryStatus).orNull,
    type: text.orNull,
  },
});

// Deliveries of a deleted endpoint appear in no answer.
const byId = query({
  name: 'webhooks.delivery',
  why: 'looks whether the endpoint is there; no relation says so, since endpoints are deleted before their deliveries',
  sql: `select ${deliveryColumns} from webhook_delivery
         where tenant_id = :tenantId and id = :id
           and exists (select 1 from webhook_endpoint where tenant_id = :tenantId and id = webhook_delivery.endpoint_id)`,
  parameters: { tenantId: uuid, id: uuid },
  row: deliveryRow,
});

const withEvent = query({
  name: 'webhooks.sent',
  why: 'joins endpoint and event, which may be gone: no relation says so',
  sql: `select d.event_id, d.event_type, e.api_version, v.created_at as event_at, v.data
          from webhook_delivery d
          join webhook_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
          left join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id
         where d.tenant_id = :tenantId and d.id = :deliveryId`,
  parameters: { tenantId: uuid, deliveryId: uuid },
  row: { event_id: uuid, event_type: text, api_version: text, event_at: time.orNull, data: json.orNull },
});

/** A delivery with its endpoint's version and its event, which may be deleted. */
export type SentRow = RowOf<(typeof withEvent)['row']>;

const delivery = { tenantId: uuid, id: uuid } as const;

const lockDelivery = query({
  name: 'webhooks.lockDelivery',
  why: 'Prisma has no row locks',
  sql: `select ${deliveryColumns} from webhook_delivery where tenant_id = :tenantId and id = :id for no key update`,
  parameters: delivery,
  row: deliveryRow,
});

const setAside = query({
  name: 'webhooks.setAside',
  why: 'copies columns within the row',
  sql: `update webhook_delivery
           set status = 'pending', resume_status = status, resume_at = next_try_at, next_try_at = :now
         where tenant_id = :tenantId and id = :id
        returning ${deliveryColumns}`,
  parameters: { ...delivery, now: time },
  row: deliveryRow,
});

// The deliveries of an event have ids from known times, so the query reads ranges of ids. An index by event would cost a write for every
// delivery.
const ofEvent = query({
  name: 'webhooks.deliveriesOfEvent',
  why: 'reads several spans of the primary key in one statement',
  sql: `select distinct on (d.id) ${columnsOf('d')}
          from unnest(:froms::uuid[], :untils::uuid[]) as span (first, last)
         cross join lateral (
           select * from webhook_delivery
            where tenant_id = :tenantId and id between span.first and span.last and event_id = :eventId) as d
         where exists (select 1 from webhook_endpoint where tenant_id = :tenantId and id = d.endpoint_id)
         order by d.id limit :limit`,
  parameters: { tenantId: uuid, eventId: uuid, froms: listOf(uuid), untils: listOf(uuid), limit: bigint },
  row: deliveryRow,
});

/** How many of the team's newest deliveries a read of them examines. */
const newestExamined = 500;

const newestOfTeam = query({
  name: 'webhooks.newestDeliveriesOfTeam',
  why: 'looks whether the endpoints are there, which no relation says, and examines a limited number of rows',
  sql: `select ${columnsOf('d')}
          from (select * from webhook_delivery where tenant_id = :tenantId and id >= :leastId
                 order by id desc limit ${newestExamined}) as d
         where d.created_at >= :since and exists (select 1 from webhook_endpoint where tenant_id = :tenantId and id = d.endpoint_id)
         order by d.id desc limit :limit`,
  parameters: { tenantId: uuid, leastId: uuid, since: time, limit: bigint },
  row: deliveryRow,
});

export const deliveries = {
  /** The deliveries of an event with ids in these ranges, oldest first. */
  ofEvent: (
    database: Database,
    { id: tenantId }: TeamId,
    { eventId, spans, limit }: { eventId: string; spans: readonly IdSpan[]; limit: number },
  ) =>
    database.run(ofEvent, {
      tenantId,
      eventId,
      froms: spans.map(({ first }) => first),
      untils: spans.map(({ last }) => last),
      limit,
    }),

  /** The team's newest deliveries since a time, to all of its endpoints. */
  newestOfTeam: (
    database: Database,
    { id: tenantId }: TeamId,
    wanted: { leastId: string; since: Date; limit: number },
  ) => database.run(newestOfTeam, { tenantId, ...wanted }),

  /** The newest deliveries to an endpoint. */
  newest: (
    database: Database,
    { id: tenantId }: TeamId,
    { endpointId, limit }: { endpointId: string; limit: number },
  ) => database.run(newest, { tenantId, endpointId, below: beyondAll, limit }),

  /** A page of all deliveries to an endpoint, newest first. With a filter it examines a limited number of rows. */
  page: (
    team: Team,
    { endpointId, status, type, since, until }: WantedDeliveries,
    wanted: { cursor?: string | undefined; limit: number },
  ) =>
    page(team, {
      cursorOf: `deliveries&${endpointId}&${status ?? ''}&${type ?? ''}&${since?.getTime() ?? ''}&${until?.getTime() ?? ''}`,
      query: wanted,
      start: [until ? greatestIdUntil(until) : beyondAll],
      parameters: ([below = beyondAll]) => ({
        endpointId,
        below,
        least: since ? leastIdSince(since) : beforeAll,
        since: since ?? '-infinity',
        until: until ?? 'infinity',
        status: status ?? null,
        type: type ?? null,
      }),
    }),

  /** A delivery, unless its endpoint is deleted. */
  get: async (database: Database, { id: tenantId }: TeamId, id: string) =>
    (await database.run(byId, { tenantId, id }))[0],

  /** The content of a delivery: its event, and the version of its endpoint. */
  withEvent: async (database: Database, { id: tenantId }: TeamId, deliveryId: string) =>
    (await database.run(withEvent, { tenantId, deliveryId }))[0],

  endpointOf: async (tx: Tx, team: TeamId, id: string) =>
    (await tx.webhookDelivery.findUnique({ where: keyOf(team, id), select: { endpointId: true } }))?.endpointId,

  /** The error of the newest failed or given-up delivery to an endpoint. */
  lastFailure: (tx: Tx, { id: tenantId }: TeamId, endpointId: string) =>
    tx.webhookDelivery.findFirst({
      where: { tenantId, endpointId, status: { in: ['failed', 'gave_up'] } },
      select: { error: true, responseCode: true },
      orderBy: { id: 'desc' },
    }),

  lock: async (tx: Tx, { id: tenantId }: TeamId, id: string) => (await runIn(tx, lockDelivery, { tenantId, id }))[0],

  /** Makes a delivery pending, and stores its former status and schedule. */
  setAside: async (tx: Tx, { id: tenantId }: TeamId, id: string, now: Date) =>
    (await runIn(tx, setAside, { tenantId, id, now }))[0],
};

const plain = 'id, number, manual, started_at, url, response_code, response_excerpt, response_ms, error, member_detail';

// The receiver's headers, and the body of each attempt, may have 30 kB together. So the page ends at its budget.
const newestAttempts = query({
  name: 'webhooks.attempts',
  why: 'ends where the page has enough bytes, and gives JSON as text',
  sql: withinBudget({
    page: `select ${plain}, request_headers, response_headers
             from webhook_attempt
            where tenant_id = :tenantId and delivery_id = :deliveryId and id >= :leastId
            order by number desc, id desc limit :limit`,
    order: 'number desc, id desc',
    columns: `${plain}, request_headers::text, response_headers::text`,
    bytes: `:bodyBytes::int + octet_length(request_headers::text) + coalesce(octet_length(response_headers::text), 0)
              + json_bytes(response_excerpt) + json_bytes(url)`,
  }),
  parameters: { tenantId: uuid, deliveryId: uuid, leastId: uuid, limit: bigint, bodyBytes: int },
  row: {
    id: uuid,
    number: int,
    manual: bool,
    started_at: time,
    url: text,
    response_code: int.orNull,
    response_excerpt: text.orNull,
    response_ms: int.orNull,
    error: text.orNull,
    member_detail: bool,
    request_headers: text.checked,
    response_headers: text.orNull,
  },
});

// The endpoint is compared as a range, as in `newest`.
const lastBefore = query({
  name: 'webhooks.lastAttemptsBefore',
  why: 'finds the last attempt of each of several endpoints that ended before a time',
  sql: `select endpoint.id as endpoint_id, before.started_at, before.succeeded
          from unnest(:endpointIds::uuid[]) as endpoint (id)
         cross join lateral (
           select a.started_at, a.error is null and a.response_code between 200 and 299 as succeeded
             from (select id from webhook_delivery
                    where tenant_id = :tenantId and endpoint_id >= endpoint.id and (endpoint_id, id) < (endpoint.id, :below)
                      and id < :below
                    order by endpoint_id desc, id desc limit 20) as d
             join webhook_attempt a on a.tenant_id = :tenantId and a.delivery_id = d.id
            where a.started_at + coalesce(a.response_ms, 0) * interval '1 millisecond' <= :at
            order by a.started_at desc limit 1) as before`,
  parameters: { tenantId: uuid, endpointIds: listOf(uuid), below: uuid, at: time },
  row: { endpoint_id: uuid.checked, started_at: time, succeeded: bool.checked },
});

export const attempts = {
  /** The attempts of these deliveries, oldest first, without the sent and received contents. */
  ofDeliveries: ({ prisma }: Database, { id: tenantId }: TeamId, deliveryIds: string[], limit: number) =>
    prisma.webhookAttempt.findMany({
      where: { tenantId, deliveryId: { in: deliveryIds } },
      select: {
        id: true,
        deliveryId: true,
        number: true,
        manual: true,
        startedAt: true,
        responseCode: true,
        responseMs: true,
        error: true,
      },
      orderBy: [{ deliveryId: 'asc' }, { number: 'asc' }],
      take: limit,
    }),

  /** The last attempt of each endpoint that ended before a time, among its newest deliveries before an id. */
  lastBefore: (
    database: Database,
    { id: tenantId }: TeamId,
    wanted: { endpointIds: string[]; below: string; at: Date },
  ) => database.run(lastBefore, { tenantId, ...wanted }),

  /** The attempts of a delivery, newest first. Each counts with `bodyBytes` in addition to its own columns. */
  newest: (
    database: Database,
    { id: tenantId }: TeamId,
    wanted: { deliveryId: string; leastId: string; limit: number; bodyBytes: number },
  ) => database.run(newestAttempts, { tenantId, ...wanted }),
};

// An event whose delivery was given up counts as missed; one whose delivery is still pending does not.
const missed = query({
  name: 'webhooks.missed',
  why: 'leaves out events that have a delivery: no relation says so',
  sql: `select v.id, v.type
          from webhook_event v
         where v.tenant_id = :tenantId and v.id >= :leastId and v.created_at >= :since and v.type = any (:types)
           and not exists (select 1 from webhook_delivery d
                            where d.tenant_id = :tenantId and d.endpoint_id = :endpointId and d.id >= :leastId and d.event_id = v.id
                              and d.status <> 'gave_up')
         order by v.id limit :limit`,
  parameters: { tenantId: uuid, endpointId: uuid, types: listOf(text), since: time, leastId: uuid, limit: bigint },
  row: { id: uuid, type: text },
});

export const events = {
  get: async ({ prisma }: Database, team: TeamId, id: string) => {
    const row = await prisma.webhookEvent.findUnique({
      where: keyOf(team, id),
      select: { id: true, type: true, data: true, createdAt: true },
    });
    return row ?? undefined;
  },

  insert: (tx: Tx, { id: tenantId }: TeamId, row: Omit<Prisma.WebhookEventUncheckedCreateInput, 'tenantId'>) =>
    tx.webhookEvent.create({ data: { tenantId, ...row } }),

  typeOf: async (tx: Tx, team: TeamId, id: string) =>
    (await tx.webhookEvent.findUnique({ where: keyOf(team, id), select: { type: true } }))?.type,

  /** The oldest events of some types since a time that were not delivered to an endpoint and have no pending delivery. */
  missed: (
    tx: Tx,
    { id: tenantId }: TeamId,
    wanted: { endpointId: string; types: readonly string[]; since: Date; leastId: string; limit: number },
  ) => runIn(tx, missed, { tenantId, ...wanted }),
};

export type EventRow = NonNullable<Awaited<ReturnType<(typeof events)['get']>>>;

const lockWaiting = query({
  name: 'webhooks.lockWaiting',
  why: 'Prisma has no row locks',
  sql: `select claim_id is not null and due_at > :now as sending
          from webhook_waiting where tenant_id = :tenantId and delivery_id = :id for update`,
  parameters: { ...delivery, now: time },
  row: { sending: bool.checked },
});

const crowdedTeams = query({
  name: 'webhooks.crowdedTeams',
  why: 'has the number in the condition of the groups, for all teams at once',
  sql: `select tenant_id as "tenantId", count(*)::int as waiting from webhook_waiting group by tenant_id having count(*) > :most`,
  parameters: { most: bigint },
  row: { tenantId: uuid, waiting: int.checked },
});

/** Leaves out deliveries that are being sent, and those that a person requested. */
const giveUpOldest = query({
  name: 'webhooks.giveUpOldest',
  why: 'takes a bounded number of rows, skips locked ones, and writes four tables in one statement',
  sql: `with chosen as materialized (
          select tenant_id, endpoint_id, delivery_id
            from webhook_waiting
           where tenant_id = :tenantId and not by_hand and (claim_id is null or due_at <= :now)
           order by delivery_id
           limit :count
             for update skip locked),
        gone as (
          delete from webhook_waiting w using chosen where w.tenant_id = chosen.tenant_id and w.delivery_id = chosen.delivery_id),
        beyond as (
          select from webhook_team_day
           where tenant_id = :tenantId and day = (:now at time zone 'UTC')::date and attempts >= :historyAttempts),
        dropped as (
          delete from webhook_delivery d using chosen
           where exists (select from beyond)
             and d.tenant_id = chosen.tenant_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.delivery_id
          returning d.id),
        dropped_attempts as (
          delete from webhook_attempt
           where exists (select from beyond)
             and tenant_id = :tenantId and delivery_id = any (array(select delivery_id from chosen))),
        given_up as (
          update webhook_delivery d
             set status = 'gave_up', next_try_at = null, resume_status = null, resume_at = null, error = 'too many waiting'
            from chosen
           where not exists (select from beyond)
             and d.tenant_id = chosen.tenant_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.delivery_id
          returning d.id),
        counted as (
          insert into webhook_team_day as team (tenant_id, day, attempts)
          select :tenantId, (:now at time zone 'UTC')::date, count(*) from given_up having count(*) > 0
              on conflict (tenant_id, day) do update set attempts = team.attempts + excluded.attempts)
        select id from dropped union all select id from given_up`,
  parameters: { tenantId: uuid, now: time, count: bigint, historyAttempts: bigint },
  row: { id: uuid.checked },
});

/** Leaves out deliveries that are being sent, pings, and retries by hand. */
const giveUpPaused = query({
  name: 'webhooks.giveUp',
  why: 'takes a bounded number of rows, locked, and writes two tables in one statement',
  sql: `with paused as materialized (
          select tenant_id, id from webhook_endpoint
           where tenant_id = :tenantId and id = :id and status = 'disabled_failures' for no key update),
        chosen as materialized (
          select w.tenant_id, w.endpoint_id, w.delivery_id
            from paused
            join webhook_waiting w on w.tenant_id = paused.tenant_id and w.endpoint_id = paused.id
           where (w.claim_id is null or w.due_at <= :now) and not w.by_hand
           limit :most
             for update of w),
        gone as (
          delete from webhook_waiting w using chosen where w.tenant_id = chosen.tenant_id and w.delivery_id = chosen.delivery_id)
        update webhook_delivery d set status = 'gave_up', next_try_at = null, error = 'endpoint paused'
          from chosen
         where d.tenant_id = chosen.tenant_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.delivery_id
        returning d.id`,
  parameters: { tenantId: uuid, id: uuid, now: time, most: bigint },
  row: { id: uuid },
});

const deleteSome = query({
  name: 'webhooks.dropWaiting',
  why: 'deletes a bounded number of rows',
  sql: `delete from webhook_waiting
         where tenant_id = :tenantId
           and delivery_id = any (array(select delivery_id from webhook_waiting
                                         where tenant_id = :tenantId and endpoint_id = :endpointId limit :most))`,
  parameters: { tenantId: uuid, endpointId: uuid, most: bigint },
  row: {},
});

const deleteOrphans = query({
  name: 'webhooks.deleteOrphans',
  why: 'looks at each endpoint once, with a recursive query',
  sql: `with recursive endpoint as (
          (select tenant_id, endpoint_id from webhook_waiting order by tenant_id, endpoint_id limit 1)
          union all
          select further.*
            from endpoint
           cross join lateral (
             select w.tenant_id, w.endpoint_id from webhook_waiting w
              where (w.tenant_id, w.endpoint_id) > (endpoint.tenant_id, endpoint.endpoint_id)
              order by w.tenant_id, w.endpoint_id
              limit 1) as further)
        delete from webhook_waiting w
         using endpoint
         where w.tenant_id = endpoint.tenant_id and w.endpoint_id = endpoint.endpoint_id
           and not exists (select from webhook_endpoint e where e.tenant_id = endpoint.tenant_id and e.id = endpoint.endpoint_id)`,
  parameters: {},
  row: {},
});

export const waiting = {
  /** Locks the waiting row of a delivery, if there is one, and returns whether an attempt is running. */
  lock: async (tx: Tx, { id: tenantId }: TeamId, id: string, now: Date): Promise<boolean> =>
    (await runIn(tx, lockWaiting, { tenantId, id, now }))[0]?.sending === true,

  /** Makes a delivery due at once, whether or not it waits. */
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

  /** The teams with more waiting deliveries than `most`, and how many they have. */
  crowdedTeams: (database: Database, most: number) => database.run(crowdedTeams, { most }),

  /** Gives up a team's oldest waiting deliveries. Beyond `historyAttempts` of the day they are deleted. */
  giveUpOldest: (tx: Tx, { id: tenantId }: TeamId, wanted: { now: Date; count: number; historyAttempts: number }) =>
    runIn(tx, giveUpOldest, { tenantId, ...wanted }),

  /** Gives up some of the waiting deliveries of an endpoint, if it is paused. */
  giveUpPaused: (
    database: Database,
    { tenantId, endpointId: id }: EndpointKey,
    { now, most }: { now: Date; most: number },
  ) => database.run(giveUpPaused, { tenantId, id, now, most }),

  /** Deletes some of the waiting rows of an endpoint. */
  deleteSome: (tx: Tx, { tenantId, endpointId }: EndpointKey, most: number) =>
    runIn(tx, deleteSome, { tenantId, endpointId, most }),

  /** Deletes the waiting rows of endpoints that do not exist. */
  deleteOrphans: (database: Database) => database.run(deleteOrphans, {}),
};

const addJob = query({
  name: 'webhooks.addForgettingJob',
  why: 'adds a job of graphile-worker',
  sql: `select add_rewriting_job('forget_endpoint', json_build_object('tenantId', :tenantId::uuid, 'endpointId', :endpointId::uuid),
                                 :tenantId::text || ' ' || :endpointId::text) as added`,
  parameters: { tenantId: uuid, endpointId: uuid },
  row: { added: nothing },
});

// Only rows of an endpoint that does not exist.
const findLeft = query({
  name: 'webhooks.deliveriesLeft',
  why: 'finds deliveries whose endpoint is gone: no relation says so',
  sql: `select d.id from webhook_delivery d
         where d.tenant_id = :tenantId and d.endpoint_id = :endpointId
           and not exists (select from webhook_endpoint e where e.tenant_id = :tenantId and e.id = :endpointId)
         order by d.id limit :size`,
  parameters: { tenantId: uuid, endpointId: uuid, size: bigint },
  row: { id: uuid },
});

const deletion = (table: string, column: string) =>
  query({
    name: `webhooks.forget ${table}`,
    why: 'takes any number of ids in one prepared statement; Prisma plans a new text for each number',
    sql: `delete from ${table} where tenant_id = :tenantId and ${column} = any (:ids::uuid[])`,
    parameters: { tenantId: uuid, ids: listOf(uuid) },
    row: {},
  });

const deletions = [
  deletion('webhook_waiting', 'delivery_id'),
  deletion('webhook_attempt', 'delivery_id'),
  deletion('webhook_delivery', 'id'),
];

/** The deliveries of a deleted endpoint. */
export const leftDeliveries = {
  find: (tx: Tx, { tenantId, endpointId }: EndpointKey, size: number) =>
    runIn(tx, findLeft, { tenantId, endpointId, size }),

  /** Deletes deliveries with their attempts and waiting rows. */
  delete: async (tx: Tx, tenantId: string, ids: readonly string[]): Promise<void> => {
    for (const deleteIds of deletions) await runIn(tx, deleteIds, { tenantId, ids });
  },

  /** Deletes the counts of attempts to an endpoint. */
  deleteCounts: (tx: Tx, key: EndpointKey) => tx.webhookQuarterHour.deleteMany({ where: key }),

  /** Adds the job that deletes them. */
  addJobIn: (tx: Tx, { tenantId, endpointId }: EndpointKey) => runIn(tx, addJob, { tenantId, endpointId }),

  addJob: (database: Database, { tenantId, endpointId }: EndpointKey) => database.run(addJob, { tenantId, endpointId }),
};

/**
 * The tables with a partition for each day. A delivery's row is updated until it is done; free space in its page keeps these updates out of
 * the indexes.
 */
export const partitioned: readonly Partitioned[] = [
  { table: 'webhook_event' },
  { table: 'webhook_delivery', storage: 'with (fillfactor = 70)' },
  { table: 'webhook_attempt' },
];

/** The rows that are deleted by age. */
export const old = {
  days: dailyTables('webhooks', partitioned, 'webhook_endpoint_day'),
  waiting: oldRows('webhooks', 'webhook_waiting', 'delivery_id < first_id_of(:firstKept::date)'),
  quarterHours: oldRows('webhooks', 'webhook_quarter_hour', `start < :firstKept::date::timestamp at time zone 'UTC'`),
  teamDays: oldRows('webhooks', 'webhook_team_day', 'day < :firstKept::date'),
  checks: oldRows('webhooks', 'webhook_check', 'id < first_id_of(:firstKept::date)'),
};
