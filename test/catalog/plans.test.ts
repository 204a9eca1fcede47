import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { checkCombination, getCatalog } from '../../src/modules/catalog/service.ts';
import type { Combination } from '../../src/modules/catalog/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { costOf } from '../support/cost-of.ts';
import { createDatabase } from '../support/postgres.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { openWire } from '../support/wire.ts';
import type { Wire } from '../support/wire.ts';

// The cost of a combination and of the catalog in an installation of some age: 200 teams with 300 own items each, 100 global items with
// 10,000 rules, and policies that block many items.

let database: TestDatabase;
let wire: Wire;
let service: TestService;
let client: pg.Client;
let team: Team;
let member: string;

beforeAll(async () => {
  database = await createDatabase();
  wire = await openWire(database.url);
  service = await startTestService({ databaseUrl: wire.url });
  const own = await aTeam(service, { members: 1 });
  team = await own.acting();
  member = own.members[0]?.id ?? '';
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`
    insert into team (id, name, plan, seats, created_at)
    select gen_random_uuid(), 'Another', 'team', 10, now() from generate_series(1, 200);
    insert into catalog_item (id, tenant_id, dimension, key, name_de, position, created_at)
    select gen_random_uuid(), owner.id, (array['situation', 'personality', 'industry', 'role'])[1 + n % 4]::catalog_dimension,
           n::text, 'Ein Eintrag', n, now()
      from (select id from team union all select null) owner, generate_series(1, 400) n
     where owner.id is null or (owner.id <> '${team.id}' and n <= 300)
     order by 2 nulls first, 6;
    insert into catalog_rule (id, kind, situation_id, item_id, created_at)
    select gen_random_uuid(), case when item.position % 3 = 0 then 'only' else 'never' end::catalog_rule_kind,
           situation.id, item.id, now()
      from catalog_item situation, catalog_item item
     where situation.dimension = 'situation' and item.dimension <> 'situation'
       and situation.tenant_id is null and item.tenant_id is null and item.position <= 134;
    insert into team_policy_block
    select team.id, item.id, now() from team, catalog_item item where item.tenant_id is null and item.position % 3 = 0 order by 1;
    insert into member_policy_block
    select member.tenant_id, member.id, item.id, now() from member, catalog_item item
     where item.tenant_id is null and item.position % 4 = 1;
    analyze catalog_item, catalog_rule, team_policy_block, member_policy_block`);
});
afterAll(async () => {
  await client.end();
  await service.close();
  await wire.close();
  await database.drop();
});

const Explained = z.tuple([
  z.object({
    'QUERY PLAN': z.tuple([
      z.object({ Plan: z.looseObject({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number() }) }),
    ]),
  }),
]);

/** The pages that a statement touches, with a plan for these values or the generic plan that PostgreSQL uses after five executions. */
const pagesOf = async (text: string, values: readonly string[], mode: string): Promise<number> => {
  await client.query(`set plan_cache_mode = ${mode}; prepare asked as ${text}`);
  const literals = values.map((value) => client.escapeLiteral(value)).join(', ');
  const { rows } = await client.query(`explain (analyze, buffers, format json) execute asked (${literals})`);
  await client.query('deallocate asked');
  const [
    {
      'QUERY PLAN': [{ Plan: plan }],
    },
  ] = Explained.parse(rows);
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
};

const only = (trips: string[][]): string => {
  const texts = trips.flat().filter((text) => text.includes('catalog_item'));
  expect(texts).toHaveLength(1);
  return texts[0] ?? '';
};

const modes = ['force_custom_plan', 'force_generic_plan'] as const;

it.each(modes)('a combination is checked in one round trip and touches few pages: %s', async (mode) => {
  const ids = await client.query<{ id: string }>(
    `select distinct on (dimension) id from catalog_item where tenant_id is null order by dimension, position`,
  );
  const [situation_id = '', personality_id = '', industry_id = '', role_id = ''] = ids.rows.map(({ id }) => id);
  const combination: Combination = { situation_id, personality_id, industry_id, role_id };
  wire.takeRoundTrips();
  await service.database.transaction((tx) => checkCombination(tx, team, member, combination)).catch(() => undefined);
  const statement = only(wire.takeRoundTrips());
  const all = `{${[situation_id, personality_id, industry_id, role_id].join(',')}}`;
  expect(await pagesOf(statement, [team.id, member, situation_id, all], mode)).toBeLessThan(250);
});

it('the catalog touches few pages', async () => {
  const cost = await costOf(client, team, async (recorded) => {
    const { situation } = await getCatalog(recorded, 'de');
    expect(situation.length).toBeGreaterThan(10);
  });
  expect(cost).toBeLessThan(100);
});
