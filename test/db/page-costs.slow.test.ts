import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { toCamel } from '../../src/core/spelling.ts';
import { queueStatus } from '../../src/deliveries/queue-status.ts';
import { AssignmentQuery } from '../../src/modules/assignments/schema.ts';
import { listAssignments } from '../../src/modules/assignments/service.ts';
import { exportEntries, listEntries } from '../../src/modules/audit/listing.ts';
import { AuditEntriesQuery, AuditQuery } from '../../src/modules/audit/schema.ts';
import { AppDealQuery } from '../../src/modules/crm/schema.ts';
import { listAppDeals } from '../../src/modules/crm/service.ts';
import { listEvents } from '../../src/modules/events/service.ts';
import { feeds } from '../../src/modules/events/store.ts';
import { MemberQuery } from '../../src/modules/members/schema.ts';
import { listMembers } from '../../src/modules/members/service.ts';
import { RequestQuery } from '../../src/modules/requests/schema.ts';
import { listRequests } from '../../src/modules/requests/service.ts';
import {
  attemptsOf,
  listDeliveries,
  listTeamDeliveries,
  pageOfDeliveries,
  readDelivery,
} from '../../src/modules/webhooks/history.ts';
import type { Team } from '../../src/platform/team.ts';
import { inTheApp } from '../support/app-caller.ts';
import { costOf } from '../support/plans.ts';
import { aCrmConnection } from '../support/crm.ts';
import { idsBegin, aDelivery, anAttempt, anEndpoint } from '../support/webhooks.ts';
import { allRows } from '../support/pages.ts';
import { useConnection } from '../support/postgres.ts';
import { anAnswer } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// Teams with very long lists. Each read has an index and touches few pages of the database, however long its list is.

const service = await useTestService({ own: true });
const client = await useConnection(service.databaseUrl);

type Read = readonly [what: string, fewerPagesThan: number, read: (team: Team) => Promise<unknown>];

/** A team with a long list, and the reads of it. */
interface Long {
  readonly team: Team;
  readonly reads: readonly Read[];
}

const auditEntries = 60_000;
const audited = await aTeam(service);

