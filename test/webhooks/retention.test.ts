import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deleteOld } from '../../src/modules/webhooks/upkeep.ts';
import { aDeliveryBefore, dayBefore, idsBegin, tablesOf } from '../support/history.ts';
import { aConnection } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { eventually } from '../support/eventually.ts';
import { aWorker } from '../support/worker.ts';

const everywhere = ['attempt', 'delivery', 'event', 'waiting'];

/** A new database for each test, with a connection to it and a team. */
const aService = async () => {
  const service = await startTestService({ own: true });
  onTestFinished(() => service.close());
  const client = await aConnection(service.databaseUrl);
  return { service, client, team: await aTeam(service) };
};

describe('data older than RETENTION_DAYS', () => {
  it('is deleted by the retention of a worker, with its waiting rows; younger data stays', async () => {
    const { service, client, team } = await aService();
    const ids: string[] = [];
    for (const ago of [40, 8, 7, 0]) ids.push(await aDeliveryBefore(client, team.id, ago));
    await client.query(`select graphile_worker.add_job('retention')`);
    aWorker(service, { retentionDays: 7 });
    await eventually(async () => expect(await tablesOf(client, ids)).toEqual([[], [], everywhere, everywhere]));
  });

  it('leaves sums of 90 days, or of longer if more is kept', async () => {
    const { service, client, team } = await aService();
    const endpointId = await anEndpoint(service, team, { events: ['member.joined'] });
    for (const ago of [0, 89, 91, 120])
      await client.query(`insert into webhook_endpoint_day (tenant_id, endpoint_id, day) values ($1, $2, $3)`, [
        team.id,
        endpointId,
        dayBefore(ago),
      ]);
    const kept = async () => {
      const { rows } = await client.query<{ day: string }>(`select day::text from webhook_endpoint_day order by day`);
      return rows.map(({ day }) => day);
    };
    // The counts by quarter of an hour are kept as long as the attempts.
    await client.query(
      `insert into webhook_quarter_hour (tenant_id, endpoint_id, start, delivered, duration, attempts)
       select $1, $2, $3::date::timestamp at time zone 'UTC' + n * interval '15 minutes', true, 1, 1 from generate_series(-1, 0) n`,
      [team.id, endpointId, dayBefore(7)],
    );
    await deleteOld(service.platform, { days: 100 });
    expect(await kept()).toEqual([91, 89, 0].map(dayBefore));
    await deleteOld(service.platform, { days: 7 });
    expect(await kept()).toEqual([89, 0].map(dayBefore));
    const { rows } = await client.query<{ start: Date }>('select start from webhook_quarter_hour');
    expect(rows).toEqual([{ start: new Date(dayBefore(7)) }]);
  });

  it('is deleted in batches, as long as there is time; the next run continues', async () => {
    const { service, client, team } = await aService();
    await client.query(
      `insert into webhook_event
       select $2, overlay(gen_random_uuid()::text placing ${idsBegin('$1::date')} from 1 for 13)::uuid, 'ping', '{}', $1::date
         from generate_series(1, 12000)`,
      [dayBefore(9), team.id],
    );
    const left = async () => (await client.query('select count(*)::int as n from webhook_event')).rows;
    await deleteOld(service.platform, { days: 7, until: performance.now() });
    expect(await left()).toEqual([{ n: 12_000 }]);
    const deleting = vi.spyOn(service.database.prisma.webhookEvent, 'deleteMany');
    const now = vi.spyOn(performance, 'now').mockImplementation(() => deleting.mock.calls.length);
    await deleteOld(service.platform, { days: 7, until: 1 });
    now.mockRestore();
    expect(await left()).toEqual([{ n: 7_000 }]);
    await deleteOld(service.platform, { days: 7 });
    expect(await left()).toEqual([{ n: 0 }]);
  });
});
