import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/modules/crm/providers/provider.ts';
import { connect, syncConnection, tryConnection } from '../../src/modules/crm/service.ts';
import { certificates } from '../support/certificates.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { aCrmConnection, aDeal, aFeed, asked, aSync, page, token } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { allRows } from '../support/pages.ts';
import { aPerson } from '../support/people.ts';
import { aCatalogItem } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ environment: localFeeds((await certificates()).caFile()) });

const row = (team: TestTeam, id: string) =>
  service.database.prisma.crmConnection.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });

const aConnectedTeam = async () => {
  const team = await aTeam(service);
  const app = await inTheApp(team);
  const feed = await aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]);
  const { connection_id: id } = await app.crm.connect({ provider: 'feed', label: 'Sales', url: feed.url, token });
  return { team, app, feed, id };
};

/** Another connection of the team, without trying the feed. */
const connectionTo = async (team: TestTeam, url: string) =>
  connect(await team.acting(), { provider: 'feed', url, token }, { tries: false });

/** A refusal because of this field. */
const invalid = (field: string, detail: unknown = expect.any(String)) => ({
  code: 'validation_error',
  members: { field, detail },
});

const actionsOn = async (team: TestTeam, id: string) =>
  (await auditEntriesOn(service, team, id)).map(({ action }) => action.replace('crm_connection.', ''));

