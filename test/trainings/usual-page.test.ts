import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { listTrainings } from '../../src/modules/trainings/listing.ts';
import type { Team } from '../../src/platform/team.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
let database: Database;
let team: Team;
beforeAll(async () => {
  service = await startTestService({ own: true });
  const made = await aTeam(service);
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into training (tenant_id, id, user_id, status, source, created_at, listed)
     select tenant, gen_random_uuid(), $2::uuid, 'ended', 'app', now() - n * interval '1 minute', true
       from generate_series(1, 20000) as n, lateral (select case when n % 4 = 0 then $1::uuid else md5((n % 4)::text)::uuid end) as t (tenant)`,
    [made.id, made.owner.user_id],
  );
  await client.query('vacuum analyze training');
  await client.end();
  // One connection, so that all of its prepared statements can be counted.
  database = openDatabase(service.databaseUrl, { poolSize: 1 });
  const acting = await made.acting();
  team = { ...acting, platform: { ...acting.platform, database } };
});
afterAll(async () => {
  await database.close();
  await service.close();
});

it('a page of the default length is planned a few times per connection, and not on every call', async () => {
  for (let time = 0; time < 20; time += 1) expect((await listTrainings(team, { limit: 50 })).data).toHaveLength(50);
  const [plans] = await database.prisma.$queryRaw<
    { generic: number; custom: number }[]
  >`select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where statement like 'select t.id%'`;
  expect(plans).toEqual({ generic: 15, custom: 5 });
});
