import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { problemOf } from '../../src/db/unavailable.ts';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { makeBrowser, type BrowserSession, testPassword } from '../support/people.ts';
import { makeClient } from '../support/client.ts';
import { anAssistant, type Assistant } from '../support/assistants.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { patience } from '../support/patience.ts';

const telemetry = noopTelemetry();
const service = await useTestService({ own: true, telemetry });
const { database } = service;

/** Takes connections until it is released; `failed` has what could not get one. */
const aHold = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held: Promise<unknown>[] = [];
  let begun = 0;
  const hold = () => {
    begun += 1;
    return promise;
  };
  return {
    transaction: (group?: string) => {
      const one = database.transaction(hold, group === undefined ? {} : { group });
      one.catch(() => undefined);
      held.push(one);
      return one;
    },
    read: (group: string) => held.push(database.reading(group, hold)),
    // Also in hooks, where `expect.poll` can't be.
    begun: (count: number) => vi.waitFor(() => expect(begun).toBe(count), patience),
    release: async () => {
      resolve();
      await Promise.allSettled(held);
    },
  };
};

/** In the service of the tests, 12 connections: 9 for transactions, 8 for reads. One team gets half of each. */
const ofAll = { transactions: 9, reads: 8 };
const ofOneTeam = { transactions: 5, reads: 4, waiting: 200 };

interface Refusal {
  status: number;
  code: unknown;
  retryAfter: unknown;
  /** What the caller reads about it. */
  said: string;
  headers?: Headers;
}

let team: TestTeam;
let browser: BrowserSession;
let assistant: Assistant;
let person: string;

beforeAll(async () => {
  team = await aTeam(service, { ownerEmail: anEmail('owner'), ownerPassword: testPassword });
  person = team.owner.user_id;
  browser = makeBrowser(service);
  await browser.signIn(team.owner.email, testPassword);
  assistant = await anAssistant(service, (await team.aKey()).text);
  // The first calls look up more than later ones.
  await browser.query('app/team.settings', {}, { team: team.id });
  await assistant.call('find_member', { search: 'nobody' });
});

const overRest =
  (method: string, path: () => string, body?: () => unknown, headers: Record<string, string> = {}) =>
  async (): Promise<Refusal> => {
    const answer = await makeClient(service.baseUrl, team.client.key).request(method, path(), {
      headers,
      ...(body && { body: body() }),
    });
    const { code, retry_after, detail } = answer.body;
    return {
      status: answer.status,
      code,
      retryAfter: answer.headers.get('retry-after') ?? undefined,
      said: `${String(detail)} ${String(retry_after)}`,
      headers: answer.headers,
    };
  };

const inApp = (kind: 'query' | 'mutate', path: string, input: () => object) => async (): Promise<Refusal> => {
  const { status, problem } = await browser[kind](path, input(), {
    team: team.id,
    headers: { 'Accept-Language': 'en' },
  });
  const { code, retry_after, title, detail } = problem;
  return { status, code, retryAfter: retry_after, said: `${String(title)}. ${String(detail)}` };
};

const byAssistant = (tool: string, given: () => Record<string, unknown>) => async (): Promise<Refusal> => {
  const { isError, texts, data } = await assistant.call(tool, given());
  expect(isError).toBe(true);
  return { status: 200, code: data['code'], retryAfter: data['retry_after'], said: texts[0] ?? '' };
};

const aCase = () => ({ user_id: person, title: randomUUID() });
const repeatable = { 'Idempotency-Key': randomUUID() };
const nothing = () => `/webhook-endpoints/${randomUUID()}`;

const sentence = /more requests at once than its share of the service allows/;

/** Every way in, reads and writes. */
const ways = [
  { way: 'GET', ask: overRest('GET', () => '/users') },
  { way: 'GET of one row', ask: overRest('GET', () => `/users/${team.owner.member_id}`) },
  { way: 'GET of events', ask: overRest('GET', () => '/events?wait=1') },
  { way: 'POST', ask: overRest('POST', () => '/cases', aCase) },
  {
    way: 'POST with an Idempotency-Key',
    ask: overRest(
      'POST',
      () => '/cases',
      () => ({ user_id: person }),
      repeatable,
    ),
  },
  { way: 'PATCH', ask: overRest('PATCH', nothing, () => ({ description: 'x' })) },
  { way: 'DELETE', ask: overRest('DELETE', nothing) },
  { way: 'a query of the app', ask: inApp('query', 'app/members.list', () => ({})) },
  { way: 'a query of the API in the app', ask: inApp('query', 'api/cases.list', () => ({})) },
  { way: 'a change in the app', ask: inApp('mutate', 'app/team.change', () => ({ name: 'Other' })) },
  { way: 'a tool that reads', ask: byAssistant('find_member', () => ({ search: 'x' })) },
  {
    way: 'a tool that adds',
    ask: byAssistant('create_case', () => ({ member_id: team.owner.member_id, title: 'x', fields: {} })),
  },
];

const askAll = async () => new Map(await Promise.all(ways.map(async ({ way, ask }) => [way, await ask()] as const)));

