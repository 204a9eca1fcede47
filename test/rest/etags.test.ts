import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { existsSync, readdirSync } from 'node:fs';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface Got {
  status: number | undefined;
  etag: string | undefined;
  encoding: string | undefined;
  vary: string | undefined;
}

/** Asks without a client that sets or unpacks encodings by itself. */
const ask = (path: string, headers: Record<string, string>): Promise<Got> =>
  new Promise((resolve, reject) => {
    request(`${service.origin}${path}`, { headers, agent: false }, (response) => {
      const { etag, vary, 'content-encoding': encoding } = response.headers;
      response.resume().on('end', () => resolve({ status: response.statusCode, etag, encoding, vary }));
    })
      .on('error', reject)
      .end();
  });

const encodings = ['identity', 'gzip', 'br'];

const assets = 'dist/web/assets';
const script = existsSync(assets) ? readdirSync(assets).find((name) => name.endsWith('.js.br')) : undefined;

describe.each([
  ['the OpenAPI document', '/api/public/v1/openapi.v1.json'],
  ...(script === undefined ? [] : [['a script of the app', `/assets/${script.slice(0, -3)}`]]),
])('%s', (_what, path = '') => {
  it('has an ETag for each encoding, and a Vary that says so', async () => {
    const got = await Promise.all(encodings.map((encoding) => ask(path, { 'Accept-Encoding': encoding })));
    expect(got.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(got.map(({ encoding }) => encoding ?? 'identity')).toEqual(encodings);
    expect(new Set(got.map(({ etag }) => etag)).size).toBe(3);
    for (const { etag, vary } of got) {
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(vary).toContain('Accept-Encoding');
    }
  });

  it('is not sent again to a client that has it in any encoding', async () => {
    for (const known of encodings) {
      const { etag = '' } = await ask(path, { 'Accept-Encoding': known });
      for (const encoding of encodings) {
        const headers = { 'Accept-Encoding': encoding, 'If-None-Match': `"x", W/${etag}`, 'Cache-Control': 'no-cache' };
        const again = await ask(path, headers);
        expect([again.status, again.etag, again.encoding]).toEqual([304, etag, undefined]);
      }
      const { status } = await ask(path, { 'Accept-Encoding': known, 'If-None-Match': `${etag.slice(0, -2)}"` });
      expect(status).toBe(200);
    }
  });
});
