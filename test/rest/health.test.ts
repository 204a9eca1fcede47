import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLifecycle } from '../../src/platform/lifecycle.ts';
import { makeClient } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ask = (path: string, method = 'GET') => makeClient(service.origin).request(method, path);

describe('health', () => {
  it('/healthz and /readyz need no key, are not kept by anybody, and touch no budget', async () => {
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
    const windows = await service.database.prisma.rateWindow.count();
    expect(windows).toBe(0);
  });

  it('/readyz says 503 while the database is away, /healthz does not care', async () => {
    const own = await startTestService();
    await own.database.close();
    const ready = await makeClient(own.origin).get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.body).toEqual({ status: 'unavailable' });
    expect((await makeClient(own.origin).get('/healthz')).status).toBe(200);
    await own.close().catch(() => undefined);
  });

  it('/readyz says 503 before the service is ready and once it stops', async () => {
    const own = await startTestService({ databaseUrl: service.databaseUrl, ready: false });
    const early = await makeClient(own.origin).get('/readyz');
    expect([early.status, early.body]).toEqual([503, { status: 'starting' }]);
    own.lifecycle.ready();
    expect((await makeClient(own.origin).get('/readyz')).status).toBe(200);
    own.lifecycle.stopping();
    const answer = await makeClient(own.origin).get('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ status: 'stopping' });
    expect((await makeClient(own.origin).get('/healthz')).status).toBe(200);
    await own.close();
  });

  it('a service that stops is never ready again', () => {
    const lifecycle = makeLifecycle();
    expect(lifecycle.state).toBe('starting');
    lifecycle.ready();
    expect(lifecycle.state).toBe('ready');
    lifecycle.stopping();
    lifecycle.ready();
    expect(lifecycle.state).toBe('stopping');
  });
});
