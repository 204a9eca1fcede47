import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { rawRequest } from '../support/client.ts';
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

  it('short answers and problems are not compressed', async () => {
    for (const path of ['/large/10', '/nothing']) {
      expect((await ask(path, 'br, gzip')).headers.get('content-encoding')).toBeNull();
    }
  });
});
