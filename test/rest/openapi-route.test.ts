import { describe, expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';

const service = await useTestService();

const path = '/openapi.v1.json';
const ask = (headers: Record<string, string> = {}, method = 'GET') =>
  makeClient(service.baseUrl).request(method, path, { headers });

describe('openapi.v1.json', () => {
  it('200: without a key, with an ETag', async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.body['openapi']).toBe('3.1.0');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('etag')).toMatch(/^(W\/)?"[\w-]{20,}"$/);
    expect((await ask()).headers.get('etag')).toBe(answer.headers.get('etag'));
    expectApiHeaders(answer);
  });

  it('304: to a client that has it, with any form of If-None-Match', async () => {
    const etag = (await ask()).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, `${etag},"y"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask({ 'If-None-Match': known, 'Cache-Control': 'no-cache' }, method);
        expect(answer.status).toBe(304);
        expect(answer.text).toBe('');
        expect(answer.headers.get('etag')).toBe(etag);
        expectApiHeaders(answer);
      }
    }
    for (const other of ['', '"x"', etag.slice(1, -1), etag.slice(0, -2)]) {
      expect((await ask({ 'If-None-Match': other })).status).toBe(200);
    }
  });

  it('204: OPTIONS, without a key as well', async () => {
    const answer = await ask({}, 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('can be read with a key that is refused everywhere else', async () => {
    const team = await aTeam(service);
    await team.change({ status: 'suspended' });
    expect(await team.client.get('/me')).toBeProblem('api_disabled');
    expect((await team.client.get(path)).status).toBe(200);
  });
});
