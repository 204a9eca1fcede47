import { describe, expect, it } from 'vitest';
import {
  attemptsOf,
  listDeliveries,
  listTeamDeliveries,
  pageOfDeliveries,
  readDelivery,
} from '../../src/modules/webhooks/history.ts';
import { queueStatus } from '../../src/deliveries/queue-status.ts';
import type { Team } from '../../src/platform/team.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, idsBegin } from '../support/webhooks.ts';
import { costOf } from '../support/plans.ts';

// One endpoint with nearly all deliveries, of two days: the cost of its reads must not grow with their number.

const many = 40_000;

const service = await useTestService({ own: true });
const made = await aTeam(service);
const team = await made.acting();
const [busy, quiet] = [await anEndpoint(service, made), await anEndpoint(service, made)];
const delivery = await aDelivery(service, made, { endpointId: quiet, status: 'ok' });
await anAttempt(service, made, { deliveryId: delivery });
const ids = { busy, quiet, delivery };
const client = await useConnection(service.databaseUrl);
await client.query(
  `create temporary table made as
   select n, overlay(gen_random_uuid()::text placing ${idsBegin(`((now() at time zone 'UTC')::date - 1 - n % 2)`)}
                     from 1 for 13)::uuid as id
     from generate_series(1, $1::int) n`,
  [many],
);
await client.query(
  `insert into webhook_event (tenant_id, id, type, data, created_at)
   select $1, id, 'training.completed', '{}', now() - (1 + n % 2) * interval '1 day' from made`,
  [team.id],
);
await client.query(
  `insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, attempt, created_at)
   select $1, id, $2, id, 'training.completed', 'ok', 1, now() from made`,
  [team.id, busy],
);
await client.query(
  `insert into webhook_attempt (tenant_id, id, delivery_id, number, url, request_headers, response_code, started_at)
   select $1, id, id, 1, 'https://example.com/', '{}', 200, now() - interval '1 hour' from made`,
  [team.id],
);
await client.query('vacuum analyze webhook_event, webhook_delivery, webhook_attempt');

const cost = (read: (team: Team) => Promise<unknown>) => costOf(client, team, read);

describe('a read touches few database pages, however many deliveries there are', () => {
  it.each(['busy', 'quiet'] as const)('the newest deliveries to the endpoint that is %s', async (which) => {
    const endpointId = ids[which];
    expect(await cost((asked) => listDeliveries(asked, { endpointId, limit: 50 }))).toBeLessThan(200);
    expect(await cost((asked) => pageOfDeliveries(asked, { endpointId, limit: 50 }))).toBeLessThan(200);
    expect(await cost((asked) => listTeamDeliveries(asked, { endpointId, limit: 50 }))).toBeLessThan(200);
  });

  it('the newest deliveries to all endpoints, and one delivery', async () => {
    expect(await cost((asked) => listTeamDeliveries(asked, { limit: 50 }))).toBeLessThan(200);
    expect(await cost((asked) => readDelivery(asked, ids.delivery))).toBeLessThan(100);
  });

  it('a deep page of deliveries', async () => {
    const first = await pageOfDeliveries(team, { endpointId: ids.busy, limit: 200 });
    const cursor = first.nextCursor ?? '';
    const next = (asked: Team) => pageOfDeliveries(asked, { endpointId: ids.busy, limit: 50, cursor });
    expect(await cost(next)).toBeLessThan(200);
  });

  it('the attempts of a delivery, and those of the last minutes', async () => {
    expect(await cost((asked) => attemptsOf(asked, ids.delivery))).toBeLessThan(100);
    expect(await cost(({ platform }) => queueStatus(platform))).toBeLessThan(200);
  });

  it('a filter with few matches among the deliveries to all endpoints', async () => {
    const gaveUp = (asked: Team) => listTeamDeliveries(asked, { limit: 50, status: 'gave_up' });
    expect(await cost(gaveUp)).toBeLessThan(13_000);
  });

  it('a filter with few matches: a search of the next thousands, which continues where it stopped', async () => {
    const { busy: endpointId } = ids;
    for (const filter of [{ status: 'gave_up' }, { eventType: 'ping' }] as const)
      expect(await cost((asked) => pageOfDeliveries(asked, { endpointId, limit: 50, ...filter }))).toBeLessThan(13_000);
    const { rows } = await client.query<{ id: string }>(
      `update webhook_delivery set status = 'gave_up' where id = (select min(id::text)::uuid from made) returning id`,
    );
    const found: string[] = [];
    let [cursor, pages]: [string | undefined, number] = [undefined, 0];
    do {
      const query = { endpointId, limit: 50, status: 'gave_up', ...(cursor !== undefined && { cursor }) } as const;
      const page: Awaited<ReturnType<typeof pageOfDeliveries>> = await pageOfDeliveries(team, query);
      found.push(...page.data.map(({ id }) => id));
      [cursor, pages] = [page.nextCursor ?? undefined, pages + 1];
      if (pages === 1) expect([page.data, page.nextCursor]).toEqual([[], expect.any(String)]);
    } while (cursor !== undefined);
    expect([found, pages]).toEqual([[rows[0]?.id], many / 5_000 + 1]);
  });
});
