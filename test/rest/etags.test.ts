import { describe, expect, it } from 'vitest';
import { existsSync, readdirSync } from 'node:fs';
import { rawRequest } from '../support/client.ts';
import { useTestService } from '../support/service.ts';

const service = await useTestService();

/** The answer to a client that sets no encoding by itself. */
const ask = async (path: string, headers: Record<string, string>) => {
  const answer = await rawRequest(`${service.origin}${path}`, { headers: Object.entries(headers).flat() });
  const [etag, encoding, vary] = ['etag', 'content-encoding', 'vary'].map((name) => answer.headers.get(name));
  return { status: answer.status, etag: etag ?? '', encoding: encoding ?? undefined, vary };
};

const encodings = ['identity', 'gzip', 'br'];

const assets = 'dist/web/assets';
const script = existsSync(assets) ? readdirSync(assets).find((name) => name.endsWith('.js.br')) : undefined;

describe.skipIf(script === undefined)('the built app', () => {
  it('is revalidated each time, and its files, whose names change with their content, never', async () => {
    const cached = async (path: string) =>
      (await fetch(`${service.origin}${path}`, { headers: { Accept: 'text/html' } })).headers.get('cache-control');
    expect(await Promise.all(['/', '/members'].map(cached))).toEqual(['no-cache', 'no-cache']);
    expect(await cached(`/assets/${script?.slice(0, -3)}`)).toBe('public, max-age=31536000, immutable');
  });
});

describe('a file of another version of the app', () => {
  it.each(['*/*', 'text/html'])(
    'is not found, and nothing is cached in its place (requested with %s)',
    async (accept) => {
      const answer = await fetch(`${service.origin}/assets/members-0ld-Hash.js`, { headers: { Accept: accept } });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
      expect(answer.headers.get('content-type')).toContain('json');
    },
  );
});

describe.each([
  ['the OpenAPI document', '/api/public/v1/openapi.v1.json'],
  ['a page of the documentation', '/developers/en/limits'],
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

  it('is sent to browsers as Brotli, though they name gzip first', async () => {
    expect((await ask(path, { 'Accept-Encoding': 'gzip, deflate, br, zstd' })).encoding).toBe('br');
  });

  it('is not sent again to a client that has it in any encoding', async () => {
    for (const known of encodings) {
      const { etag } = await ask(path, { 'Accept-Encoding': known });
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
