import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { daysToMs, later, secondsToMs } from '../../src/core/clock.ts';
import { connect } from '../../src/modules/crm/service.ts';
import { certificates } from '../support/certificates.ts';
import { aCatalogItem } from '../support/practice.ts';
import { aFeed, aFeedConnection, asked, aSync, page, token } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ environment: localFeeds((await certificates()).caFile()) });

const connectionOf = (team: TestTeam, id: string) =>
  service.database.prisma.crmConnection.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });
const Rows = z.array(z.record(z.string(), z.unknown()));
const rowsOf = async (team: TestTeam, route: string, by: string) =>
  Rows.parse((await team.client.get(route)).body['data']).toSorted((a, b) =>
    String(a[by]).localeCompare(String(b[by])),
  );
const dealsOf = (team: TestTeam) => rowsOf(team, '/crm/deals?limit=200', 'external_id');
const objectionsOf = (team: TestTeam) => rowsOf(team, '/crm/objections', 'text');
const failuresOf = (team: TestTeam) =>
  service.database.prisma.webhookEvent.findMany({ where: { tenantId: team.id, type: 'crm.sync.failed' } });
const named = (...ids: string[]) => ids.map((id) => ({ id, outcome: 'open' }));
const anObjection = (id: string, dealId: string, text = id) => ({
  id,
  deal_id: dealId,
  category: 'price',
  text,
  lang: 'de',
});
const idsOf = async (team: TestTeam) => (await dealsOf(team)).map((deal) => deal['external_id']);

