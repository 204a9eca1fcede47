import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { keyBudget, spend } from '../support/budgets.ts';
import { makeClient } from '../support/client.ts';
import type { Answer } from '../support/client.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { startWiredService } from '../support/wired-service.ts';
import type { Wire } from '../support/wire.ts';

let wire: Wire;
let service: TestService;
let team: TestTeam;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ service, wire, close } = await startWiredService());
  team = await aTeam(service, { members: 1 });
});
afterAll(() => close());

const gate = expect.stringContaining('from gate(');

/** The messages to the database for a request, after everything that is prepared once per process or connection. */
const tripsOf = async (ask: () => Promise<Answer>, status: number): Promise<string[][]> => {
  for (let warmed = 0; warmed < 3; warmed += 1) await ask();
  wire.takeRoundTrips();
  expect((await ask()).status).toBe(status);
  return wire.takeRoundTrips();
};

describe('an assistant with a forged token', () => {
  it('costs the gate alone, which counts it for its address, and no query once the address is over its limit', async () => {
    const limited = await startWiredService({ ANON_RATE_PER_MIN: '5' });
    onTestFinished(limited.close);
    const forged = async () => {
      const headers = { Authorization: `Bearer svca_${'B'.repeat(43)}` };
      const response = await fetch(`${limited.service.origin}/mcp`, { method: 'POST', headers });
      await response.text();
      return response;
    };
    expect((await forged()).status).toBe(401);
    limited.wire.takeRoundTrips();
    expect((await forged()).status).toBe(401);
    expect(limited.wire.takeRoundTrips()).toEqual([[gate]]);
    while ((await forged()).status === 401);
    limited.wire.takeRoundTrips();
    const refused = await forged();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(limited.wire.takeRoundTrips()).toEqual([]);
  });
});

describe('round trips to the database', () => {
  it('GET /users/{member_id}: two, one of them the gate', async () => {
    const trips = await tripsOf(() => team.client.get(`/users/${team.members[0]?.id ?? ''}`), 200);
    expect(trips).toEqual([[gate], [expect.stringContaining('from member m where m.tenant_id = wanted.tenant_id')]]);
  });

  it('GET /users: two, one of them the gate', async () => {
    expect(await tripsOf(() => team.client.get('/users?limit=50'), 200)).toEqual([
      [gate],
      [expect.stringContaining('from member')],
    ]);
  });

  it('GET /me: the gate alone', async () => {
    expect(await tripsOf(() => team.client.get('/me'), 200)).toEqual([[gate]]);
  });

  it.each<[what: string, status: number, ask: () => Promise<Answer>]>([
    ['an unknown path', 404, () => team.client.get('/nowhere')],
    ['something that is no id', 404, () => team.client.get('/users/nobody')],
    ['values that can’t be', 422, () => team.client.get('/users?limit=0')],
    ['a body that can’t be', 422, () => team.client.post('/users', {}, { headers: { 'Idempotency-Key': 'x' } })],
    ['no key', 401, () => makeClient(service.baseUrl).get('/me')],
    ['a malformed key', 401, () => makeClient(service.baseUrl, 'x').get('/me')],
    [
      'an unknown key',
      401,
      () => makeClient(service.baseUrl, `svck_live_${'x'.repeat(12)}_${'y'.repeat(43)}`).get('/me'),
    ],
  ])('%s: the gate alone', async (_what, status, ask) => {
    expect(await tripsOf(ask, status)).toEqual([[gate]]);
  });

  it('over the limit: the gate alone, which then only reads', async () => {
    const { id, text } = await team.aKey();
    const client = makeClient(service.baseUrl, text);
    await spend(service, keyBudget(id), 120);
    expect(await tripsOf(() => client.get('/me'), 429)).toEqual([[gate]]);
  });
});
