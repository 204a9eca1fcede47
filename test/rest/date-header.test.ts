import { beforeEach, describe, expect, it } from 'vitest';
import { basePath } from '../../src/core/product.ts';
import { makeClient } from '../support/client.ts';
import { makeBrowser, testPassword, type BrowserSession } from '../support/people.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { say, wire } from './raw-http.ts';
import { useTestApi } from './test-api.ts';

// Programs begin their next read from the `Date` header of the last one (page Keep a copy). The service's clock is three
// days ahead of the machine's here, as in a sandbox that was moved. It stands still, so that the header is exact.

const threeDays = 3 * 86_400_000;
const maintenance: { current: { retryAfterSeconds: number } | undefined } = { current: undefined };
const service = await useTestService({ maintenance });
const testApi = await useTestApi(service);
service.clock.forward(threeDays);
service.clock.stop();
const team = await aTeam(service, { ownerEmail: anEmail('owner'), ownerPassword: testPassword });
const site = makeClient(service.origin, team.client.key);

const anOwner = async (): Promise<BrowserSession> => {
  const browser = makeBrowser(service);
  expect((await browser.signIn(team.owner.email, testPassword)).status).toBe(200);
  return browser;
};

interface Dated {
  status: number;
  headers: Headers;
}

const sent = async (bytes: string): Promise<Dated> => {
  const [answer, ...more] = await say(service.origin, bytes);
  expect(more).toEqual([]);
  return answer ?? expect.fail('there is no answer');
};

const ways: Record<string, [status: number, ask: () => Promise<Dated>]> = {
  'the public API': [200, () => team.client.get('/me')],
  'HEAD, which has no body': [200, () => team.client.request('HEAD', '/users')],
  OPTIONS: [204, () => team.client.request('OPTIONS', '/users')],
  'a new row': [201, () => team.client.post('/cases', { user_id: team.owner.user_id })],
  'a request without a key': [401, () => makeClient(service.baseUrl).get('/me')],
  'a path that is nothing': [404, () => team.client.get('/nothing')],
  'a path that can’t be decoded': [404, () => team.client.get('/users/%ff')],
  'an invalid value': [422, () => team.client.get('/users?limit=0')],
  'a description that the client has': [
    304,
    async () => {
      const { headers } = await site.get(`${basePath}/openapi.v1.json`);
      const known = { 'If-None-Match': headers.get('etag') ?? '' };
      return site.get(`${basePath}/openapi.v1.json`, { headers: known });
    },
  ],
  'an error of ours': [500, () => makeClient(testApi.baseUrl, team.client.key).get('/crash')],
  'a page of the documentation': [200, () => site.get('/developers/en/quick-start.md')],
  'a file of examples': [200, () => site.get('/developers/examples/keep-a-copy.mts')],
  'a procedure of the app': [200, () => makeBrowser(service).query('entrance/entrance.who')],
  'a procedure that is refused': [422, () => makeBrowser(service).signIn(team.owner.email, 'not the password')],
  'the file of an export, which is a stream': [
    200,
    async () => {
      const owner = await anOwner();
      const { data } = await owner.mutate('app/teamExport.allow', {}, { team: team.id });
      const answer = await owner.fetch(String(data['path']));
      await answer.arrayBuffer();
      return answer;
    },
  ],
  'an assistant': [
    200,
    () =>
      site.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { headers: { Accept: 'application/json, text/event-stream' } },
      ),
  ],
  'an assistant without a token': [401, () => makeClient(service.origin).post('/mcp', {})],
  health: [200, () => site.get('/healthz')],
  readiness: [200, () => site.get('/readyz')],
  'bytes that are not HTTP': [400, () => sent('hello\r\n\r\n')],
  'a request without a host': [400, () => sent(`GET ${basePath}/me HTTP/1.1\r\n\r\n`)],
  'too many headers': [
    431,
    () => sent(`GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'A: b\r\n'.repeat(100)}\r\n`),
  ],
  'an expectation that is ignored': [
    200,
    () => sent(wire('GET', '/healthz', { Expect: 'a miracle', Connection: 'close' })),
  ],
  maintenance: [
    503,
    async () => {
      maintenance.current = { retryAfterSeconds: 1 };
      return team.client.get('/me');
    },
  ],
};

describe('the Date header shows the service’s clock in the answer to', () => {
  beforeEach(() => {
    maintenance.current = undefined;
  });

  it.each(Object.entries(ways))('%s', async (_what, [status, ask]) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('date')).toBe(service.clock.now().toUTCString());
  });

  it('a request that waited: when the answer was sent', async () => {
    const asked = makeClient(testApi.baseUrl, team.client.key).get('/wait');
    await testApi.barrier.reached(1);
    service.clock.forward(20_000);
    testApi.barrier.open();
    expect((await asked).headers.get('date')).toBe(service.clock.now().toUTCString());
  });

  it('a request while the database can’t be reached', async () => {
    const own = await startTestService({ own: true });
    own.clock.forward(threeDays);
    own.clock.stop();
    await own.database.close();
    const answer = await makeClient(own.origin).get('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('date')).toBe(own.clock.now().toUTCString());
    await own.close().catch(() => undefined);
  });
});
