import { beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readQuery } from '../../src/server/rest/read-input.ts';
import { makeClient, type Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { flawIn } from './flaws.ts';
import { askOnce, wire } from './raw-http.ts';
import { useTestApi } from './test-api.ts';

let client: Client;
let echo: Client;

const service = await useTestService();
const testApi = await useTestApi(service);
const team = await aTeam(service, { members: 3 });
beforeEach(async () => {
  client = await team.aClient();
  echo = makeClient(testApi.baseUrl, client.key);
});

const flaw = (code: string, path: string[]) => ({ errors: [flawIn('query', code, path)] });

describe('limit', () => {
  it.each(['1', '2', '50', '200'])('200: %s', async (limit) => {
    const answer = await client.get(`/users?limit=${limit}`);
    expect(answer.status).toBe(200);
    expect(answer.data).toHaveLength(Math.min(4, Number(limit)));
  });

  it.each(['-1', '5.', '%205', '5,5', '٥', 'Infinity', '9007199254740993', '%00'])(
    '422 validation_error: %j',
    async (limit) => {
      expect(await client.get(`/users?limit=${limit}`)).toBeProblem('validation_error', {
        errors: [expect.objectContaining({ path: ['limit'] })],
      });
    },
  );

  it('422 validation_error: without a value', async () => {
    expect(await client.get('/users?limit')).toBeProblem('validation_error', flaw('invalid_type', ['limit']));
  });
});

describe('unexpected parameters', () => {
  it.each([
    ['Limit=5', 'Limit'],
    ['limit[]=5', 'limit[]'],
    ['toString=1', 'toString'],
    ['__proto__=1', '__proto__'],
    ['__proto__[limit]=1', '__proto__[limit]'],
    ['=1', ''],
    ['%F0%9F%98%80=1', '😀'],
  ])('422 validation_error: GET /users?%s', async (query, key) => {
    expect(await client.get(`/users?${query}`)).toBeProblem('validation_error', flaw('unrecognized_keys', [key]));
  });

  it.each(['/me?', '/users?&&', '/users?&limit=5&'])('200: an empty query has no parameters (%s)', async (path) => {
    expect((await client.get(path)).status).toBe(200);
  });
});

describe('repeated parameters', () => {
  it.each([
    ['limit=5&limit=5', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['limit=5&%6Cimit=6', 'limit'],
    ['limit=5&limit', 'limit'],
    ['cursor=a&limit=5&cursor=a', 'cursor'],
    ['__proto__=1&__proto__=2', '__proto__'],
  ])('422 validation_error: %s', async (query, key) => {
    expect(await client.get(`/users?${query}`)).toBeProblem('validation_error', flaw('duplicate', [key]));
  });
});

describe('encoding', () => {
  it.each(['%', '%4', '%zz', '%E0%A4%A', '%ff', '%C0%80', '%ED%A0%80', '%F8%88%80%80%80'])(
    '422 validation_error: %s is invalid percent-encoded UTF-8, in a value and in a name',
    async (text) => {
      expect(await client.get(`/users?cursor=${text}`)).toBeProblem(
        'validation_error',
        flaw('invalid_encoding', ['cursor']),
      );
      expect(await client.get(`/users?${text}=1`)).toBeProblem('validation_error', flaw('invalid_encoding', []));
    },
  );

  it('422 validation_error: NUL in a value and in a name', async () => {
    expect(await client.get('/users?cursor=a%00b')).toBeProblem('validation_error', flaw('invalid_text', ['cursor']));
    expect(await client.get('/users?a%00b=1')).toBeProblem('validation_error', flaw('invalid_text', []));
  });

  it.each([
    ['word=a%20b+c', { word: 'a b c' }],
    ['word=%2B', { word: '+' }],
    ['word=a=b=', { word: 'a=b=' }],
    ['word=%2526', { word: '%26' }],
    ['word=', { word: '' }],
    ['word=5&number=-7', { word: '5', number: -7 }],
    ['flag=true', { flag: true }],
    ['flag=false', { flag: false }],
  ])('200: %s is decoded once and read as its type', async (query, expected) => {
    expect((await echo.get(`/echo/x?${query}`)).body['input']).toEqual({ text: 'x', ...expected });
  });

  it.each(['flag=1', 'flag=0', 'flag=TRUE', 'flag=yes', 'flag=', 'flag', 'number=true', 'number=1.5'])(
    '422 validation_error: %s',
    async (query) => {
      expect((await echo.get(`/echo/x?${query}`)).status).toBe(422);
    },
  );

  it('422 validation_error: 8 KiB of query', async () => {
    expect(await client.get(`/users?cursor=${'x'.repeat(8 * 1024)}`)).toBeProblem('validation_error', {
      field: 'cursor',
    });
    expect(await client.get(`/users?${'a=1&'.repeat(2 * 1024)}`)).toBeProblem('validation_error');
    expect((await echo.get(`/echo/x?word=${'x'.repeat(8 * 1024)}`)).status).toBe(200);
  });

  it('400 bad_request: bytes that no target may contain, and a fragment', async () => {
    for (const target of ['/me?a=\u00e4', '/me?a=b#c', '/me\u00a0']) {
      const request = wire('GET', `/api/public/v1${target}`, { Authorization: `Bearer ${client.key ?? ''}` });
      expect(await askOnce(service.origin, Buffer.from(request, 'latin1'))).toBeProblem('bad_request');
    }
  });
});

describe('readQuery', () => {
  const read = (url: string): Record<string, string> => Object.fromEntries(readQuery(url).texts);

  it('decodes whatever a client encodes, and never throws', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0') && value.isWellFormed());
    fc.assert(
      fc.property(fc.dictionary(text, text, { noNullPrototype: true }), (parameters) => {
        expect(read(`/x?${new URLSearchParams(parameters).toString()}`)).toEqual(parameters);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (query) => {
        const { texts, flaws } = readQuery(`/x?${query}`);
        for (const { path, code } of flaws) expect(code === 'duplicate' || !texts.has(String(path[0]))).toBe(true);
        expect(flaws.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