/** Many trainings after all other actions, also those of the tests. Most entries are about one target. */
const auditLog = async (): Promise<Long> => {
  const team = await audited.acting();
  await client.query(
    `insert into audit_entry (tenant_id, id, actor_kind, action, target_type, target_id, data, created_at)
     select $1, gen_random_uuid(), 'person', case when n % 5 = 0 then 'training.started' else 'training.ended' end, 'training',
            case when n % 5 = 0 then gen_random_uuid()::text else $2 end, jsonb_build_object('said', repeat('x', 400)),
            now() + interval '30 minutes' + n * interval '1 millisecond'
       from generate_series(1, $3::int) n`,
    [team.id, 'one', auditEntries],
  );
  // The statistics claim that there are many teams with few entries each.
  await client.query('alter table audit_entry alter tenant_id set (n_distinct = 10000)');
  await client.query('vacuum analyze audit_entry');

  const entries =
    (wanted: z.input<typeof AuditQuery>, memberDetail = true) =>
    (asking: Team) =>
      listEntries({ ...asking, privacy: { ...asking.privacy, memberDetail } }, AuditQuery.parse(wanted), 'en');
  const exported =
    (wanted: z.input<typeof AuditEntriesQuery>, memberDetail = true) =>
    (asking: Team) =>
      exportEntries(
        { ...asking, privacy: { ...asking.privacy, memberDetail } },
        toCamel(AuditEntriesQuery.parse(wanted)),
        'en',
      );
  const at = (hours: number) => later(service.clock.now(), hoursToMs(hours)).toISOString();
  const oneTarget = { target_type: 'training', target_id: 'one' } as const;
  return {
    team,
    reads: [
      ['the newest entries', 100, entries({})],
      ['those of an action', 150, entries({ action: 'training.ended' })],
      ['those on a target', 150, entries(oneTarget)],
      ['those on a rare target', 50, entries({ target_type: 'team', target_id: team.id })],
      ['those of a rare actor', 50, entries({ actor_id: audited.owner.user_id })],
      ['those of an actor who never acted', 50, entries({ actor_kind: 'person', actor_id: 'nobody' })],
      ['a rare action', 50, entries({ action: 'team.created' })],
      ['an action that never happened', 50, entries({ action: 'key.rotated' })],
      // A search of the next thousands of rows. The whole log is some 4,000 pages.
      ['a kind of actor', 1_000, entries({ actor_kind: 'operator' })],
      ['an action of a kind of actor', 1_300, entries({ action: 'training.ended', actor_kind: 'operator' })],
      ['a kind of target', 1_000, entries({ target_type: 'webhook_event' })],
      ['an id alone', 1_000, entries({ target_id: team.id })],
      ['the newest while member details are off', 1_000, entries({}, false)],
      ['those on a target while member details are off', 1_300, entries(oneTarget, false)],
      ['those until a time to come', 100, entries({ until: at(1) })],
      ['those until an old time', 50, entries({ until: at(-1) })],
      ['those since a time to come', 50, entries({ since: at(1) })],
      ['the oldest entries', 100, exported({ order: 'asc' })],
      ['the oldest since a time to come', 50, exported({ order: 'asc', since: at(1) })],
      ['the oldest since an old time', 100, exported({ order: 'asc', since: at(-1) })],
      ['the oldest of an action', 150, exported({ order: 'asc', action: 'training.ended' })],
      [
        'the oldest of an action since a time to come',
        50,
        exported({ order: 'asc', action: 'training.ended', since: at(1) }),
      ],
      ['the oldest of a rare action', 50, exported({ order: 'asc', action: 'team.created' })],
      ['the oldest of a rare actor', 50, exported({ order: 'asc', actor_id: audited.owner.user_id })],
      ['the oldest of an actor who never acted', 50, exported({ order: 'asc', actor_id: 'nobody' })],
      ['the oldest while member details are off', 1_000, exported({ order: 'asc' }, false)],
    ],
  };
};

const fedEvents = 20_000;

/** A feed with events of some days, of which some have a position. */
const aFeed = async (positions: number): Promise<Team> => {
  const team = await (await aTeam(service)).acting();
  await listEvents(team, { limit: 1, wait: 0 });
  await client.query(
    `insert into webhook_event (tenant_id, id, type, data, created_at)
     select $1::uuid, (${idsBegin(`((now() at time zone 'UTC')::date + n / 2000)`)} || '-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid,
            case when n % 5000 = 0 then 'ping' else 'training.completed' end, jsonb_build_object('team_id', $1::uuid), now()
       from generate_series(1, $2::int) n`,
    [team.id, fedEvents],
  );
  // Numbered here directly, because a read numbers them in parts.
  await client.query(
    `insert into event_feed_entry (tenant_id, event_id, type, position)
     select tenant_id, id, type, case when place <= $2 then place end
       from (select *, row_number() over (order by id) as place from webhook_event where tenant_id = $1) as numbered`,
    [team.id, positions],
  );
  await client.query('update event_feed set last_position = $2 where tenant_id = $1', [team.id, positions]);
  return team;
};

const eventFeed = async (): Promise<Long> => {
  const team = await aFeed(fedEvents);
  await client.query('vacuum analyze webhook_event, event_feed, event_feed_entry');
  const { database } = service.platform;
  const pageBehind = async (after: number) => {
    const walked = await feeds.walk(database, team, { after, examined: 51, type: null, limit: 51 });
    expect(walked?.entries).toHaveLength(51);
    await feeds.events(database, team, walked?.entries ?? []);
  };
  return {
    team,
    reads: [
      ...[0, fedEvents / 2, fedEvents - 60].map((after): Read => [
        `a page behind position ${after}`,
        450,
        () => pageBehind(after),
      ]),
      ['whether there are new events', 20, () => feeds.states(database, [team.id])],
      [
        'a page behind the last event',
        30,
        () => feeds.walk(database, team, { after: fedEvents, examined: 51, type: null, limit: 51 }),
      ],
      [
        'a page of a rare type, which examines a limited number of events',
        600,
        () => feeds.walk(database, team, { after: 100, examined: 5_000, type: 'crm.sync.failed', limit: 51 }),
      ],
    ],
  };
};

