import { describe, expect, it, vi } from 'vitest';
import { makeLifecycle } from '../../src/server/http/request-context.ts';
import { makeClient } from '../support/client.ts';
import { startTestService, useTestService } from '../support/service.ts';

const service = await useTestService({ own: true });

const ask = (path: string, method = 'GET') => makeClient(service.origin).request(method, path);

describe('health', () => {
  it('/healthz and /readyz need no key, are not cached, and use no budget', async () => {
    for (const [path, status] of [
      ['/healthz', 'ok'],
      ['/readyz', 'ready'],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(path, method);
        expect(answer.status).toBe(200);
        expect(answer.text).toBe(method === 'GET' ? JSON.stringify({ status }) : '');
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.has('x-powered-by')).toBe(false);
        expect(answer.headers.has('ratelimit-limit')).toBe(false);
      }
      expect(await ask(path, 'POST')).toBeProblem('not_found');
      expect(await ask(`${path}/`)).toBeProblem('not_found');
      expect(await ask(path.toUpperCase())).toBeProblem('not_found');
    }
    const { rateWindow, requestBudget } = service.database.prisma;
    expect([await rateWindow.count(), await requestBudget.count()]).toEqual([0, 0]);
  });

  it('/readyz sends one query at a time to the database, however many requests there are', async () => {
    let answer = (_accepted: boolean) => {};
    const asked = vi
      .spyOn(service.platform.database, 'acceptsWrites')
      .mockImplementation(() => new Promise((resolve) => (answer = resolve)));
    const answers = Array.from({ length: 30 }, () => ask('/readyz'));
    await expect.poll(() => asked).toHaveBeenCalled();
    // When these later requests are answered, all earlier ones have arrived too.
    await Promise.all(Array.from({ length: 30 }, () => ask('/healthz')));
    expect(asked).toHaveBeenCalledTimes(1);
    const stop = setInterval(() => answer(true), 5);
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    clearInterval(stop);
    asked.mockRestore();
    expect((await ask('/readyz')).status).toBe(200);
  });

  it('/readyz answers 503 while the database is unavailable, /healthz does not', async () => {
    const own = await startTestService({ own: true });
    await own.database.close();
    const ready = await makeClient(own.origin).get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.body).toEqual({ status: 'unavailable' });
    expect((await makeClient(own.origin).get('/healthz')).status).toBe(200);
    await own.close().catch(() => undefined);
  });

  it('/readyz answers 503 before the service is ready and when it is leaving', async () => {
    const own = await startTestService({ databaseUrl: service.databaseUrl, ready: false });
    const early = await makeClient(own.origin).get('/readyz');
    expect([early.status, early.body]).toEqual([503, { status: 'starting' }]);
    own.lifecycle.ready();
    expect((await makeClient(own.origin).get('/readyz')).status).toBe(200);
    own.lifecycle.leaving();
    const late = await makeClient(own.origin).get('/readyz');
    expect([late.status, late.body]).toEqual([503, { status: 'stopping' }]);
    await own.close();
  });

  it('a service that stops is never ready again', () => {
    const lifecycle = makeLifecycle();
    expect(lifecycle.state).toBe('starting');
    lifecycle.ready();
    expect(lifecycle.state).toBe('ready');
    lifecycle.leaving();
    lifecycle.ready();
    expect(lifecycle.state).toBe('leaving');
    lifecycle.stopping();
    lifecycle.ready();
    lifecycle.leaving();
    expect(lifecycle.state).toBe('stopping');
  });
});
