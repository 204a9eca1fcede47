import { z } from 'zod';
import { later } from '../core/clock.ts';
import type { EventType, SentType } from '../core/events.ts';
import { makeId } from '../core/ids.ts';
import { forAllTeams, type DatabasePart } from '../db/parts.ts';
import { afterCommit, runLater, writeLater, type Database, type Tx } from '../db/database.ts';
import { int, jsonb, query, text, time, uuid } from '../db/query.ts';
import type { Platform, Team } from '../platform/team.ts';
import type { ShareLockedTeam } from '../platform/team-row.ts';
import { isThrottled } from './claim.ts';
import type { EventData, Payload } from './payload.ts';

// How a delivery is written, and how its endpoint gets a job.
//
//   write   the event, its deliveries and their waiting rows, in the transaction of the change
//   relay   after the commit: a job for each endpoint, with the key `deliver:<endpoint>`
//   job     sends what is due (deliver.ts); at its end it adds the next one, if something is due later
//   sweep   every few seconds in each worker: a job for each endpoint that has overdue deliveries, but no job and no
//           running attempt
//
// A key has at most one job that waits. If a job with the key already runs, graphile-worker takes the key from it and
// adds another job. That job starts after the commit, so it sees the new deliveries, whether or not the running job saw
// them. If a worker fetches the waiting job at this very moment, no job is added: the fetched job starts after the
// commit, too.

/**
 * SQL: the id of the delivery of an event to the endpoint `endpoint`. It is a UUIDv7 in the order of its event, with
 * the event's time, version and counter. The rest is derived from both ids, so each part of a statement can compute it.
 * If one part of a statement passed it to the others, a database of several machines would send it to all of them, and
 * fail while one machine is away.
 */
const deliveryId = (eventId: string): string =>
  `(left(${eventId}::text, 18) || '-8' || substr(md5(${eventId}::text || endpoint.id::text)::uuid::text, 21))::uuid`;

/** SQL: the team's active endpoints that subscribe to the event, except `:exceptId`. */
const subscribed = `webhook_endpoint endpoint
                 where endpoint.tenant_id = :tenantId and endpoint.status = 'active' and endpoint.events @> array[:type]
                   and endpoint.id is distinct from :exceptId`;

const insertEvent = query({
  name: 'webhooks.insertEvent',
  why: 'writes an event, its entry in the feed, its deliveries and what waits in one round trip of nearly every write: through Prisma a POST fell to a third of its rate',
  sql: `with event as (insert into webhook_event (tenant_id, id, type, data, created_at) values (:tenantId, :id, :type, :data, :at)),
             entry as (insert into event_feed_entry (tenant_id, event_id, type) values (:tenantId, :id, :type)),
             waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
                         select endpoint.tenant_id, ${deliveryId(':id')}, endpoint.id, :at, false from ${subscribed}),
             delivery as (insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
                          select endpoint.tenant_id, ${deliveryId(':id')}, endpoint.id, :id, :type, :at, :at from ${subscribed} returning endpoint_id)
        select endpoint_id as "endpointId" from delivery`,
  parameters: { tenantId: uuid, id: uuid, type: text, data: text, at: time, exceptId: uuid.orNull },
  row: { endpointId: uuid },
});

/**
 * SQL: parts of the statement that writes audit entries (`:entries`, of the team `:tenantId`). For each entry that an
 * active endpoint is to get, they write an event `audit.recorded` with the entry's id, and its deliveries; they return
 * the endpoints. A team without the API, or one that is not active, gets none. An endpoint gets no entry about itself,
 * as with the events about endpoints, and no endpoint gets one about a private case. The events are not in the feed.
 */