const unnumberedFeed = async (): Promise<Long> => {
  const team = await aFeed(fedEvents / 2);
  await client.query('vacuum analyze webhook_event, event_feed, event_feed_entry');
  return {
    team,
    reads: [['whether there are new events', 20, () => feeds.states(service.platform.database, [team.id])]],
  };
};

/** One key with nearly all requests, of two days. */
const requestLog = async (): Promise<Long> => {
  const made = await aTeam(service);
  const team = await made.acting();
  const [busy, quiet, requestId] = [(await made.aKey()).id, (await made.aKey()).id, randomUUID()];
  service.requestLog.note(anAnswer(made, quiet, { requestId }));
  await service.requestLog.write();
  await client.query(
    `insert into request_log_entry (tenant_id, id, key_id, request_id, method, route, status, duration_ms, created_at)
     select $1, overlay(gen_random_uuid()::text placing ${idsBegin(`((now() at time zone 'UTC')::date - n % 2)`)}
                        from 1 for 13)::uuid, $2, gen_random_uuid(), 'GET', '/users', 200, 1, now() - (n % 2) * interval '1 day'
       from generate_series(1, 40000) n`,
    [team.id, busy],
  );
  await client.query('vacuum analyze request_log_entry');

  const requests = (wanted: z.input<typeof RequestQuery>) => (asking: Team) =>
    listRequests(asking, toCamel(RequestQuery.parse(wanted)));
  const at = (hours: number) => later(service.clock.now(), hoursToMs(hours)).toISOString();
  return {
    team,
    reads: [
      ['the newest requests', 300, requests({})],
      ['those of a busy key', 300, requests({ key_id: busy })],
      ['those of a quiet key', 300, requests({ key_id: quiet })],
      ['one by its id', 300, requests({ request_id: requestId })],
      // In production every row of the walk may be in a different page, because requests of teams alternate; here all
      // are together.
      ['a rare status', 11_000, requests({ status: 500 })],
      ['a rare status of a busy key', 11_000, requests({ status: 500, key_id: busy })],
      ['a rare code', 11_000, requests({ code: 'internal' })],
      ['those until an old time', 11_000, requests({ until: at(-36) })],
      ['those since a time to come', 300, requests({ since: at(1) })],
    ],
  };
};

const manyDeliveries = 40_000;
const delivering = await aTeam(service);
const endpoints = { busy: await anEndpoint(service, delivering), quiet: await anEndpoint(service, delivering) };