describe('connecting in the app', () => {
  it('tries the token first, stores it encrypted, and shows it to nobody', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    expect(feed.received).toHaveLength(1);
    expect(feed.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect(asked(feed.received[0] ?? expect.fail()).since).not.toBeNull();
    const stored = await row(team, id);
    expect(Buffer.from(stored.credentials ?? []).includes(token)).toBe(false);
    expect(stored).toMatchObject({ status: 'active', provider: 'feed', intervalSeconds: 900 });
    expect(Number(stored.nextSyncAt)).toBeLessThanOrEqual(Number(service.clock.now()));
    const shown = await app.crm.connections({});
    expect(shown.data).toEqual([
      {
        connection_id: id,
        provider: 'feed',
        label: 'Sales',
        status: 'active',
        url: `${feed.url}/`,
        has_token: true,
        interval_seconds: 900,
        settings: { objection_property: null, note_prefix: null, objection_category: 'other', objection_lang: 'de' },
        created_at: expect.any(String),
        next_sync_at: expect.any(String),
        running: null,
        requested: false,
        last_sync_at: null,
        last_outcome: null,
        last_reason: null,
        last_reason_de: null,
        deals: 0,
        objections: 0,
      },
    ]);
    const audit = JSON.stringify(await auditEntriesOn(service, team, id));
    expect(audit).not.toContain(token);
    expect(JSON.stringify(service.logged())).not.toContain(token);
  });

  it('keeps what was chosen, and a change only changes what is given, with the former values in the audit log', async () => {
    const team = await aTeam(service);
    const app = await inTheApp(team);
    const feed = await aFeed([{}]);
    const settings = { note_prefix: 'Einwand:', objection_category: 'price', objection_lang: 'en' };
    const chosen = { label: 'Sales', interval_seconds: 600, settings };
    const { connection_id } = await app.crm.connect({ provider: 'feed', url: feed.url, token, ...chosen });
    const shown = async () => {
      const { label, interval_seconds, settings: kept } = await app.crm.connection({ connection_id });
      return { label, interval_seconds, settings: kept };
    };
    const whole = { ...chosen, settings: { ...settings, objection_property: null } };
    expect(await shown()).toEqual(whole);
    await app.crm.change({ connection_id, interval_seconds: 900 });
    expect(await shown()).toEqual({ ...whole, interval_seconds: 900 });
    await app.crm.change({ connection_id, label: null });
    expect(await shown()).toEqual({ ...whole, label: null, interval_seconds: 900 });
    const other = { ...whole.settings, note_prefix: null, objection_property: 'einwand' };
    await app.crm.change({ connection_id, label: 'Nord', settings: other });
    await app.crm.change({ connection_id, label: 'Nord', interval_seconds: 900, settings: other });
    expect(await shown()).toEqual({ label: 'Nord', interval_seconds: 900, settings: other });
    await app.crm.disconnect({ connection_id });
    const entries = await auditEntriesOn(service, team, connection_id);
    expect(entries.map(({ data }) => data)).toEqual([
      { provider: 'feed', label: 'Sales' },
      { changed: ['interval_seconds'], before: { interval_seconds: 600 }, after: { interval_seconds: 900 } },
      { changed: ['label'], before: { label: 'Sales' }, after: { label: null } },
      { changed: ['label', 'settings'], before: { label: null }, after: { label: 'Nord' } },
      { provider: 'feed', label: 'Nord' },
    ]);
  });

  it('refuses a feed to which the team is connected already, and no feed of a former connection or of another team', async () => {
    const { app, feed, id } = await aConnectedTeam();
    const again = () => app.crm.connect({ provider: 'feed', url: feed.url, token });
    await expectRefusal(again(), { code: 'conflict' });
    const other = await inTheApp(await aTeam(service));
    await other.crm.connect({ provider: 'feed', url: feed.url, token });
    await app.crm.disconnect({ connection_id: id });
    await again();
    await expectRefusal(again(), { code: 'conflict' });
  });

  it.each([
    ['a token that the CRM refuses', { status: 401 }, 'token'],
    ['an answer in another form', { status: 200, body: '{"deals":[{}]}' }, 'url'],
    ['an error', { status: 500 }, 'url'],
    ['a wait, which nobody waits for', { status: 429, headers: { 'retry-after': '60' } }, 'url'],
  ])('stores nothing after %s', async (_what, answer, field) => {
    const team = await aTeam(service);
    const feed = await aFeed(() => answer);
    const call = (await inTheApp(team)).crm.connect({ provider: 'feed', url: feed.url, token });
    await expectRefusal(call, invalid(field));
    expect(feed.received).toHaveLength(1);
    expect(await service.database.prisma.crmConnection.count({ where: { tenantId: team.id } })).toBe(0);
  });

  it('can be tried first, which stores nothing and names the field of an error', async () => {
    const team = await aTeam(service);
    const app = await inTheApp(team);
    const feed = await aFeed(({ headers }) =>
      headers.authorization === `Bearer ${token}` ? page({}) : { status: 401, body: '' },
    );
    await app.crm.tryConnection({ provider: 'feed', url: feed.url, token });
    expect(feed.received).toHaveLength(1);
    await expectRefusal(
      app.crm.tryConnection({ provider: 'feed', url: feed.url, token: 'wrong' }),
      invalid('token', expect.stringContaining('refused the access token (401)')),
    );
    await expectRefusal(app.crm.tryConnection({ provider: 'feed', url: 'https://10.0.0.1/', token }), invalid('url'));
    await expectRefusal(app.crm.tryConnection({ provider: 'hubspot', url: feed.url, token }), invalid('url'));
    expect(feed.received).toHaveLength(2);
    expect((await app.crm.connections({})).data).toEqual([]);
  });

  it('to HubSpot reports a missing property as wrong settings', async () => {
    const team = await aTeam(service);
    const { url } = await aFeed(({ path }) =>
      path.includes('/crm/properties/') ? { status: 404 } : { status: 200, body: '{"results":[]}' },
    );
    const settings = { ...defaultSettings, objectionProperty: 'einwand' };
    const tried = tryConnection(await team.acting(), { provider: 'hubspot', url, token, settings });
    await expect(tried).rejects.toMatchObject(invalid('settings', expect.stringContaining('no property of deals')));
  });

  it.each([
    ['hubspot', 'einwand', 401, 'token'],
    ['hubspot', 'einwand', 200, 'settings'],
    ['hubspot', null, 200, 'token'],
    ['hubspot', 'einwand', 500, 'token'],
    ['pipedrive', 'einwand', 200, 'settings'],
    ['pipedrive', null, 200, 'token'],
    ['feed', null, 401, 'token'],
    ['feed', null, 200, 'url'],
    ['feed', null, 500, 'url'],
  ] as const)(
    'to %s with the property %s whose answers are %s and no such form is wrong in its %s',
    async (provider, objectionProperty, status, field) => {
      const team = await aTeam(service);
      const { url } = await aFeed(() => ({ status, body: '[]' }));
      const settings = { ...defaultSettings, objectionProperty };
      const tried = tryConnection(await team.acting(), { provider, url, token, settings });
      await expect(tried).rejects.toMatchObject(invalid(field));
    },
  );

  it.each(['https://10.0.0.1/', 'nothing', undefined])('to the address %s is refused', async (url) => {
    const call = (await inTheApp(await aTeam(service))).crm.connect({ provider: 'feed', url, token });
    await expectRefusal(call, invalid('url'));
  });

  it('refuses a token that is no valid header, and an interval of seven minutes too few', async () => {
    const app = await inTheApp(await aTeam(service));
    const feed = { provider: 'feed', url: 'https://feed.example/' } as const;
    for (const bad of ['two words', 'line\nbreak', 'ümlaut'])
      await expectRefusal(app.crm.connect({ ...feed, token: bad }), invalid('token'));
    await expectRefusal(app.crm.connect({ ...feed, token, interval_seconds: 60 }), 'BAD_REQUEST');
  });

  it('has a limit of ten, of which those that are disconnected are no part', async () => {
    const { team, app, feed } = await aConnectedTeam();
    const connect = (number: number) => app.crm.connect({ provider: 'feed', url: `${feed.url}/${number}`, token });
    for (let count = 1; count < 10; count += 1) await connect(count);
    await expectRefusal(connect(10), invalid('provider', 'A team has at most 10 CRM connections.'));
    expect(await service.database.prisma.crmConnection.count({ where: { tenantId: team.id } })).toBe(10);
    const { data } = await app.crm.connections({});
    expect(data.map(({ url }) => url?.replace(feed.url, ''))).toEqual([
      '/',
      ...Array.from({ length: 9 }, (_, at) => `/${at + 1}`),
    ]);
    await app.crm.disconnect({ connection_id: data[3]?.connection_id ?? '' });
    await connect(10);
    await expectRefusal(connect(11), invalid('provider'));
  });

  it('is not part of the plan basic', async () => {
    const team = await aTeam(service, { plan: 'basic' });
    const feed = await aFeed([{}]);
    const app = await inTheApp(team);
    await expectRefusal(app.crm.connect({ provider: 'feed', url: feed.url, token }), { code: 'api_disabled' });
    await expectRefusal(app.crm.tryConnection({ provider: 'feed', url: feed.url, token }), { code: 'api_disabled' });
    expect(feed.received).toHaveLength(0);
  });

  it.each([
    [
      'larger than 2 MiB',
      () => `{"deals":[],"x":"${'x'.repeat(2 * 1024 ** 2)}"}`,
      'The response is larger than 2 MiB.',
    ],
    ['of more than 100,000 values', () => `{"deals":[],"x":[${'0,'.repeat(100_000)}0]}`, '100,000 values'],
  ])('accepts no answer %s, which would delay the requests of others', async (_what, body, detail) => {
    const feed = await aFeed(() => ({ status: 200, body: body() }));
    const app = await inTheApp(await aTeam(service));
    await expectRefusal(
      app.crm.connect({ provider: 'feed', url: feed.url, token }),
      invalid('url', expect.stringContaining(detail)),
    );
  });
});

