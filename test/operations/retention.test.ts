import type pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { deleteOldMails } from '../../src/modules/mail/service.ts';
import { deleteOldLog } from '../../src/modules/requests/service.ts';
import { deleteOldDeliveries } from '../../src/modules/webhooks/cleanup.ts';
import { aDeliveryBefore, dayBefore, idsBegin, tablesOf, anEndpoint } from '../support/webhooks.ts';
import { aConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aWorker } from '../support/worker.ts';

const service = await useTestService({ own: true });

const daysOf = async (client: pg.Client, what: string, { id }: TestTeam): Promise<string[]> => {
  const { rows } = await client.query<{ day: string }>(
    `select day::text from ${what} where tenant_id = $1 order by 1`,
    [id],
  );
  return rows.map(({ day }) => day);
};

describe('webhook history older than RETENTION_DAYS', () => {
  it('is deleted by the retention of a worker, with its waiting rows; younger data stays', async () => {
    const [team, client] = [await aTeam(service), await aConnection(service.databaseUrl)];
    const ids: string[] = [];
    for (const ago of [40, 8, 7, 0]) ids.push(await aDeliveryBefore(client, team.id, ago));
    await client.query(`select graphile_worker.add_job('retention')`);
    aWorker(service, { retentionDays: 7 });
    const everywhere = ['attempt', 'delivery', 'event', 'waiting'];
    await expect.poll(() => tablesOf(client, ids)).toEqual([[], [], everywhere, everywhere]);
  });

  it('is deleted in batches, as long as there is time; the next run continues', async () => {
    const [{ id: tenantId }, client] = [await aTeam(service), await aConnection(service.databaseUrl)];
    await client.query(
      `insert into webhook_event
       select $2, overlay(gen_random_uuid()::text placing ${idsBegin('$1::date')} from 1 for 13)::uuid, 'ping', '{}', $1::date
         from generate_series(1, 12000)`,
      [dayBefore(9), tenantId],
    );
    const { webhookEvent } = service.database.prisma;
    const left = () => webhookEvent.count({ where: { tenantId } });
    await deleteOldDeliveries(service.platform, { days: 7, until: performance.now() });
    expect(await left()).toBe(12_000);
    const deleting = vi.spyOn(webhookEvent, 'deleteMany');
    const batches = () => deleting.mock.calls.filter(([given]) => given?.where?.tenantId === tenantId).length;
    const now = vi.spyOn(performance, 'now').mockImplementation(batches);
    await deleteOldDeliveries(service.platform, { days: 7, until: 1 });
    now.mockRestore();
    expect(await left()).toBe(7_000);
    await deleteOldDeliveries(service.platform, { days: 7 });
    expect(await left()).toBe(0);
  });
});

it('the request log is deleted by whole days', async () => {
  const [team, client] = [await aTeam(service), await aConnection(service.databaseUrl)];
  for (const ago of [40, 8, 7, 0]) {
    await client.query(
      `insert into request_log_entry (tenant_id, id, key_id, request_id, method, status, duration_ms, created_at)
       select $2, id, id, id, 'GET', 200, 1, $1::date
         from (select (${idsBegin('$1::date')} || right(gen_random_uuid()::text, 23))::uuid as id) as made`,
      [dayBefore(ago), team.id],
    );
  }
  await deleteOldLog(service.platform, { days: 7, until: Infinity });
  const days = `(select tenant_id, (created_at at time zone 'UTC')::date as day from request_log_entry) as entry`;
  expect(await daysOf(client, days, team)).toEqual([7, 0].map(dayBefore));
});

it.each([
  {
    what: 'requests',
    aSubject: async (team: TestTeam) => (await team.aKey()).id,
    addDay: 'insert into api_key_day (tenant_id, key_id, day) values ($1, $2, $3)',
    addQuarters: `insert into request_quarter_hour (tenant_id, key_id, start, method, route, status, code, requests)
                  select $1, $2, at, 'GET', '', 200, '', 1`,
    ofDays: 'api_key_day',
    ofQuarters: 'request_quarter_hour',
    cut: deleteOldLog,
  },
  {
    what: 'deliveries',
    aSubject: (team: TestTeam) => anEndpoint(service, team, { events: ['member.joined'] }),
    addDay: 'insert into webhook_endpoint_day (tenant_id, endpoint_id, day) values ($1, $2, $3)',
    addQuarters: `insert into webhook_quarter_hour (tenant_id, endpoint_id, start, delivered, duration, attempts)
                  select $1, $2, at, true, 1, 1`,
    ofDays: 'webhook_endpoint_day',
    ofQuarters: 'webhook_quarter_hour',
    cut: deleteOldDeliveries,
  },
])('the sums of $what are kept for 90 days, or longer if more is kept', async ({ aSubject, cut, ...sql }) => {
  const [team, client] = [await aTeam(service), await aConnection(service.databaseUrl)];
  const id = await aSubject(team);
  for (const ago of [0, 89, 91, 120]) await client.query(sql.addDay, [team.id, id, dayBefore(ago)]);
  // The sums by quarter of an hour are kept as long as the rows themselves.
  await client.query(
    `${sql.addQuarters} from generate_series(-1, 0) as n, lateral (
       select $3::date::timestamp at time zone 'UTC' + n * interval '15 minutes' as at) as quarter`,
    [team.id, id, dayBefore(7)],
  );
  await cut(service.platform, { days: 100, until: Infinity });
  expect(await daysOf(client, sql.ofDays, team)).toEqual([91, 89, 0].map(dayBefore));
  await cut(service.platform, { days: 7, until: Infinity });
  expect(await daysOf(client, sql.ofDays, team)).toEqual([89, 0].map(dayBefore));
  const { rows } = await client.query(`select start from ${sql.ofQuarters} where tenant_id = $1`, [team.id]);
  expect(rows).toEqual([{ start: new Date(dayBefore(7)) }]);
});

it('mails are deleted after the number of days in the configuration', async () => {
  const { id: tenantId } = await aTeam(service);
  const aMail = (recipient: string, age: number) => ({
    tenantId,
    id: makeId(),
    recipient,
    language: 'de' as const,
    kind: 'invitation' as const,
    body: new Uint8Array(40),
    createdAt: later(new Date(), -daysToMs(age)),
  });
  await service.database.prisma.mail.createMany({ data: [aMail('old@example.com', 32), aMail('new@example.com', 29)] });
  await deleteOldMails(service.platform, { days: 30, until: Infinity });
  const left = await service.database.prisma.mail.findMany({ where: { tenantId } });
  expect(left.map(({ recipient }) => recipient)).toEqual(['new@example.com']);
});
