import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { AppDealQuery } from '../../src/modules/crm/schema.ts';
import { listAppDeals } from '../../src/modules/crm/service.ts';
import { toCamel } from '../../src/core/spelling.ts';
import { costOf } from '../support/plans.ts';
import { aCrmConnection } from '../support/crm.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// A team with many deals: the cost of a page must not grow with their number.

const many = 100_000;

const service = await useTestService({ own: true });
const made = await aTeam(service);
const team = await made.acting();
const client = await useConnection(service.databaseUrl);
for (const connectionId of [await aCrmConnection(service, made), await aCrmConnection(service, made)]) {
  await client.query(
    `insert into crm_deal (tenant_id, id, connection_id, external_id, title, outcome, amount, close_date, created_at)
     select $1, gen_random_uuid(), $2, n::text, 'Deal ' || n, 'open', case when n % 3 > 0 then n::text end,
            case when n % 5 > 0 then date '2026-01-01' + n % 900 end, now()
       from generate_series(1, $3::int) n`,
    [team.id, connectionId, many / 2],
  );
}
await client.query('alter table crm_deal alter tenant_id set (n_distinct = 10000)');
await client.query('vacuum analyze crm_deal, crm_connection');

const cost = (wanted: z.input<typeof AppDealQuery>) =>
  costOf(client, team, (asking) => listAppDeals(asking, toCamel(AppDealQuery.parse(wanted)), 'en'));

describe('a page of the app’s deals touches few database pages, however many there are', () => {
  it.each(['close_date', 'amount'] as const)('in both orders by %s', async (by) => {
    for (const desc of [true, false]) expect(await cost({ sort: { by, desc } })).toBeLessThan(300);
  });

  it('with a frequent outcome or word', async () => {
    expect(await cost({ outcome: 'open' })).toBeLessThan(300);
    expect(await cost({ search: 'deal' })).toBeLessThan(300);
  });

  it('after a page', async () => {
    const { nextCursor } = await listAppDeals(team, { limit: 50 }, 'en');
    expect(await cost({ cursor: nextCursor ?? '' })).toBeLessThan(300);
  });
});