describe('the first sync of a feed', () => {
  it('stores every deal and objection with all fields of the feed', async () => {
    const team = await aTeam(service, { members: 1 });
    const [member] = team.members;
    const industry = await aCatalogItem(service, { dimension: 'industry', tenantId: team.id, key: 'energy' });
    const title = "Größer, „länger“ \\ ' 🚚";
    const whole = {
      id: 'D-1',
      outcome: 'won',
      title,
      amount: '18400.50',
      currency: 'EUR',
      close_date: '2026-12-15',
      probability: 40,
      pipeline_id: 'new',
      stage_id: 'offer',
      industry: 'energy',
      lost_reason: 'none',
      owner_email: member?.email?.toUpperCase(),
      last_activity_at: '2026-11-20T09:30:00Z',
      color: 'ignored',
    };
    const feed = await aFeed([
      { deals: [whole, { id: 'D-2', outcome: 'lost', industry: 'unknown', owner_email: 'stranger@example.com' }] },
      { objections: [{ ...anObjection('O-1', 'D-1', 'Zu teuer.'), created_at: '2026-11-19T14:00:00Z' }] },
    ]);
    const id = await aFeedConnection(team, feed);
    const run = await aSync(service, team, id);

    expect(run).toMatchObject({ outcome: 'ok', kind: 'full', pages: 2, deals: 2, objections: 1, reason: null });
    const [first, second] = await dealsOf(team);
    expect([first, second]).toEqual([
      {
        id: expect.any(String),
        external_id: 'D-1',
        outcome: 'won',
        title,
        amount: '18400.50',
        currency: 'EUR',
        close_date: '2026-12-15',
        probability: 40,
        pipeline_id: 'new',
        stage_id: 'offer',
        industry_id: industry,
        lost_reason: 'none',
        owner_user_id: member?.user_id,
        last_activity_at: '2026-11-20T09:30:00.000Z',
        synced_at: run.startedAt.toISOString(),
        updated_at: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({
        external_id: 'D-2',
        outcome: 'lost',
        amount: null,
        industry_id: null,
        owner_user_id: null,
        synced_at: run.startedAt.toISOString(),
      }),
    ]);
    expect(await objectionsOf(team)).toEqual([
      {
        id: expect.any(String),
        deal_id: first?.['id'],
        category: 'price',
        text: 'Zu teuer.',
        lang: 'de',
        created_at: '2026-11-19T14:00:00.000Z',
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(feed.received.map(asked)).toEqual([
      { since: null, cursor: null },
      { since: null, cursor: '1' },
    ]);
    for (const { path, headers, method } of feed.received) {
      expect(method).toBe('GET');
      expect(path).toMatch(/^\/crm\?tenant=7/);
      expect(headers).toMatchObject({ authorization: `Bearer ${token}`, accept: 'application/json' });
      expect(headers['accept-encoding']).toBeUndefined();
    }
    expect(await failuresOf(team)).toEqual([]);
  });

  it('finds an owner by every form of their address', async () => {
    const team = await aTeam(service);
    const name = team.id.slice(-12);
    const { user_id } = await team.anActiveMember({ email: `mia.${name}@xn--bcher-kva.example` });
    const forms = [
      `mia.${name}@xn--bcher-kva.example`,
      `Mia.${name}@XN--BCHER-KVA.example`,
      `mia.${name}@bücher.example`,
    ];
    const deals = forms.map((owner_email, at) => ({ id: String(at), outcome: 'open', owner_email }));
    const feed = await aFeed([{ deals }]);
    await aSync(service, team, await aFeedConnection(team, feed));
    expect((await dealsOf(team)).map((deal) => deal['owner_user_id'])).toEqual(forms.map(() => user_id));
  });

  it('finds owners among the people who are in the team, and industries by id or by a key, the team’s before the others', async () => {
    const team = await aTeam(service, { members: 2 });
    const [member, left] = team.members;
    const invited = await team.anInvitedMember();
    const other = await aTeam(service, { members: 1 });
    const item = (key: string, tenantId?: string) =>
      aCatalogItem(service, { dimension: 'industry', key, ...(tenantId !== undefined && { tenantId }) });
    const suffix = team.id.slice(-12);
    const common = await item(`common-${suffix}`);
    const own = await item(`common-${suffix}`, team.id);
    const foreign = await item(`foreign-${suffix}`, other.id);
    const situation = await aCatalogItem(service, { dimension: 'situation', key: `situation-${suffix}` });
    await team.client.delete(`/users/${left?.id ?? ''}`);
    const rows = [
      { owner_email: ` ${member?.email?.toUpperCase()} `, industry: `common-${suffix}` },
      { owner_email: left?.email, industry: common },
      { owner_email: invited.email, industry: `foreign-${suffix}` },
      { owner_email: other.members[0]?.email, industry: foreign },
      { owner_email: team.owner.email, industry: `situation-${suffix}` },
      { owner_email: '', industry: situation },
    ];
    const deals = rows.map((row, at) => ({ id: String(at), outcome: 'open', ...row }));
    const feed = await aFeed([{ deals }]);
    await aSync(service, team, await aFeedConnection(team, feed));
    const found = (await dealsOf(team)).map((deal) => [deal['owner_user_id'], deal['industry_id']]);
    expect(found).toEqual([
      [member?.user_id, own],
      [null, common],
      [null, null],
      [null, null],
      [team.owner.user_id, null],
      [null, null],
    ]);
  });

  it('accepts a page of 1,000 deals with 40 members each', async () => {
    const team = await aTeam(service);
    const more = Object.fromEntries(Array.from({ length: 38 }, (_, index) => [`member_${index}`, 'x'.repeat(100)]));
    const deals = Array.from({ length: 1_000 }, (_, index) => ({ id: `D${index}`, outcome: 'open', ...more }));
    const feed = await aFeed([{ deals }]);
    expect(await aSync(service, team, await aFeedConnection(team, feed))).toMatchObject({
      outcome: 'ok',
      deals: 1_000,
    });
  });

  it('keeps the query of the feed’s URL unchanged, and adds its own parameters', async () => {
    const team = await aTeam(service);
    const feed = await aFeed([{}, {}]);
    const url = `${feed.url}/x?sig=a%20b%2A&flag&cursor=own&q=~(1)`;
    const { connectionId: id } = await connect(await team.acting(), { provider: 'feed', url, token }, { tries: false });
    feed.answerWith(({ path }) => page({ next_cursor: path.includes('cursor=own') ? 'a b&c' : null }));
    await aSync(service, team, id);
    expect(feed.received.map(({ path }) => path)).toEqual([
      '/x?sig=a%20b%2A&flag&cursor=own&q=~(1)',
      '/x?sig=a%20b%2A&flag&q=~(1)&cursor=a%20b%26c',
    ]);
  });
});

describe('later syncs', () => {
  it('request the changes since the last complete run’s start minus a minute, and keep the rest', async () => {
    const team = await aTeam(service);
    const feed = await aFeed([{ deals: named('a', 'b', 'c'), objections: [anObjection('1', 'a')] }]);
    const id = await aFeedConnection(team, feed);
    const first = await aSync(service, team, id);
    const before = await dealsOf(team);

    service.clock.forward(secondsToMs(900));
    feed.answerWith(() =>
      page({
        deals: [
          { id: 'b', outcome: 'won', title: 'B' },
          { id: 'c', deleted: true },
        ],
      }),
    );
    const second = await aSync(service, team, id);
    expect(asked(feed.received[1] ?? expect.fail()).since).toBe(later(first.startedAt, -60_000).toISOString());
    expect(second).toMatchObject({ outcome: 'ok', kind: 'incremental', deals: 1, deleted: 1 });
    const [a, b] = await dealsOf(team);
    expect([a]).toEqual(before.slice(0, 1));
    expect(b).toMatchObject({
      title: 'B',
      outcome: 'won',
      synced_at: second.startedAt.toISOString(),
      id: before[1]?.['id'],
    });
    expect(await idsOf(team)).toEqual(['a', 'b']);
    expect(await objectionsOf(team)).toHaveLength(1);
  });

  it('delete a deal together with its objections', async () => {
    const team = await aTeam(service);
    const feed = await aFeed([{ deals: named('a', 'b'), objections: [anObjection('1', 'a'), anObjection('2', 'b')] }]);
    const id = await aFeedConnection(team, feed);
    await aSync(service, team, id);
    feed.answerWith(() =>
      page({
        deals: [
          { id: 'a', deleted: true },
          { id: 'unknown', deleted: true },
        ],
      }),
    );
    expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', deleted: 1 });
    expect(await idsOf(team)).toEqual(['b']);
    expect((await objectionsOf(team)).map(({ text }) => text)).toEqual(['2']);
  });

  it('once a day read everything, and delete what the feed no longer has', async () => {
    const team = await aTeam(service);
    const feed = await aFeed([
      {
        deals: named('a', 'b', 'c'),
        objections: [anObjection('1', 'a'), anObjection('2', 'a'), anObjection('3', 'c')],
      },
    ]);
    const id = await aFeedConnection(team, feed);
    await aSync(service, team, id);
    service.clock.forward(daysToMs(1));
    feed.answerWith((request) =>
      asked(request).cursor === null
        ? page({ deals: named('a'), objections: [anObjection('1', 'a')], next_cursor: 'x' })
        : page({ deals: named('d') }),
    );
    const run = await aSync(service, team, id);
    expect(run).toMatchObject({ outcome: 'ok', kind: 'full', since: null, deals: 2, deleted: 2 });
    expect(asked(feed.received[1] ?? expect.fail())).toEqual({ since: null, cursor: null });
    expect(await idsOf(team)).toEqual(['a', 'd']);
    expect((await objectionsOf(team)).map(({ text }) => text)).toEqual(['1']);
    expect(await connectionOf(team, id)).toMatchObject({ lastFullAt: run.startedAt, lastSyncedAt: run.startedAt });
  });

  it('read everything a day after they last did, however many have read only the changes meanwhile', async () => {
    const team = await aTeam(service);
    const id = await aFeedConnection(team, await aFeed([{}]));
    const kindAfter = async (hours: number) => {
      service.clock.forward(secondsToMs(hours * 3_600));
      return (await aSync(service, team, id)).kind;
    };
    const kinds = [
      await kindAfter(0),
      await kindAfter(12),
      await kindAfter(11.9),
      await kindAfter(0.1),
      await kindAfter(1),
    ];
    expect(kinds).toEqual(['full', 'incremental', 'incremental', 'full', 'incremental']);
  });

  it('follow at the connection’s interval plus a small delay', async () => {
    const team = await aTeam(service);
    const id = await aFeedConnection(team, await aFeed([{}]));
    const { startedAt } = await aSync(service, team, id);
    const { nextSyncAt } = await connectionOf(team, id);
    const after = Number(nextSyncAt) - Number(startedAt);
    expect(after).toBeGreaterThanOrEqual(secondsToMs(900));
    expect(after).toBeLessThanOrEqual(secondsToMs(990));
  });

  it.each([
    ['its start', 600, 900 - 600],
    ['now, if the sync took longer than the interval', 1_000, 900],
  ])('count the interval from %s', async (_what, took, least) => {
    service.clock.stop();
    onTestFinished(() => service.clock.set(new Date()));
    const team = await aTeam(service);
    const feed = await aFeed(() => {
      service.clock.forward(secondsToMs(took));
      return page({});
    });
    const id = await aFeedConnection(team, feed);
    expect((await aSync(service, team, id)).outcome).toBe('ok');
    const { nextSyncAt } = await connectionOf(team, id);
    const after = Number(nextSyncAt) - Number(service.clock.now());
    expect(after).toBeGreaterThanOrEqual(secondsToMs(least));
    expect(after).toBeLessThanOrEqual(secondsToMs(least + 90));
  });
});

describe('a sync that fails', () => {
  const anyFailure = async (answer: Parameters<typeof aFeed>[0], reason: string | RegExp) => {
    const team = await aTeam(service);
    const feed = await aFeed(answer);
    const id = await aFeedConnection(team, feed);
    const run = await aSync(service, team, id);
    expect(run.outcome).toBe('failed');
    expect(run.reason).toMatch(reason);
    const events = await failuresOf(team);
    expect(events.map(({ data }): unknown => JSON.parse(data))).toEqual([
      { team_id: team.id, connection_id: id, provider: 'feed', reason: run.reason },
    ]);
    expect(await connectionOf(team, id)).toMatchObject({ failureReason: run.reason, lastSyncedAt: null });
    return { team, feed, id, run };
  };

  it.each([401, 403])('with %i marks the connection, ends its schedule and is not repeated', async (status) => {
    const { team, feed, id } = await anyFailure(
      () => ({ status }),
      new RegExp(`refused the access token \\(${status}\\)`),
    );
    expect(feed.received).toHaveLength(1);
    expect(await connectionOf(team, id)).toMatchObject({ status: 'credentials_refused', nextSyncAt: null });
  });

  it.each([500, 503])(
    'with %i and no time to wait is tried three times, and follows again at the interval',
    async (code) => {
      const { team, feed, id } = await anyFailure(() => ({ status: code }), new RegExp(`status ${code}`));
      expect(feed.received).toHaveLength(3);
      const { status, nextSyncAt } = await connectionOf(team, id);
      expect(status).toBe('active');
      expect(Number(nextSyncAt)).toBeGreaterThan(Number(service.clock.now()));
    },
  );

  it('after a cut connection is tried three times', async () => {
    const { feed } = await anyFailure(() => 'reset', /closed the connection/);
    expect(feed.received.length).toBeGreaterThanOrEqual(3);
  });

  it('after an incomplete answer is tried three times', async () => {
    const { feed } = await anyFailure(
      () => ({ status: 200, headers: { 'content-length': '1000', connection: 'close' }, body: '{"deals":[' }),
      /Content-Length|closed the connection/,
    );
    expect(feed.received).toHaveLength(3);
  });

  it.each([
    ['{"deals":[{"id":"a","outcome":"open"},{"id":"b","outcome":"open","amount":"x"}]}', /^deals\[1\]\.amount: /],
    ['{"deals":[', /not valid JSON/],
    ['\xff\xfe', /not valid JSON|must be/],
    ['[]', /must be an object/],
  ])('after the malformed answer %s', async (body, reason) => {
    const { team } = await anyFailure(() => ({ status: 200, body: Buffer.from(body, 'latin1') }), reason);
    expect(await dealsOf(team)).toEqual([]);
  });

  it('keeps the pages before the malformed one; the next run starts where this one did', async () => {
    const team = await aTeam(service);
    const feed = await aFeed([{ deals: named('a') }]);
    const id = await aFeedConnection(team, feed);
    const first = await aSync(service, team, id);
    feed.answerWith((request) =>
      asked(request).cursor === null
        ? page({ deals: named('b'), next_cursor: '1' })
        : page({ deals: [...named('c'), { id: 'd' }] }),
    );
    expect(await aSync(service, team, id)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/^deals\[1\]\.outcome: /),
    });
    expect(await idsOf(team)).toEqual(['a', 'b']);
    feed.answerWith(() => page({}));
    await aSync(service, team, id);
    expect(asked(feed.received.at(-1) ?? expect.fail())).toEqual({
      since: later(first.startedAt, -60_000).toISOString(),
      cursor: null,
    });
  });

  it('after a repeated cursor, even if the pages would not end', async () => {
    const next = ['a', 'b', 'a', 'c', 'd', null];
    let pages = 0;
    const { feed } = await anyFailure(
      () => page({ deals: named('a'), next_cursor: next[pages++] ?? null }),
      /^next_cursor: It repeats/,
    );
    expect(feed.received).toHaveLength(3);
  });

  it('after a redirect, which is not followed', async () => {
    const other = await aFeed([{ deals: named('stolen') }]);
    await anyFailure(() => ({ status: 302, headers: { location: `${other.url}/` } }), /status 302: a redirect/);
    expect(other.received).toHaveLength(0);
  });

  it('after a page of more than 10 MiB', async () => {
    const { feed } = await anyFailure(
      () => ({ status: 200, body: `{"deals":[],"x":"${'x'.repeat(10 * 1024 ** 2)}"}` }),
      /larger than 10 MiB/,
    );
    expect(feed.received).toHaveLength(1);
  });

  it.each([
    [
      'objects beside a number with digits',
      () => `{"deals":[],"x":[1.0,${'{},'.repeat(600_000)}{}]}`,
      /500,000 values/,
    ],
    ['keys', () => `{"deals":[],${'"a":0,'.repeat(600_000)}"a":0}`, /500,000 values/],
    ['levels', () => `{"deals":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, /more than 100 levels/],
  ])('after a page with too many %s, before it is parsed', async (_what, body, reason) => {
    const { feed } = await anyFailure(() => ({ status: 200, body: body() }), reason);
    expect(feed.received).toHaveLength(1);
  });

  it('after five waits on 429', async () => {
    const { feed } = await anyFailure(() => ({ status: 429, headers: { 'retry-after': '0' } }), /status 429/);
    expect(feed.received).toHaveLength(6);
  });
});

describe('a CRM with temporary failures', () => {
  it.each([
    [429, { 'retry-after': '0' }],
    [429, {}],
    [429, { 'retry-after': '3600' }],
    [503, { 'retry-after': '1' }],
    [503, { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
    [503, { 'retry-after': new Date(Date.now() + 500).toUTCString() }],
  ] as const)('with %i is retried after a wait, and the run continues', async (status, headers) => {
    const team = await aTeam(service);
    let count = 0;
    const feed = await aFeed(() => ((count += 1) <= 4 ? { status, headers } : page({ deals: named('a') })));
    expect(await aSync(service, team, await aFeedConnection(team, feed))).toMatchObject({ outcome: 'ok', deals: 1 });
    expect(feed.received).toHaveLength(5);
    expect(await failuresOf(team)).toEqual([]);
  });

  it('is retried after single failures', async () => {
    const team = await aTeam(service);
    const answers = ['reset', { status: 502 }, page({ deals: named('a') })] as const;
    let count = 0;
    const feed = await aFeed(() => answers[count++] ?? 'hang');
    expect(await aSync(service, team, await aFeedConnection(team, feed))).toMatchObject({ outcome: 'ok' });
  });
});