export const recordedEvents = (given: string): string => {
  const wanted = `webhook_endpoint endpoint
                 join team on team.id = endpoint.tenant_id and team.status = 'active' and team.plan <> 'basic'`;
  const isWanted = `endpoint.tenant_id = :tenantId and endpoint.status = 'active'
                  and endpoint.events @> array['audit.recorded']::text[]
                  and given.target_id is distinct from endpoint.id::text
                  and given.data ->> 'endpoint_id' is distinct from endpoint.id::text
                  and not (given.target_type = 'case' and given.data @> '{"private": true}')`;
  const each = `${wanted} cross join ${given} where ${isWanted}`;
  return `event as (insert into webhook_event (tenant_id, id, type, data, created_at)
                       select :tenantId, given.id, 'audit.recorded',
                              json_build_object(
                                'team_id', :tenantId::uuid, 'id', given.id, 'action', given.action,
                                'actor', json_build_object('kind', given.actor_kind, 'id', given.actor_id),
                                'target', json_build_object('type', given.target_type, 'id', given.target_id),
                                'data', given.data, 'request_id', given.request_id, 'address', given.address,
                                'created_at', to_char(given.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text,
                              given.created_at
                         from ${given}
                        where exists (select from ${wanted} where ${isWanted})),
             waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
                         select endpoint.tenant_id, ${deliveryId('given.id')}, endpoint.id, given.created_at, false from ${each}),
             delivery as (insert into webhook_delivery as d (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
                          select endpoint.tenant_id, ${deliveryId('given.id')}, endpoint.id, given.id, 'audit.recorded',
                                 given.created_at, given.created_at from ${each} returning d.endpoint_id)
        select endpoint_id as "endpointId" from delivery`;
};

/** An event and the endpoint that gets it. */
interface OutgoingEvent {
  endpointId: string;
  eventId: string;
  type: SentType;
}

/** Wakes the requests of this process that wait for events of the team, after the commit of this transaction. */
const wakeReadersAfter = (tx: Tx, { id, platform: { eventWaits } }: Team): void =>
  afterCommit(tx, () => eventWaits.raised(id));

/**
 * Writes deliveries of events to endpoints, and a waiting row for each, in this transaction (the outbox). Returns the
 * deliveries' ids in the same order. The endpoints get their jobs after the commit.
 */
export const writeDeliveries = async (
  tx: Tx,
  team: Team,
  at: Date,
  sent: readonly OutgoingEvent[],
): Promise<string[]> => {
  const ids = sent.map(() => makeId());
  const rows = sent.map((one, index) => ({ ...one, tenantId: team.id, id: ids[index] ?? '' }));
  const waiting = rows.map(({ tenantId, id: deliveryId, endpointId, type }) => ({
    tenantId,
    deliveryId,
    endpointId,
    dueAt: at,
    byHand: type === 'ping',
  }));
  const delivered = rows.map(({ type, ...row }) => ({ ...row, eventType: type, nextTryAt: at, createdAt: at }));
  await writeLater(tx, () => tx.webhookDelivery.createMany({ data: delivered }));
  await writeLater(tx, () => tx.webhookWaiting.createMany({ data: waiting }));
  addJobsAfter(tx, team, async () => sent);
  return ids;
};

/** The data of an event as it is stored. `personal` is left out while the team hides member details. */
const dataOf = ({ id, privacy }: Team, { data, personal }: { data: object; personal: object }): string =>
  JSON.stringify({ team_id: id, ...data, ...(privacy.memberDetail && personal) });

/**
 * Raises an event in the transaction of the change that the event reports: together with the transaction's next
 * statement it writes the event and a delivery for every active endpoint that subscribes to it. Change and event are
 * committed together or not at all. The transaction has locked the team, so its switches and endpoints can't change
 * before the commit. A team without the API, or one that is not active, raises nothing: without the event's row nobody
 * can recover or replay it later. `exceptId`: an endpoint that does not get it.
 */
export const raise = <Event extends Payload<EventType>>(
  tx: Tx,
  team: ShareLockedTeam,
  { type }: Event,
  values: EventData<Event>,
  exceptId: string | null = null,
): void => {
  if (!team.apiIsOn) return;
  const at = team.platform.clock.now();
  const wanted = runLater(tx, insertEvent, {
    tenantId: team.id,
    id: makeId(),
    type,
    data: dataOf(team, values),
    at,
    exceptId,
  });
  addJobsAfter(tx, team, wanted);
  wakeReadersAfter(tx, team);
};

