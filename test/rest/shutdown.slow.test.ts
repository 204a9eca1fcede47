import { describe, expect, it } from 'vitest';
import { keyBudget } from '../support/budgets.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { rawConnection, wire } from './raw-http.ts';
import { startTestApi } from './test-api.ts';

const base = '/api/public/v1';
const service = await useTestService({ own: true });

/** An API that the test stops, and a key for it. */
const anApi = async () => {
  const testApi = await startTestApi(service);
  const { id: keyId, text: key } = await (await aTeam(service)).aKey();
  return { testApi, keyId, key, authorization: { Authorization: `Bearer ${key}` } };
};

const untilListenerClosed = ({ origin }: { origin: string }) => {
  const asked = () =>
    makeClient(origin)
      .get('/healthz')
      .then(Boolean, () => false);
  return expect.poll(asked).toBe(false);
};

describe('stopping a server', () => {
  it('first serves on, and closes connections with their answers, while proxies notice that it is not ready', async () => {
    const { testApi, authorization } = await anApi();
    testApi.lifecycle.leaving();
    expect((await makeClient(testApi.origin).get('/readyz')).status).toBe(503);
    const kept = rawConnection(testApi.origin);
    kept.send(wire('GET', `${base}/echo/fixed`, authorization));
    const [answer, ...behind] = await kept.untilClosed();
    expect([answer?.status, answer?.headers.get('connection'), behind]).toEqual([200, 'close', []]);
    testApi.lifecycle.stopping();
    await testApi.drain(1_000);
  });

  it('answers what still comes until its listener is closed, finishes running requests, then closes everything', async () => {
    const { testApi, key, authorization } = await anApi();
    const running = rawConnection(testApi.origin);
    running.send(wire('GET', `${base}/wait`, authorization));
    const idle = rawConnection(testApi.origin);
    idle.send(wire('GET', `${base}/echo/fixed`, authorization));
    expect((await idle.next()).status).toBe(200);
    const silent = rawConnection(testApi.origin);
    await testApi.barrier.reached(1);

    testApi.lifecycle.stopping();
    let drained = false;
    const draining = testApi.drain(10_000).then(() => (drained = true));

    const inTime = [
      makeClient(testApi.baseUrl, key).get('/echo/fixed'),
      makeClient(testApi.baseUrl, key).post('/echo', { text: 'x' }),
      makeClient(testApi.origin).get('/healthz'),
      makeClient(testApi.origin).get('/readyz'),
    ];
    const answers = await Promise.all(inTime);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503]);
    expect(answers.map(({ headers }) => headers.get('connection'))).toEqual(answers.map(() => 'close'));
    expect(answers.at(-1)?.body).toEqual({ status: 'stopping' });
    await expect(makeClient(testApi.origin).get('/healthz')).rejects.toThrow('fetch failed');

    // On a connection from before.
    idle.send(wire('GET', `${base}/echo/fixed`, authorization));
    const [onKept, ...behind] = await idle.untilClosed();
    expect([onKept?.status, onKept?.headers.get('connection'), behind]).toEqual([200, 'close', []]);
    if (onKept) expectApiHeaders(onKept);
    expect(drained).toBe(false);

    testApi.barrier.open();
    const [waited] = await running.untilClosed();
    // A proxy would send the next request on a connection that stays open, and lose it.
    expect([waited?.body, waited?.headers.get('connection')]).toEqual([{ text: 'waited' }, 'close']);
    await draining;
    await expect(silent.untilClosed()).resolves.toEqual([]);
    await expect(makeClient(testApi.origin).get('/healthz')).rejects.toThrow('fetch failed');
  });

  it('sends a long answer completely, to a client that reads it slowly', async () => {
    const { testApi, keyId, authorization } = await anApi();
    const reader = rawConnection(testApi.origin);
    reader.pause();
    reader.send(wire('GET', `${base}/large/20000000`, authorization));
    const where = { subject: keyBudget(keyId) };
    await expect.poll(() => service.database.prisma.requestBudget.count({ where })).toBe(1); // it was admitted
    testApi.lifecycle.stopping();
    const draining = testApi.drain(10_000);
    await untilListenerClosed(testApi);
    reader.resume();
    expect((await reader.next()).text).toHaveLength(20_000_011);
    await draining;
  });

  it('waits for a request with an expectation, like for any other', async () => {
    const { testApi, authorization } = await anApi();
    const expecting = rawConnection(testApi.origin);
    expecting.send(wire('GET', `${base}/wait`, { ...authorization, Expect: 'patience' }));
    await testApi.barrier.reached(1);
    const draining = testApi.drain(10_000);
    await untilListenerClosed(testApi);
    testApi.barrier.open();
    expect((await expecting.next()).body).toEqual({ text: 'waited' });
    await draining;
  });

  it('waits no longer than its limit, also for queued requests and those with an expectation', async () => {
    const { testApi, authorization } = await anApi();
    const stuck = rawConnection(testApi.origin);
    const wait = wire('GET', `${base}/wait`, { ...authorization, Expect: 'patience' });
    stuck.send(wait + wait);
    await testApi.barrier.reached(2);
    testApi.lifecycle.stopping();
    await testApi.drain(300);
    expect(await stuck.untilClosed().catch(() => [])).toEqual([]);
    testApi.barrier.open();
  });

  it('waits no longer than its limit for clients that do not read their answer or do not send their body', async () => {
    const testApi = await startTestApi(service);
    const team = await aTeam(service);
    const unread = rawConnection(testApi.origin);
    unread.pause();
    const incomplete = rawConnection(testApi.origin);
    const [reading, sending] = [await team.aKey(), await team.aKey()];
    const as = ({ text }: { text: string }) => ({ Authorization: `Bearer ${text}` });
    unread.send(wire('GET', `${base}/large/20000000`, as(reading)));
    const headers = { ...as(sending), 'Content-Type': 'application/json', 'Content-Length': '100' };
    incomplete.send(wire('POST', `${base}/echo`, headers, '{"text"'));
    const where = { subject: { in: [reading, sending].map(({ id }) => keyBudget(id)) } };
    await expect.poll(() => service.database.prisma.requestBudget.count({ where })).toBe(2); // both were admitted
    testApi.lifecycle.stopping();
    await testApi.drain(300);
    expect(await incomplete.untilClosed()).toEqual([]);
    unread.resume();
    await expect(unread.next()).rejects.toThrow('closed after');
  });

  it('is not delayed by a client that disconnected', async () => {
    const { testApi, authorization } = await anApi();
    const gone = rawConnection(testApi.origin);
    const wait = wire('GET', `${base}/wait`, authorization);
    gone.send(wait + wait + wait);
    await testApi.barrier.reached(3);
    const draining = testApi.drain(60_000);
    gone.hangUp();
    await expect(draining).resolves.toBeUndefined();
    testApi.barrier.open();
  });
});
