// A demo team with the data of weeks: 5,200 rows in each long list, 200,000 logged requests and 200,000 deliveries. The service for it has
// the built app and no worker, so nothing changes during the measurement.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { openFoundation } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { prepareDemo } from '../../src/demo/prepare.ts';
import type { DemoTeam } from '../../src/demo/prepare.ts';
import { startServer } from './server-process.ts';

export const longList = 5_200;
const logged = 200_000;

export interface BigTeam {
  id: string;
  origin: string;
  owner: { email: string; password: string };
  endpointId: string;
  client: pg.Client;
}

/** Rows older than the migration are in the partitions of their days, as they would be if the service had written them. */
const pastPartitions = `
  do $$
  declare
    parent text;
    first date;
  begin
    foreach parent in array array['request_log_entry', 'webhook_event', 'webhook_delivery', 'webhook_attempt'] loop
      for back in 1..25 loop
        first := (now() at time zone 'UTC')::date - back;
        continue when to_regclass(format('%s_%s', parent, to_char(first, 'YYYYMMDD'))) is not null;
        execute format('create table %I partition of %I for values from (%L) to (%L)',
          parent || '_' || to_char(first, 'YYYYMMDD'), parent,
          lpad(to_hex((extract(epoch from first) * 1000)::bigint), 12, '0') || repeat('0', 20),
          lpad(to_hex((extract(epoch from first + 1) * 1000)::bigint), 12, '0') || repeat('0', 20));
      end loop;
    end loop;
  end $$`;

const people = `
  with drawn as materialized (
    select n, uuidv7() as person_id, uuidv7() as user_id, uuidv7() as member_id,
           format('mitarbeiter.%s@vertrieb-nord.example.com', n) as email
      from generate_series(1, $2::int) as n
  ), person_rows as (
    insert into person (id, email, name, created_at, updated_at)
    select person_id, email, 'Mitarbeiterin Nummer ' || n, now(), now() from drawn
  ), user_rows as (
    insert into team_user (tenant_id, id, person_id) select $1, user_id, person_id from drawn
  )
  insert into member (tenant_id, id, user_id, email, role, status, rights, joined_at, listed_at, created_at)
  select $1, member_id, user_id, email, 'member', 'active', '{}', at, at, at
    from (select *, now() - n * interval '1 minute' as at from drawn) as joined`;

const assignments = `
  insert into assignment (tenant_id, id, member_id, title, note, due_date, created_at)
  select $1, uuidv7(), m.id, 'Preisgespräch mit dem Einkauf ' || m.row, 'Bitte bis zur Besprechung.', current_date + (m.row % 40)::int,
         now() - m.row * interval '1 minute'
    from (select id, row_number() over () as row from member where tenant_id = $1 and status = 'active' limit $2) as m`;

const trainings = `
  with items as (
    select array_agg(id) filter (where dimension = 'situation') as situation,
           array_agg(id) filter (where dimension = 'personality') as personality,
           array_agg(id) filter (where dimension = 'industry') as industry
      from catalog_item
  ), drawn as materialized (
    select uuidv7() as id, m.user_id, now() - m.row * interval '3 minutes' as at, m.row
      from (select user_id, row_number() over () as row from member where tenant_id = $1 and status = 'active' limit $2) as m
  ), made as (
    insert into training (tenant_id, id, user_id, status, source, situation_id, personality_id, industry_id, created_at, finished_at,
                          duration_s, evaluated_at)
    select $1, id, user_id, 'scored', 'app', situation[1 + row % cardinality(situation)], personality[1 + row % cardinality(personality)],
           industry[1 + row % cardinality(industry)], at, at + interval '9 minutes', 540, at + interval '10 minutes'
      from drawn cross join items
    returning id
  )
  insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling, value_argument,
                          total, spread, goal, created_at)
  select $1, drawn.id, 61, 72, 55, 48, 80, 40 + row % 55, 12.5, 'partial', at from drawn join made using (id)`;

const auditEntries = `
  insert into audit_entry (tenant_id, id, actor_kind, action, target_type, target_id, data, created_at)
  select $1, uuidv7(-n * interval '1 minute'), 'service', 'member.joined', 'member', m.id::text, '{"role": "member"}',
         now() - n * interval '1 minute'
    from (select id, row_number() over () as n from member where tenant_id = $1 limit $2) as m`;

