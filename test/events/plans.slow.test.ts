import { expect, it } from 'vitest';
import { listEvents } from '../../src/modules/events/service.ts';
import { feeds } from '../../src/modules/events/store.ts';
import type { Team } from '../../src/platform/team.ts';
import { idsBegin } from '../support/webhooks.ts';
import { costOf } from '../support/plans.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// A team with many events of some days: the cost of a page must not depend on its position.

const many = 20_000;

const service = await useTestService({ own: true });
const client = await useConnection(service.databaseUrl);
const team = await (await aTeam(service)).acting();
await listEvents(team, { limit: 1, wait: 0 });
await client.query(
  `insert into webhook_event (tenant_id, id, type, data, created_at)
   select $1::uuid, (${idsBegin(`((now() at time zone 'UTC')::date + n / 2000)`)} || '-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid,
          case when n % 5000 = 0 then 'ping' else 'training.completed' end, jsonb_build_object('team_id', $1::uuid), now()
     from generate_series(1, $2::int) n`,
  [team.id, many],
);
await client.query(
  'insert into event_feed_entry (tenant_id, event_id, type) select tenant_id, id, type from webhook_event where tenant_id = $1',
  [team.id],
);
// Numbered here directly, because a read numbers them in parts.
await client.query(
  `update event_feed_entry e set position = numbered.position
     from (select event_id, row_number() over (order by event_id) as position from event_feed_entry where tenant_id = $1) numbered
    where e.tenant_id = $1 and e.event_id = numbered.event_id`,
  [team.id],
);
await client.query('update event_feed set last_position = $2 where tenant_id = $1', [team.id, many]);
await client.query('vacuum analyze webhook_event, event_feed, event_feed_entry');

it.each([0, many / 2, many - 60])('a page behind position %i touches few pages of the tables', async (after) => {
  const read = async ({ platform: { database } }: Team) => {
    const walked = await feeds.walk(database, team, { after, examined: 51, type: null, limit: 51 });
    expect(walked?.entries).toHaveLength(51);
    await feeds.events(database, team, walked?.entries ?? []);
  };
  expect(await costOf(client, team, read)).toBeLessThan(450);
});

it('a poll for new events touches few pages, however much was read before', async () => {
  const look = ({ platform: { database } }: Team) => feeds.states(database, [team.id]);
  expect(await costOf(client, team, look)).toBeLessThan(20);
  const empty = ({ platform: { database } }: Team) =>
    feeds.walk(database, team, { after: many, examined: 51, type: null, limit: 51 });
  expect(await costOf(client, team, empty)).toBeLessThan(30);
});

it('a page of a rare type examines a bounded number of rows', async () => {
  const read = ({ platform: { database } }: Team) =>
    feeds.walk(database, team, { after: 100, examined: 5_000, type: 'crm.sync.failed', limit: 51 });
  expect(await costOf(client, team, read)).toBeLessThan(600);
});

it('a poll touches few pages even while very many events have no position', async () => {
  await client.query('update event_feed_entry set position = null where position > $1', [many / 2]);
  await client.query('vacuum analyze event_feed_entry');
  const look = ({ platform: { database } }: Team) => feeds.states(database, [team.id]);
  expect(await costOf(client, team, look)).toBeLessThan(20);
});
