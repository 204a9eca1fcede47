import type pg from 'pg';
import { daysToMs, later } from '../../src/core/clock.ts';

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