describe('while a team uses its whole share of the connections, and waits for more', () => {
  const hold = aHold();
  let refusals: ReadonlyMap<string, Refusal>;
  let waited: PromiseSettledResult<unknown>[];
  let other: TestTeam;
  const others: number[] = [];

  beforeAll(async () => {
    other = await aTeam(service);
    for (let at = 0; at < ofOneTeam.transactions; at += 1) void hold.transaction(team.id);
    for (let at = 0; at < ofOneTeam.reads; at += 1) hold.read(team.id);
    await hold.begun(ofOneTeam.transactions + ofOneTeam.reads);
    const waiting = Array.from({ length: ofOneTeam.waiting - 10 }, () => hold.transaction(team.id));
    const asked = askAll();
    others.push((await other.client.get('/users')).status);
    others.push((await other.client.post('/cases', { user_id: other.owner.user_id, title: 'Calm' })).status);
    others.push((await other.client.delete(nothing())).status);
    refusals = await asked;
    waited = await Promise.allSettled(waiting);
  }, 30_000);
  afterAll(() => hold.release());

  it.each(ways)('$way: 429 that says why, with Retry-After', ({ way }) => {
    const refusal = refusals.get(way);
    const isTool = way.includes('tool');
    expect(refusal).toMatchObject({
      status: isTool ? 200 : 429,
      code: 'rate_limited',
      said: expect.stringMatching(sentence),
    });
    expect(Number(refusal?.retryAfter)).toBe(5);
    if (isTool) expect(refusal?.said).toContain('Try again in 5 seconds.');
    const { headers } = refusal ?? {};
    if (!headers) return;
    expect(refusal?.said).toMatch(/ 5$/); // retry_after in the body
    // The budgets are not used up, and the headers say so.
    expect(Number(headers.get('ratelimit-remaining'))).toBeGreaterThan(0);
    expect(headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+, "team";r=\d+;t=\d+$/);
  });

  it('other teams are answered', () => expect(others).toEqual([200, 201, 404]));

  it('a job of the team gets an error after which it tries again', () => {
    expect(new Set(waited.map(({ status }) => status))).toEqual(new Set(['rejected']));
    const [first] = waited;
    expect(problemOf(first?.status === 'rejected' ? first.reason : undefined)).toMatchObject({ code: 'rate_limited' });
  });

  it('the log and the metrics tell these from requests beyond a budget', async () => {
    const lines = service.logged().filter(({ tenant_id, msg }) => tenant_id === team.id && msg === 'request');
    const refused = lines.filter(({ code }) => code === 'rate_limited');
    expect(refused).toHaveLength(ways.length);
    expect(refused.every(({ own_share_in_use }) => own_share_in_use === true)).toBe(true);
    const text = await telemetry.meter.text();
    expect(text).toContain('team_api_own_share_refusals_total{route="/users"} 1');
    expect(text).not.toContain('team_api_gate_refusals_total{code="rate_limited"}');
    // A request beyond a budget is no request beyond a share.
    const limited = await aTeam(service, { rateLimit: 1 });
    await limited.client.get('/me');
    expect((await limited.client.get('/me')).status).toBe(429);
    await expect
      .poll(() => service.logged().filter(({ tenant_id, status }) => tenant_id === limited.id && status === 429))
      .toEqual([expect.not.objectContaining({ own_share_in_use: true })]);
  });

  it('a POST with an Idempotency-Key has stored nothing: repeated later, it runs', async () => {
    await hold.release();
    const repeated = await makeClient(service.baseUrl, team.client.key).post(
      '/cases',
      { user_id: person },
      { headers: repeatable },
    );
    expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

describe('while other teams use all connections', () => {
  const hold = aHold();
  let refusals: ReadonlyMap<string, Refusal>;

  beforeAll(async () => {
    for (let at = 0; at < ofAll.transactions; at += 1) void hold.transaction(`other ${at}`);
    for (let at = 0; at < ofAll.reads; at += 1) hold.read(`other ${at}`);
    await hold.begun(ofAll.transactions + ofAll.reads);
    refusals = await askAll();
  }, 30_000);
  afterAll(() => hold.release());

  it.each(ways)('$way: 503, because it is no fault of the team', ({ way }) => {
    const refusal = refusals.get(way);
    expect(refusal).toMatchObject({ status: way.includes('tool') ? 200 : 503, code: 'unavailable' });
    expect(refusal?.said).not.toMatch(sentence);
    if (refusal?.headers) expect(Number(refusal.retryAfter)).toBeGreaterThan(0);
  });
});

it('what runs for no team is of many callers: beyond their common share it is 503', async () => {
  const hold = aHold();
  for (let at = 0; at < ofOneTeam.transactions + ofOneTeam.waiting; at += 1) void hold.transaction();
  await hold.begun(ofOneTeam.transactions);
  const refused: unknown = await hold.transaction().catch((error: unknown) => error);
  expect(problemOf(refused)).toMatchObject({ code: 'unavailable' });
  await hold.release();
});
