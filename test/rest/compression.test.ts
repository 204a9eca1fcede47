import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { useTestApi } from './test-api.ts';

const service = await useTestService();
const testApi = await useTestApi(service);
const key = (await (await aTeam(service)).aKey()).text;

interface Bytes {
  coding: string | undefined;
  length: string | undefined;
  vary: string | undefined;
  bytes: Buffer;
}

/** Sends a request without a client that decompresses by itself. */
const ask = (path: string, accepted?: string): Promise<Bytes> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, ...(accepted !== undefined && { 'Accept-Encoding': accepted }) };
    request(`${testApi.baseUrl}${path}`, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { 'content-encoding': coding, 'content-length': length, vary } = response.headers;
        resolve({ coding, length, vary, bytes: Buffer.concat(chunks) });
      });
    })
      .on('error', reject)
      .end();
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
    expect(answer.coding).toBe(coding);
    expect(Number(answer.length)).toBe(answer.bytes.length);
    expect(answer.bytes.length).toBeLessThan(500);
    expect(answer.vary).toContain('Accept-Encoding');
    const text = coding === 'br' ? brotliDecompressSync(answer.bytes) : gunzipSync(answer.bytes);
    expect(JSON.parse(text.toString())).toEqual({ text: 'x'.repeat(5000) });
  });

  it.each([undefined, 'deflate', 'br;q=0, gzip;q=0, *;q=0', ';;,'])(
    'a long answer to a client that accepts %j is not compressed',
    async (accepted) => {
      const answer = await ask('/large/5000', accepted);
      expect(answer.coding).toBeUndefined();
      expect(answer.bytes.length).toBe(Number(answer.length));
      expect(answer.vary).toContain('Accept-Encoding');
    },
  );

  it('short answers and problems are not compressed', async () => {
    for (const path of ['/large/10', '/nothing']) expect((await ask(path, 'br, gzip')).coding).toBeUndefined();
  });
});
