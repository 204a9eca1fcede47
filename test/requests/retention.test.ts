import type pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deleteOldLog } from '../../src/modules/requests/service.ts';
import { dayBefore, idsBegin } from '../support/history.ts';
import { aConnection } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

/** A new database for each test, because the tests change its tables; with a connection to it. */
const aService = async () => {
  const service = await startTestService({ own: true });
  onTestFinished(() => service.close());
  const client = await aConnection(service.databaseUrl);
  return { service, client };
};

const anEntryBefore = (client: pg.Client, teamId: string, daysAgo: number) =>
  client.query(
    `insert into request_log_entry (tenant_id, id, key_id, request_id, method, status, duration_ms, created_at)
     select $2, id, id, id, 'GET', 200, 1, $1::date
       from (select (${idsBegin('$1::date')} || right(gen_random_uuid()::text, 23))::uuid as id) as made`,
    [dayBefore(daysAgo), teamId],
  );

const daysIn = async (client: pg.Client, table: string) => {
  const { rows } = await client.query<{ day: string }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day from ${table} order by 1`,
  );
  return rows.map(({ day }) => day);
};

const until = () => performance.now() + 60_000;

describe('the request log', () => {
  it('is deleted by whole days', async () => {
    const { service, client } = await aService();
    const { id } = await aTeam(service);
    for (const ago of [40, 8, 7, 0]) await anEntryBefore(client, id, ago);
    await deleteOldLog(service.platform, { days: 7, until: until() });
    expect(await daysIn(client, 'request_log_entry')).toEqual([7, 0].map(dayBefore));
  });

  it('leaves sums of 90 days, or of longer if more is kept', async () => {
    const { service, client } = await aService();
    const team = await aTeam(service);
    const { id } = await team.aKey();
    for (const ago of [0, 89, 91, 120])
      await client.query(`insert into api_key_day (tenant_id, key_id, day) values ($1, $2, $3)`, [
        team.id,
        id,
        dayBefore(ago),
      ]);
    const kept = async () => {
      const { rows } = await client.query<{ day: string }>(`select day::text from api_key_day order by day`);
      return rows.map(({ day }) => day);
    };
    // The sums by quarter of an hour are kept as long as the log.
    await client.query(
      `insert into request_quarter_hour (tenant_id, start, key_id, method, route, status, code, requests)
       select $1, $2::date::timestamp at time zone 'UTC' + n * interval '15 minutes', $3, 'GET', '', 200, '', 1 from generate_series(-1, 0) n`,
      [team.id, dayBefore(7), id],
    );
    await deleteOldLog(service.platform, { days: 100, until: until() });
    expect(await kept()).toEqual([91, 89, 0].map(dayBefore));
    await deleteOldLog(service.platform, { days: 7, until: until() });
    expect(await kept()).toEqual([89, 0].map(dayBefore));
    const { rows } = await client.query<{ start: Date }>('select start from request_quarter_hour');
    expect(rows).toEqual([{ start: new Date(dayBefore(7)) }]);
  });
});