describe('a connection', () => {
  it('shows its runs, newest first, with counts and reasons, and its deals', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    await aSync(service, team, id);
    feed.answerWith(() => ({ status: 404 }));
    await aSync(service, team, id);
    const { data } = await app.crm.runs({ connection_id: id });
    expect(data).toMatchObject([
      { outcome: 'failed', kind: 'incremental', reason: 'The CRM answered with status 404.', deals: 0 },
      { outcome: 'ok', kind: 'full', reason: null, deals: 1, objections: 0, deleted: 0, on_demand: true },
    ]);
    const first = await app.crm.runs({ connection_id: id, limit: 1 });
    expect(first.data).toEqual(data.slice(0, 1));
    const second = await app.crm.runs({ connection_id: id, limit: 1, cursor: first.next_cursor ?? '' });
    expect(second).toEqual({ data: data.slice(1), next_cursor: null });
    const connection = await app.crm.connection({ connection_id: id });
    expect(connection).toMatchObject({ last_outcome: 'failed', last_reason: data[0]?.reason, deals: 1, running: null });
    expect((await app.crm.deals({})).data).toMatchObject([{ external_id: 'a', connection_id: id }]);
  });

  it('shows no runs of another connection or team, and the reason of its last run in both languages', async () => {
    const { team, app, id } = await aConnectedTeam();
    const failing = await aFeed(() => ({ status: 404 }));
    const second = (await connectionTo(team, failing.url)).connectionId;
    await aSync(service, team, id);
    await aSync(service, team, second);
    const runsOf = async (connection_id: string, asking = app) => (await asking.crm.runs({ connection_id })).data;
    expect(await runsOf(id)).toMatchObject([{ outcome: 'ok', reason: null, reason_de: null }]);
    const [run, ...more] = await runsOf(second);
    expect([run, more]).toMatchObject([{ outcome: 'failed', reason_de: 'Das CRM antwortete mit dem Status 404.' }, []]);
    const other = await inTheApp(await aTeam(service));
    expect(await runsOf(id, other)).toEqual([]);
    expect((await app.crm.connections({})).data).toMatchObject([
      { connection_id: id, last_outcome: 'ok', last_reason: null, last_reason_de: null },
      { connection_id: second, last_outcome: 'failed', last_reason: run?.reason, last_reason_de: run?.reason_de },
    ]);
  });

  it('shows the sync that runs now, which is not requested once more', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    const input = { connection_id: id };
    const seen: unknown[] = [];
    feed.answerWith(async (request) => {
      if (asked(request).cursor === null) return page({ deals: [{ id: 'a', outcome: 'open' }], next_cursor: '1' });
      await app.crm.syncNow(input);
      seen.push(await app.crm.connection(input));
      return page({});
    });
    const { startedAt } = await aSync(service, team, id);
    const running = { since: startedAt.toISOString(), deals: 1 };
    expect(seen).toMatchObject([{ running, requested: false, next_sync_at: null, last_outcome: null }]);
    expect(await actionsOn(team, id)).toEqual(['created']);
    expect(await app.crm.connection(input)).toMatchObject({ running: null, requested: false, last_outcome: 'ok' });
  });

  it('shows the owner of a deal by name or else by address, and the industry in the reader’s language', async () => {
    const team = await aTeam(service);
    const { userId, email } = await aPerson(team, { name: 'Vera Kauf' });
    const industryId = await aCatalogItem(service, { dimension: 'industry', nameDe: 'Energie', nameEn: 'Energy' });
    const connection = await aCrmConnection(service, team);
    const closeDate = (day: number) => new Date(`2026-11-0${day}`);
    await aDeal(service, team, connection, { ownerUserId: userId, industryId, closeDate: closeDate(3) });
    await aDeal(service, team, connection, { ownerUserId: team.owner.user_id, closeDate: closeDate(2) });
    await aDeal(service, team, connection, { closeDate: closeDate(1) });
    const shownIn = async (language: 'de' | 'en') =>
      (await (await inTheApp(team, undefined, language)).crm.deals({})).data.map((deal) => [deal.owner, deal.industry]);
    const others = [
      [team.owner.email, null],
      [null, null],
    ];
    expect(await shownIn('de')).toEqual([['Vera Kauf', 'Energie'], ...others]);
    expect(await shownIn('en')).toEqual([['Vera Kauf', 'Energy'], ...others]);
    await team.change({ memberDetail: false });
    const hidden = JSON.stringify((await (await inTheApp(team)).crm.deals({})).data);
    for (const text of ['Vera Kauf', team.owner.email, email, userId]) expect(hidden).not.toContain(text);
  });

  it('lists deals by their close date or amount, those without one below all others, and finds them by words, outcome, connection and close date', async () => {
    const team = await aTeam(service);
    const app = await inTheApp(team);
    const [one, two, gone] = [
      await aCrmConnection(service, team),
      await aCrmConnection(service, team),
      await aCrmConnection(service, team, { active: false }),
    ];
    const deal = (connection: string, externalId: string, rest: Parameters<typeof aDeal>[3]) =>
      aDeal(service, team, connection, { externalId, ...rest });
    await deal(one, 'D-1', { title: 'Hall 4, roof', closeDate: new Date('2026-11-30'), amount: '9.5' });
    await deal(two, 'D-2', { title: 'Roof of 50% glass', closeDate: new Date('2026-12-01'), amount: '1000' });
    await deal(one, 'D-3', { title: 'Fleet', outcome: 'won', closeDate: new Date('2026-10-31'), amount: '-20' });
    await deal(two, 'X_4', { outcome: 'lost' });
    await deal(gone, 'D-5', { title: 'Roof', closeDate: new Date('2026-12-24'), amount: '7' });
    type Query = Parameters<typeof app.crm.deals>[0];
    const idsOf = async ({ limit: _limit, cursor: _cursor, sort, ...filters }: Query) => {
      const rows = await allRows((from) => app.crm.deals({ ...filters, sort, limit: 2, ...from }));
      const found = rows.map(({ external_id }) => external_id);
      expect(await app.crm.countDeals(filters)).toEqual({ count: found.length, more: false });
      return found;
    };
    expect(await idsOf({})).toEqual(['D-2', 'D-1', 'D-3', 'X_4']);
    expect(await idsOf({ sort: { by: 'close_date', desc: false } })).toEqual(['X_4', 'D-3', 'D-1', 'D-2']);
    expect(await idsOf({ sort: { by: 'amount', desc: true } })).toEqual(['D-2', 'D-1', 'D-3', 'X_4']);
    expect(await idsOf({ sort: { by: 'amount', desc: false } })).toEqual(['X_4', 'D-3', 'D-1', 'D-2']);
    expect(await idsOf({ search: 'ROOF hall' })).toEqual(['D-1']);
    expect(await idsOf({ search: '50%' })).toEqual(['D-2']);
    expect(await idsOf({ search: 'x_4' })).toEqual(['X_4']);
    expect(await idsOf({ search: 'x%4' })).toEqual([]);
    expect(await idsOf({ outcome: 'won' })).toEqual(['D-3']);
    expect(await idsOf({ connection_id: two })).toEqual(['D-2', 'X_4']);
    expect(await idsOf({ connection_id: gone })).toEqual([]);
    expect(await idsOf({ connection_id: 'none' })).toEqual([]);
    // November of the team, whose days begin in Berlin.
    const november = { since: '2026-11-01T00:00:00+01:00', until: '2026-12-01T00:00:00+01:00' };
    expect(await idsOf(november)).toEqual(['D-1']);
  });

  it('shows objections with the titles of their deals, and none of another team', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    const objection = { id: 'o', deal_id: 'a', category: 'price', text: 'Too expensive.', lang: 'en' };
    feed.answerWith(() => page({ deals: [{ id: 'a', outcome: 'open', title: 'Hall 4' }], objections: [objection] }));
    await aSync(service, team, id);
    const { data } = await app.crm.objections({});
    expect(data).toMatchObject([{ text: 'Too expensive.', deal_title: 'Hall 4', connection_id: id }]);
    const other = await inTheApp(await aTeam(service));
    expect((await other.crm.objections({})).data).toEqual([]);
  });

  it('can be paused, resumed and synced by hand, with audit entries', async () => {
    const { team, app, id } = await aConnectedTeam();
    const input = { connection_id: id };
    await app.crm.pause(input);
    await app.crm.pause(input);
    expect(await row(team, id)).toMatchObject({ status: 'paused', nextSyncAt: null });
    await app.crm.syncNow(input);
    await app.crm.syncNow(input);
    expect((await app.crm.connection(input)).requested).toBe(true);
    await aSync(service, team, id);
    expect(await row(team, id)).toMatchObject({ status: 'paused', nextSyncAt: null, requestedAt: null });
    await app.crm.resume(input);
    expect(await row(team, id)).toMatchObject({ status: 'active', nextSyncAt: expect.any(Date) });
    await app.crm.change({ ...input, label: null, interval_seconds: 3_600 });
    await app.crm.change({ ...input, interval_seconds: 3_600 });
    expect(await actionsOn(team, id)).toEqual(['created', 'paused', 'sync_requested', 'resumed', 'changed']);
  });

  it('that is paused forgets a sync by hand, and stays paused when its token is renewed', async () => {
    const { team, app, id } = await aConnectedTeam();
    const input = { connection_id: id };
    await app.crm.syncNow(input);
    await app.crm.pause(input);
    const paused = { status: 'paused', nextSyncAt: null, requestedAt: null };
    expect(await row(team, id)).toMatchObject(paused);
    await app.crm.renewToken({ ...input, token });
    expect(await row(team, id)).toMatchObject(paused);
  });

  it('that the CRM has refused can be synced by hand, is refused with one audit entry, and can be resumed', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    const input = { connection_id: id };
    feed.answerWith(() => ({ status: 401 }));
    await aSync(service, team, id);
    await aSync(service, team, id);
    expect(await app.crm.connection(input)).toMatchObject({ status: 'credentials_refused', next_sync_at: null });
    await app.crm.syncNow(input);
    expect(await app.crm.connection(input)).toMatchObject({ status: 'credentials_refused', requested: true });
    feed.answerWith(() => page({}));
    await aSync(service, team, id);
    expect(await row(team, id)).toMatchObject({ status: 'active', nextSyncAt: expect.any(Date), requestedAt: null });
    feed.answerWith(() => ({ status: 403 }));
    await aSync(service, team, id);
    await app.crm.resume(input);
    expect(await row(team, id)).toMatchObject({ status: 'active', nextSyncAt: expect.any(Date) });
    const refused = 'credentials_refused';
    expect(await actionsOn(team, id)).toEqual(['created', refused, 'sync_requested', refused, 'resumed']);
  });

  it('is active again after its token was renewed and tried', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    const renewed = 'another-token';
    feed.answerWith(({ headers }) =>
      headers.authorization === `Bearer ${renewed}` ? page({ deals: [{ id: 'b', outcome: 'won' }] }) : { status: 401 },
    );
    expect(await aSync(service, team, id)).toMatchObject({ outcome: 'failed' });
    expect((await app.crm.connection({ connection_id: id })).status).toBe('credentials_refused');
    await expectRefusal(
      app.crm.renewToken({ connection_id: id, token }),
      invalid('token', expect.stringContaining('refused the access token (401)')),
    );
    await app.crm.renewToken({ connection_id: id, token: renewed });
    expect(await row(team, id)).toMatchObject({ status: 'active', nextSyncAt: expect.any(Date) });
    expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', deals: 1 });
    expect(await actionsOn(team, id)).toEqual(['created', 'credentials_refused', 'token_renewed']);
  });

  it('to an address that is private by now: a sync by hand fails, a new token is refused, and no request is made', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    const before = feed.received.length;
    const where = { tenantId_id: { tenantId: team.id, id } };
    await service.database.prisma.crmConnection.update({ where, data: { url: 'https://10.0.0.7/' } });
    await expectRefusal(
      app.crm.renewToken({ connection_id: id, token }),
      invalid('url', expect.stringContaining('10.0.0.7 is not public')),
    );
    await app.crm.syncNow({ connection_id: id });
    const { signal } = new AbortController();
    await syncConnection(service.platform, { tenantId: team.id, connectionId: id }, { signal });
    expect((await app.crm.runs({ connection_id: id })).data).toMatchObject([
      { outcome: 'failed', on_demand: true, reason: 'The address 10.0.0.7 is not public.' },
    ]);
    expect(feed.received).toHaveLength(before);
    await service.database.prisma.crmConnection.update({ where, data: { url: feed.url } });
    await app.crm.syncNow({ connection_id: id });
    await syncConnection(service.platform, { tenantId: team.id, connectionId: id }, { signal });
    expect((await app.crm.runs({ connection_id: id })).data).toMatchObject([{ outcome: 'ok' }, { outcome: 'failed' }]);
  });

  it('of a team that has lost the API accepts no new token and no request for a sync, and sends no request to the CRM', async () => {
    const { team, app, feed, id } = await aConnectedTeam();
    const before = feed.received.length;
    await team.change({ plan: 'basic' });
    await expectRefusal(app.crm.renewToken({ connection_id: id, token: 'another-token' }), { code: 'api_disabled' });
    await expectRefusal(app.crm.syncNow({ connection_id: id }), { code: 'api_disabled' });
    expect(await row(team, id)).toMatchObject({ requestedAt: null });
    expect(feed.received).toHaveLength(before);
  });

  it('that is disconnected shows nothing any more, at once, and has no token', async () => {
    const { team, app, id } = await aConnectedTeam();
    await aSync(service, team, id);
    expect((await team.client.get('/crm/deals')).body['data']).toHaveLength(1);
    await app.crm.disconnect({ connection_id: id });
    expect((await team.client.get('/crm/deals')).body['data']).toEqual([]);
    expect((await app.crm.deals({})).data).toEqual([]);
    expect((await app.crm.connections({})).data).toEqual([]);
    await expectRefusal(app.crm.connection({ connection_id: id }), { code: 'not_found' });
    await expectRefusal(app.crm.syncNow({ connection_id: id }), { code: 'not_found' });
    expect(await row(team, id)).toMatchObject({ credentials: null, active: false });
    expect(await actionsOn(team, id)).toEqual(['created', 'disconnected']);
  });
});
