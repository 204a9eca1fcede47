import type pg from 'pg';
import { hoursToMs, later, daysToMs } from '../../src/core/clock.ts';
import type { EventType } from '../../src/core/events.ts';
import { makeId } from '../../src/core/ids.ts';
import type { Tx } from '../../src/db/database.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { makeSecret, sealSecret } from '../../src/deliveries/message.ts';
import type { TestService } from './service.ts';

type Of = { id: string };

interface Wanted {
  events?: EventType[];
  status?: 'active' | 'disabled' | 'disabled_failures';
  failingSince?: Date;
  /** The second failed attempt in a row; null after a single one. By default it is the first one too. */
  failedAgainAt?: Date | null;
  lastSuccessAt?: Date;
  description?: string;
}

/** The row of an endpoint of a team, made without checking any rule; the service never sends to it. */
export const endpointRow = (
  { clock, platform }: TestService,
  { id: tenantId }: Of,
  {
    events = ['training.completed'],
    status = 'active',
    failingSince,
    lastSuccessAt,
    description,
    ...wanted
  }: Wanted = {},
) => {
  const id = makeId();
  return {
    tenantId,
    id,
    url: 'https://example.com/',
    events,
    status,
    apiVersion: '2026-11',
    secret: sealSecret(platform.vault, id, makeSecret()),
    failingSince: failingSince ?? null,
    failedAgainAt: wanted.failedAgainAt === undefined ? (failingSince ?? null) : wanted.failedAgainAt,
    lastSuccessAt: lastSuccessAt ?? null,
    description: description ?? null,
    createdAt: clock.now(),
  };
};

/** Inserts an endpoint of a team into the database without checking any rule; the service never sends to it. */
export const anEndpoint = async (service: TestService, team: Of, wanted?: Wanted): Promise<string> => {
  const data = endpointRow(service, team, wanted);
  await service.database.prisma.webhookEndpoint.create({ data });
  return data.id;
};

interface WantedEvent {
  id?: string;
  type?: EventType | 'ping';
  data?: Record<string, string | number | null>;
  at?: Date;
}

/** The row of an event of a team. */
export const eventRow = (
  { clock }: TestService,
  { id: tenantId }: Of,
  { id = makeId(), type = 'training.completed', data = {}, at = clock.now() }: WantedEvent = {},
) => ({ tenantId, id, type, data: JSON.stringify({ team_id: tenantId, ...data }), createdAt: at });

/** Stores an event, also in the team's feed. */
export const storeEvent = async (
  tx: Tx,
  { id: eventId, type, tenantId, ...row }: Prisma.WebhookEventUncheckedCreateInput,
) => {
  await tx.webhookEvent.create({ data: { id: eventId, type, tenantId, ...row } });
  await tx.eventFeedEntry.create({ data: { tenantId, eventId, type } });
};

/** An event of a team without deliveries. */
export const anEvent = async (service: TestService, team: Of, wanted?: WantedEvent): Promise<string> => {
  const data = eventRow(service, team, wanted);
  await storeEvent(service.database.prisma, data);
  return data.id;
};

interface WantedDelivery {
  endpointId: string;
  eventId?: string;
  type?: EventType | 'ping';
  status?: 'pending' | 'failed' | 'ok' | 'gave_up';
  /** How many attempts were made; by default those that the state needs. */
  attempt?: number;
  /** The due time of the waiting row; by default the next attempt. */
  dueAt?: Date;
  /** The claim of the worker that sends it. */
  claimId?: string;
  resumeStatus?: 'failed' | 'gave_up';
}

/** The row of a delivery in any state. */
export const deliveryRow = (
  { clock }: TestService,
  { id: tenantId }: Of,
  { endpointId, status = 'pending', resumeStatus, ...wanted }: WantedDelivery,
) => {
  const { eventId = makeId(), type = 'training.completed' } = wanted;
  const now = clock.now();
  const { attempt = status === 'pending' && resumeStatus === undefined ? 0 : 1 } = wanted;
  const nextTryAt = { pending: now, failed: later(now, hoursToMs(1)), ok: null, gave_up: null }[status];
  return {
    tenantId,
    id: makeId(),
    endpointId,
    eventId,
    eventType: type,
    status,
    attempt,
    scheduled: attempt,
    nextTryAt,
    resumeStatus: resumeStatus ?? null,
    resumeAt: resumeStatus === 'failed' ? later(now, hoursToMs(1)) : null,
    ...(attempt > 0 && {
      responseCode: status === 'ok' ? 200 : 500,
      responseExcerpt: status === 'ok' ? 'thanks' : 'no',
      responseMs: 12,
      memberDetail: true,
    }),
    createdAt: now,
  };
};