/** One endpoint with nearly all deliveries, of two days. */
const deliveries = async (): Promise<Long> => {
  const team = await delivering.acting();
  const id = await aDelivery(service, delivering, { endpointId: endpoints.quiet, status: 'ok' });
  await anAttempt(service, delivering, { deliveryId: id });
  await client.query(
    `create temporary table made as
     select n, overlay(gen_random_uuid()::text placing ${idsBegin(`((now() at time zone 'UTC')::date - 1 - n % 2)`)}
                       from 1 for 13)::uuid as id
       from generate_series(1, $1::int) n`,
    [manyDeliveries],
  );
  await client.query(
    `insert into webhook_event (tenant_id, id, type, data, created_at)
     select $1, id, 'training.completed', '{}', now() - (1 + n % 2) * interval '1 day' from made`,
    [team.id],
  );
  await client.query(
    `insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, attempt, created_at)
     select $1, id, $2, id, 'training.completed', 'ok', 1, now() from made`,
    [team.id, endpoints.busy],
  );
  await client.query(
    `insert into webhook_attempt (tenant_id, id, delivery_id, number, url, request_headers, response_code, started_at)
     select $1, id, id, 1, 'https://example.com/', '{}', 200, now() - interval '1 hour' from made`,
    [team.id],
  );
  await client.query('vacuum analyze webhook_event, webhook_delivery, webhook_attempt');

  const { nextCursor } = await pageOfDeliveries(team, { endpointId: endpoints.busy, limit: 200 });
  const cursor = nextCursor ?? expect.fail('there is another page');
  const limit = 50;
  return {
    team,
    reads: [
      ...Object.entries(endpoints).flatMap(([which, endpointId]): Read[] => [
        [`the newest deliveries to a ${which} endpoint`, 200, (asked) => listDeliveries(asked, { endpointId, limit })],
        [`a page of those to a ${which} endpoint`, 200, (asked) => pageOfDeliveries(asked, { endpointId, limit })],
        [
          `those to a ${which} endpoint among the team’s`,
          200,
          (asked) => listTeamDeliveries(asked, { endpointId, limit }),
        ],
      ]),
      ['the newest deliveries to all endpoints', 200, (asked) => listTeamDeliveries(asked, { limit })],
      ['one delivery', 100, (asked) => readDelivery(asked, id)],
      ['a deep page', 200, (asked) => pageOfDeliveries(asked, { endpointId: endpoints.busy, limit, cursor })],
      ['the attempts of a delivery', 100, (asked) => attemptsOf(asked, id)],
      ['the attempts of the last minutes', 200, ({ platform }) => queueStatus(platform)],
      // A search of the next thousands.
      [
        'a rare status among those to all endpoints',
        13_000,
        (asked) => listTeamDeliveries(asked, { limit, status: 'gave_up' }),
      ],
      [
        'a rare status of a busy endpoint',
        13_000,
        (asked) => pageOfDeliveries(asked, { endpointId: endpoints.busy, limit, status: 'gave_up' }),
      ],
      [
        'a rare type of a busy endpoint',
        13_000,
        (asked) => pageOfDeliveries(asked, { endpointId: endpoints.busy, limit, eventType: 'ping' }),
      ],
    ],
  };
};

/** Deals of two connections, of which some have no amount or no date. */
const deals = async (): Promise<Long> => {
  const made = await aTeam(service);
  const team = await made.acting();
  for (const connectionId of [await aCrmConnection(service, made), await aCrmConnection(service, made)]) {
    await client.query(
      `insert into crm_deal (tenant_id, id, connection_id, external_id, title, outcome, amount, close_date, created_at)
       select $1, gen_random_uuid(), $2, n::text, 'Deal ' || n, 'open', case when n % 3 > 0 then n::text end,
              case when n % 5 > 0 then date '2026-01-01' + n % 900 end, now()
         from generate_series(1, 50000) n`,
      [team.id, connectionId],
    );
  }
  await client.query('alter table crm_deal alter tenant_id set (n_distinct = 10000)');
  await client.query('vacuum analyze crm_deal, crm_connection');

  const page = (wanted: z.input<typeof AppDealQuery>) => (asking: Team) =>
    listAppDeals(asking, toCamel(AppDealQuery.parse(wanted)), 'en');
  const { nextCursor } = await listAppDeals(team, { limit: 50 }, 'en');
  const cursor = nextCursor ?? expect.fail('there is another page');
  return {
    team,
    reads: [
      ...(['close_date', 'amount'] as const).flatMap((by) =>
        [true, false].map((desc): Read => [
          `a page by ${by}, ${desc ? 'descending' : 'ascending'}`,
          300,
          page({ sort: { by, desc } }),
        ]),
      ),
      ['those with a frequent outcome', 300, page({ outcome: 'open' })],
      ['those with a frequent word', 300, page({ search: 'deal' })],
      ['a second page', 300, page({ cursor })],
    ],
  };
};

