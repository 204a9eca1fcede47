import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { rawRequest } from '../support/client.ts';
import { aSignedInPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { useTestApi } from './test-api.ts';

const service = await useTestService();
const testApi = await useTestApi(service);
const key = (await (await aTeam(service)).aKey()).text;

/** The answer to a client that does not decompress by itself. */
const ask = (path: string, accepted?: string) =>
  rawRequest(`${testApi.baseUrl}${path}`, {
    headers: ['Authorization', `Bearer ${key}`, ...(accepted === undefined ? [] : ['Accept-Encoding', accepted])],
  });

describe('compression', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'], // as browsers name them
    ['gzip, br;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
  ])('a long answer to a client that accepts %s is sent as %s', async (accepted, coding) => {
    const answer = await ask('/large/5000', accepted);
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(answer.headers.get('content-length')).toBe(String(answer.bytes.length));
    expect(answer.bytes.length).toBeLessThan(500);
    expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    const text = coding === 'br' ? brotliDecompressSync(answer.bytes) : gunzipSync(answer.bytes);
    expect(JSON.parse(text.toString())).toEqual({ text: 'x'.repeat(5000) });
  });

  it.each([undefined, 'deflate', 'br;q=0, gzip;q=0, *;q=0', ';;,'])(
    'a long answer to a client that accepts %j is not compressed',
    async (accepted) => {
      const answer = await ask('/large/5000', accepted);
      expect(answer.headers.get('content-encoding')).toBeNull();
      expect(answer.headers.get('content-length')).toBe(String(answer.bytes.length));
      expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    },
  );

  it('the answers to the app are compressed, too', async () => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const call = (accepted: string) =>
      rawRequest(`${service.origin}/trpc/app/reference.scopes?input=%7B%7D`, {
        headers: ['Cookie', cookie, 'X-Team', team.id, 'Accept-Encoding', accepted],
      });
    const [compressed, plain] = [await call('gzip, br'), await call('identity')];
    expect(compressed.headers.get('content-encoding')).toBe('br');
    expect(compressed.headers.get('content-length')).toBe(String(compressed.bytes.length));
    expect(compressed.headers.get('vary')).toContain('Accept-Encoding');
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(brotliDecompressSync(compressed.bytes).toString()).toBe(plain.bytes.toString());
  });

  it('short answers and problems are not compressed', async () => {
    for (const path of ['/large/10', '/nothing']) {
      expect((await ask(path, 'br, gzip')).headers.get('content-encoding')).toBeNull();
    }
  });
});