/** A delivery in any state, with a waiting row if that state has one. Its event exists only if `eventId` is given. */
export const aDelivery = async (service: TestService, team: Of, wanted: WantedDelivery): Promise<string> => {
  const { prisma } = service.database;
  const data = deliveryRow(service, team, wanted);
  await prisma.webhookDelivery.create({ data });
  const { tenantId, id, endpointId, eventType, nextTryAt } = data;
  if (nextTryAt !== null) {
    const { dueAt = nextTryAt, claimId = null, resumeStatus } = wanted;
    await prisma.$executeRaw`
      insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, claim_id, by_hand)
      values (${tenantId}::uuid, ${id}::uuid, ${endpointId}::uuid, ${dueAt}, ${claimId}::uuid,
              ${eventType === 'ping' || resumeStatus !== undefined})`;
  }
  return id;
};

/** The waiting rows of an endpoint. */
export const waitingFor = ({ database }: TestService, endpointId: string) =>
  database.prisma.webhookWaiting.findMany({ where: { endpointId }, orderBy: { deliveryId: 'asc' } });

export const deliveryNow = ({ database }: TestService, { id: tenantId }: Of, id: string) =>
  database.prisma.webhookDelivery.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } });

interface WantedAttempt {
  deliveryId: string;
  number?: number;
  code?: number | null;
  at?: Date;
}

/** An attempt that was made to send a delivery. */
export const anAttempt = async (
  { database, clock }: TestService,
  { id: tenantId }: Of,
  { deliveryId, number = 1, code = 200, at = clock.now() }: WantedAttempt,
): Promise<string> => {
  const id = makeId();
  await database.prisma.webhookAttempt.create({
    data: {
      tenantId,
      id,
      deliveryId,
      number,
      manual: number > 1,
      url: 'https://example.com/',
      requestHeaders: { 'Content-Type': 'application/json', 'Svc-Signature': 't=1795000000,v1=00' },
      responseCode: code,
      ...(code !== null && { responseHeaders: { server: 'test' }, responseExcerpt: 'thanks', responseMs: 12 }),
      error: code === null ? 'The connection was refused.' : null,
      startedAt: at,
    },
  });
  return id;
};

/** The UTC day `count` days ago, in PostgreSQL's format. */
export const dayBefore = (count: number): string => later(new Date(), -daysToMs(count)).toISOString().slice(0, 10);

/** SQL: the beginning that all ids of a day have in common, with all digits of a millisecond. */
export const idsBegin = (day: string): string =>
  `left((lpad(to_hex((extract(epoch from ${day}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid::text, 13)`;

/**
 * An event of a team, its delivery and an attempt, all made on that day, and a waiting row of the delivery. All have
 * the same id.
 */
export const aDeliveryBefore = async (client: pg.Client, teamId: string, daysAgo: number): Promise<string> => {
  const { rows } = await client.query<{ id: string }>(
    `with ids as (
       select (${idsBegin('$1::date')} || right(gen_random_uuid()::text, 23))::uuid as id),
     event as (insert into webhook_event select $2, id, 'ping', '{}', $1::date from ids),
     attempt as (
       insert into webhook_attempt (tenant_id, id, delivery_id, number, url, request_headers, started_at)
       select $2, id, id, 1, 'https://example.com/', '{}', $1::date from ids),
     waiting as (
       insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at) select $2, id, id, now() + interval '1 year' from ids)
     insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, created_at)
     select $2::uuid, id, id, id, 'ping', $1::date from ids
     returning id`,
    [dayBefore(daysAgo), teamId],
  );
  return rows[0]?.id ?? '';
};

/** The tables that still contain each of these ids. */
export const tablesOf = async (client: pg.Client, ids: readonly string[]): Promise<string[][]> => {
  const { rows } = await client.query<{ id: string; tables: string[] }>(
    `select id, array_agg(found order by found) as tables
       from (select id, 'event' as found from webhook_event
             union all select id, 'delivery' from webhook_delivery
             union all select id, 'attempt' from webhook_attempt
             union all select delivery_id, 'waiting' from webhook_waiting) as everything
      where id = any ($1::uuid[]) group by id`,
    [ids],
  );
  return ids.map((id) => rows.find((row) => row.id === id)?.tables ?? []);
};