const manyMembers = 50_000;

/** Members of whom nearly all have one role and one state; some have the others. */
const members = async ([role, rareRole]: [string, string], [state, rareState]: [string, string]): Promise<Long> => {
  const made = await aTeam(service);
  const team = await made.acting();
  // Without the users behind them.
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into member (tenant_id, id, user_id, email, role, status, joined_at, invited_at, listed_at, created_at, updated_at)
     select $1, gen_random_uuid(), case when state = 'active' then gen_random_uuid() end, n || '@example.com',
            (case when n % 5000 = 7 then $3 else $2 end)::role, state::member_status, at, at, at, at, at
       from generate_series(1, $6::int) n, lateral (select now() + n * interval '1 second' as at) as listed,
            lateral (select case when n % 4000 = 5 then $5 else $4 end as state) as stated`,
    [team.id, role, rareRole, state, rareState, manyMembers],
  );
  await client.query('reset session_replication_role');
  await client.query('alter table member alter tenant_id set (n_distinct = 10000)');
  await client.query('vacuum analyze member');

  const page = (wanted: z.input<typeof MemberQuery>) => (asking: Team) =>
    listMembers(asking, toCamel(MemberQuery.parse(wanted)));
  const roles = ['admin', 'member'] as const;
  const states = ['active', 'invited'] as const;
  return {
    team,
    reads: [
      ['one by an address', 20, page({ email: `${manyMembers}@example.com` })],
      ['none by an address', 20, page({ email: 'nobody@example.com' })],
      ['the owner', 20, page({ role: 'owner' })],
      ...roles.map((one): Read => [`those with the role ${one}`, 300, page({ role: one })]),
      ...states.map((one): Read => [`those who are ${one}`, 300, page({ status: one })]),
      // One of the two has the index. If nearly all members meet it, it passes over them: the team has some 1,400 pages.
      ...roles.flatMap((one) =>
        states.map((other): Read => [
          `those with the role ${one} who are ${other}`,
          2_000,
          page({ role: one, status: other }),
        ]),
      ),
    ],
  };
};

const manyAssignments = 50_000;

/** Assignments of whom nearly all are done, and of one member; the oldest ones are due years before all others. */
const assignments = async (): Promise<Long> => {
  const made = await aTeam(service, { members: 2 });
  const [busy = '', quiet = ''] = made.members.map(({ id }) => id);
  const team = await made.acting();
  await client.query(
    `insert into assignment (tenant_id, id, member_id, status, due_date, created_at, updated_at)
     select $1, gen_random_uuid(), case when n % 1000 = 3 then $3 else $2 end::uuid,
            (case when n % 2000 = 1 then 'open' when n % 2000 = 2 then 'in_progress' when n % 2000 = 3 then 'revoked' else 'done' end)::assignment_status,
            case when n < 20 then date '2020-01-01' when n % 3 > 0 then date '2026-01-01' + n % 300 end, at, at
       from generate_series(1, $4::int) n, lateral (select now() + n * interval '1 second' as at) as made`,
    [team.id, busy, quiet, manyAssignments],
  );
  await client.query('alter table assignment alter tenant_id set (n_distinct = 10000)');
  await client.query('vacuum analyze assignment');

  const page = (wanted: z.input<typeof AssignmentQuery>) => (asking: Team) =>
    listAssignments(asking, toCamel(AssignmentQuery.parse(wanted)));
  const states = ['open', 'in_progress', 'done', 'revoked'] as const;
  return {
    team,
    reads: [
      ...states.map((status): Read => [`those that are ${status}`, 400, page({ status })]),
      ['those of a busy member', 400, page({ member_id: busy })],
      ['those of a quiet member', 400, page({ member_id: quiet })],
      ['those of a member who has none', 20, page({ member_id: made.owner.member_id })],
      ['the open ones of a busy member', 400, page({ member_id: busy, status: 'open' })],
      ['the open ones of a quiet member', 400, page({ member_id: quiet, status: 'open' })],
      ['those that are due soon', 400, page({ due_before: '2026-12-01' })],
      // The whole list is some 1,000 pages, and reads each row's page again.
      ['those that were due long ago', 900, page({ due_before: '2020-01-02' })],
      ['those that were due before all others', 900, page({ due_before: '2000-01-01' })],
      ...states.map((status): Read => [
        `those of the status ${status} that were due long ago`,
        900,
        page({ status, due_before: '2020-01-02' }),
      ]),
    ],
  };
};

const long: Readonly<Record<string, Long>> = {
  'the audit log': await auditLog(),
  'the event feed': await eventFeed(),
  'an event feed of which half has no position': await unnumberedFeed(),
  'the request log': await requestLog(),
  deliveries: await deliveries(),
  'the app’s deals': await deals(),
  assignments: await assignments(),
  'members, nearly all of them active ones who are no admins': await members(
    ['member', 'admin'],
    ['active', 'invited'],
  ),
  'members, nearly all of them invited admins': await members(['admin', 'member'], ['invited', 'active']),
};

describe.each(Object.entries(long))('%s, however long: few pages of the database for', (_list, { team, reads }) => {
  it.each(reads)('%s (fewer than %i)', async (_what, fewerPagesThan, read) => {
    expect(await costOf(client, team, read)).toBeLessThan(fewerPagesThan);
  });
});

it('the rows of an erased person for signing in are found by their index', async () => {
  await client.query('begin; set local enable_seqscan = off');
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) delete from verification where value = 'x'`,
  );
  await client.query('rollback');
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('verification_value_idx');
});