const requests = `
  insert into request_log_entry (tenant_id, id, key_id, request_id, method, route, status, code, duration_ms, created_at, path, address,
                                 user_agent)
  select $1, uuidv7(-n * interval '10 seconds'), ($3::uuid[])[1 + n % cardinality($3::uuid[])], gen_random_uuid(),
         case when n % 5 = 0 then 'POST' else 'GET' end,
         (array['/users', '/assignments', '/trainings/{training_id}', '/evaluations', '/events'])[1 + n % 5],
         case when n % 40 = 0 then 404 else 200 end, case when n % 40 = 0 then 'not_found' end, 3 + n % 60,
         now() - n * interval '10 seconds', '/api/public/v1/users', '203.0.113.7', 'axios/1.7.2'
    from generate_series(1, $2::int) as n`;

const events = `
  insert into webhook_event (tenant_id, id, type, data, created_at)
  select $1, uuidv7(-n * interval '10 seconds'), 'training.completed',
         jsonb_build_object('training_id', gen_random_uuid(), 'status', 'scored'), now() - n * interval '10 seconds'
    from generate_series(1, $2::int) as n`;

/** Their ids have the millisecond of their event, by which the service finds them. */
const deliveries = `
  insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, attempt, scheduled, response_code, response_ms,
                                created_at)
  select tenant_id, (left(id::text, 15) || right(gen_random_uuid()::text, 21))::uuid, $2, id, type, 'ok', 1, 1, 200, 35, created_at
    from webhook_event where tenant_id = $1`;

const attempts = `
  insert into webhook_attempt (tenant_id, id, delivery_id, number, url, request_headers, response_code, response_ms, started_at)
  select tenant_id, uuidv7(created_at - now()), id, 1, 'https://hooks.example.com/trainings', '{}', 200, 35, created_at
    from webhook_delivery where tenant_id = $1`;

/** An endpoint created through the API, so that its secret can be read. */
const makeEndpoint = async (origin: string, key: string): Promise<string> => {
  const answer = await fetch(`${origin}/api/public/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: 'https://hooks.example.com/trainings', events: ['training.completed'] }),
  });
  if (!answer.ok) throw new Error(`the endpoint: ${answer.status} ${await answer.text()}`);
  return z.object({ id: z.string() }).parse(await answer.json()).id;
};

const fill = async (client: pg.Client, { tenant_id: tenantId }: DemoTeam, endpointId: string): Promise<void> => {
  await client.query('update team set seats = 100000 where id = $1', [tenantId]);
  await client.query(pastPartitions);
  // Older than its deliveries.
  await client.query(`update webhook_endpoint set created_at = now() - interval '60 days' where id = $1`, [endpointId]);
  for (const statement of [people, assignments, trainings, auditEntries]) {
    await client.query(statement, [tenantId, longList]);
  }
  const keys = await client.query('select array_agg(id) as ids from api_key where tenant_id = $1', [tenantId]);
  await client.query(requests, [tenantId, logged, z.object({ ids: z.array(z.string()) }).parse(keys.rows[0]).ids]);
  await client.query(events, [tenantId, logged]);
  await client.query(deliveries, [tenantId, endpointId]);
  await client.query(attempts, [tenantId]);
  await client.query('vacuum analyze');
};

const foundDemo = async (databaseUrl: string, folder: string): Promise<DemoTeam> => {
  const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: folder });
  const foundation = await openFoundation(config);
  try {
    const [team] = (await prepareDemo(foundation, { config })).teams;
    if (!team) throw new Error('the demo has no team');
    return team;
  } finally {
    await foundation.close();
  }
};

/** Runs an action with the team, and deletes everything afterwards. */
export const withBigTeam = async (use: (team: BigTeam) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  const started = new AsyncDisposableStack();
  try {
    started.defer(() => rm(folder, { recursive: true, force: true }));
    const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_wal_size: '4GB' };
    const postgres = await openEmbedded(folder, { settings });
    started.defer(() => postgres.release());
    await migrate(postgres.url);
    console.log(`Filling a team: ${longList} rows in each list, ${logged} requests, ${logged} deliveries …`);
    const demo = await foundDemo(postgres.url, folder);
    const service = await startServer('src/main.ts', ['api'], postgres.url);
    started.defer(() => service.stop());
    const endpointId = await makeEndpoint(service.origin, demo.keys.all);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    started.defer(() => client.end());
    await fill(client, demo, endpointId);
    await use({ id: demo.tenant_id, origin: service.origin, owner: demo.owner, endpointId, client });
  } finally {
    await started.disposeAsync();
  }
};