/** Writes the `ping` of a test, for one endpoint alone, whatever its status. Returns the delivery's id. */
export const raiseFor = async <Event extends Payload<'ping'>>(
  tx: Tx,
  team: ShareLockedTeam,
  endpointId: string,
  { type }: Event,
  values: EventData<Event>,
): Promise<string> => {
  const [eventId, at, tenantId] = [makeId(), team.platform.clock.now(), team.id];
  await tx.webhookEvent.create({ data: { tenantId, id: eventId, type, data: dataOf(team, values), createdAt: at } });
  await tx.eventFeedEntry.create({ data: { tenantId, eventId, type }, select: { eventId: true } });
  wakeReadersAfter(tx, team);
  const [deliveryId = ''] = await writeDeliveries(tx, team, at, [{ endpointId, eventId, type }]);
  return deliveryId;
};

// The jobs

/** Endpoints that fail or are slow share a second task, with fewer slots. */
export const deliverTasks = { usual: 'deliver', throttled: 'deliver_throttled' } as const;

export const DeliverJob = z.object({ tenantId: z.uuid(), endpointId: z.uuid() });
export type DeliverJob = z.output<typeof DeliverJob>;

/** An endpoint, and the milliseconds until it has something due. */
type DueEndpoint = Parameters<Platform['addDeliverJob']>[0];

/**
 * Adds jobs. If a job already waits under the key, it gets the new time only if that is earlier. So a job that
 * continues later never postpones another job, and a new event does not move an endpoint back in the line. The jobs are
 * inserted in the order of their keys, so that two processes don't deadlock. `found`: the SQL join that finds the
 * endpoints, as `e`.
 */
const adding = (found: string): string => `with due as materialized (
          select "tenantId" as tenant_id, "endpointId" as endpoint_id, now() + min("inMs") * interval '1 millisecond' as run_at
            from jsonb_to_recordset(:due) as d ("tenantId" uuid, "endpointId" uuid, "inMs" float8)
           group by 1, 2),
        wanted as materialized (
          select 'deliver:' || e.id as key, due.run_at,
                 case when ${isThrottled('now()')} then '${deliverTasks.throttled}' else '${deliverTasks.usual}' end as task,
                 json_build_object('tenantId', e.tenant_id, 'endpointId', e.id) as payload
            from due ${found}),
        added as materialized (
          select id, key, run_at
            from graphile_worker.add_jobs(array(
                   select row(task, payload, null, run_at, null, key, null, null)::graphile_worker.job_spec
                     from wanted order by key), true))
        select count(earlier.id)::int as moved
          from added
          join wanted on wanted.key = added.key and wanted.run_at < added.run_at
         cross join lateral graphile_worker.reschedule_jobs(array[added.id], run_at => wanted.run_at) as earlier`;

const why = 'calls graphile-worker';
const row = { moved: int.checked } as const;

/** A distributed database finds the endpoints on one machine only if a condition names the team. */
const addOfTeam = query({
  name: 'webhooks.addJobs',
  why,
  sql: adding('join webhook_endpoint e on e.tenant_id = :tenantId and e.id = due.endpoint_id'),
  parameters: { tenantId: uuid, due: jsonb },
  row,
});

/** `order by` makes PostgreSQL plan the lateral query by itself, so that it uses an index. */
const addOfTeams = query({
  name: 'webhooks.addJobs of several teams',
  why,
  sql: adding(`cross join lateral (
             select * from webhook_endpoint e where e.tenant_id = due.tenant_id and e.id = due.endpoint_id order by e.id) as e`),
  parameters: { due: jsonb },
  row,
});

const addJobs = async (database: Database, due: readonly DueEndpoint[]): Promise<void[]> => {
  if (database.parts.spansTeams()) await database.run(addOfTeams, { due: JSON.stringify(due) });
  else {
    for (const [tenantId, some] of Map.groupBy(due, (one) => one.tenantId))
      await database.run(addOfTeam, { tenantId, due: JSON.stringify(some) });
  }
  return due.map(() => {});
};