/** All rows of a list whose first page has examined thousands of rows and found nothing, and the number of its pages. */
const foundLater = async <Row>(
  read: (from: { cursor?: string }) => Promise<{ data: readonly Row[]; next_cursor: string | null }>,
) => {
  let pages = 0;
  const rows = await allRows<Row>(async (from) => {
    const page = await read(from);
    pages += 1;
    if (pages === 1) expect([page.data, page.next_cursor]).toEqual([[], expect.any(String)]);
    return page;
  });
  return { rows, pages };
};

describe('a walk that found nothing yet continues where it stopped, until it has found everything once', () => {
  it.each([true, false])('in the audit log (member details: %s)', async (memberDetail) => {
    await audited.change({ memberDetail });
    const { audit } = await inTheApp(audited);
    const filter = memberDetail ? ({ actor_kind: 'operator' } as const) : {};
    const { rows, pages } = await foundLater((from) => audit.list({ ...filter, ...from }));
    expect(pages).toBe(auditEntries / 5_000 + 1);
    expect(rows.slice(-2).map(({ action }) => action)).toEqual(['key.created', 'team.created']);
  });

  it('in the deliveries to an endpoint', async () => {
    const { rows: changed } = await client.query<{ id: string }>(
      `update webhook_delivery set status = 'gave_up' where id = (select min(id::text)::uuid from made) returning id`,
    );
    const team = await delivering.acting();
    const { rows, pages } = await foundLater(async (from) => {
      const query = { endpointId: endpoints.busy, limit: 50, status: 'gave_up', ...from } as const;
      const { data, nextCursor } = await pageOfDeliveries(team, query);
      return { data, next_cursor: nextCursor };
    });
    expect(rows.map(({ id }) => id)).toEqual(changed.map(({ id }) => id));
    expect(pages).toBe(manyDeliveries / 5_000 + 1);
  });
});

it('the overview has no latest entries if the newest thousands are not for its reader', async () => {
  await audited.change({ memberDetail: false });
  expect((await (await inTheApp(audited)).overview.show({})).latest).toEqual([]);
});