/** The relay of a process. */
interface DeliverJobs {
  /** Adds the job of an endpoint, together with jobs that other callers add at the same moment. */
  readonly add: Platform['addDeliverJob'];
  /** Waits until every requested job was added, or could not be added. */
  added(): Promise<void>;
}

/** `onFailure`: called for jobs that could not be added. */
export const makeDeliverJobs = (database: Database, onFailure: (error: unknown) => void = () => {}): DeliverJobs => {
  const add = database.parts.inBatches(
    ({ tenantId }: DueEndpoint) => tenantId,
    (due) =>
      addJobs(database, due).catch((error: unknown) => {
        onFailure(error);
        throw error;
      }),
    { max: 200, waitMs: 3 },
  );
  const adding = new Set<Promise<void>>();
  return {
    add: (due) => {
      const one = add(due);
      adding.add(one);
      const forget = () => void adding.delete(one);
      one.then(forget, forget);
      return one;
    },
    async added() {
      while (adding.size > 0) await Promise.allSettled(adding);
    },
  };
};

/**
 * Adds the jobs of endpoints that have deliveries due now, after the commit of this transaction. If that fails, the
 * sweep adds the jobs.
 */
export const addJobsAfter = (
  tx: Tx,
  { id: tenantId, platform: { addDeliverJob } }: Team,
  due: () => Promise<readonly { endpointId: string }[]>,
): void =>
  afterCommit(tx, async () => {
    const endpointIds = new Set((await due()).map(({ endpointId }) => endpointId));
    await Promise.allSettled([...endpointIds].map((endpointId) => addDeliverJob({ tenantId, endpointId, inMs: 0 })));
  });

/** If a delivery is overdue for this long and its endpoint has no job, the job was lost. */
const lostAfterMs = 5_000;
const sweptAtOnce = 20_000;
/** A job that was fetched within this time may wait in its worker for a slot. */
const fetchedWithinMs = 6_000;

/** Endpoints that have something overdue, but no job that sends now and none that is about to begin. */
const findLost = query({
  name: 'webhooks.endpointsWithoutJob',
  why: 'looks at the overdue rows of all teams and at the jobs of graphile-worker',
  sql: `with overdue as materialized (
          select w.tenant_id, w.endpoint_id, bool_or(w.by_hand) as by_hand
            from webhook_waiting w
           where w.due_at < :overdueSince
           group by w.tenant_id, w.endpoint_id),
        idle as materialized (
          select e.tenant_id, e.id
            from overdue
           cross join lateral (
             select * from webhook_endpoint e where e.tenant_id = overdue.tenant_id and e.id = overdue.endpoint_id order by e.id) as e
           where (e.status = 'active' or overdue.by_hand)
             and not exists (select from webhook_waiting w
                              where w.tenant_id = e.tenant_id and w.endpoint_id = e.id
                                and w.claim_id is not null and w.due_at > :now))
        select idle.tenant_id as "tenantId", idle.id as "endpointId", 0 as "inMs"
          from idle
         where not exists (select from graphile_worker.jobs job
                            where job.key = 'deliver:' || idle.id and job.run_at <= now()
                              and (job.locked_at is null or job.locked_at > now() - interval '${fetchedWithinMs} milliseconds'))
         limit ${sweptAtOnce}`,
  parameters: { overdueSince: time, now: time },
  row: { tenantId: uuid, endpointId: uuid, inMs: int.checked },
});

/**
 * Adds the jobs of endpoints that have overdue deliveries and no job. Jobs are lost by a crash between a commit and its
 * relay, by the kill of a worker, or in other ways. Several workers may sweep at once. Returns how many jobs were added
 * in these parts of the database.
 */
export const sweep = async (
  { database, clock }: Platform,
  parts: readonly DatabasePart[] = database.parts.all(),
): Promise<number> => {
  const now = clock.now();
  const sweepHere = async (): Promise<number> => {
    const lost = await database.run(findLost, { now, overdueSince: later(now, -lostAfterMs) });
    if (lost.length > 0) await addJobs(database, lost);
    return lost.length;
  };
  const counts = await forAllTeams(parts, sweepHere);
  return counts.reduce((sum, count) => sum + count, 0);
};
