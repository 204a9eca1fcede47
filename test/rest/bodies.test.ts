import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';
import { flawIn } from './flaws.ts';
import { askOnce, rawConnection, wire } from './raw-http.ts';
import { useTestApi } from './test-api.ts';

const base = '/api/public/v1';
const { bodyBytes } = limits;
let key: string;

const service = await useTestService();
const testApi = await useTestApi(service);
const team = await aTeam(service);
beforeEach(async () => {
  key = (await team.aKey()).text;
});

/** Sends a body exactly as it is, with its length. */
const post = async (
  body: string | Uint8Array,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<Answer> => {
  const bytes = Buffer.from(body);
  const head = wire('POST', `${base}/echo`, {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    Connection: 'close',
    ...headers,
  });
  return askOnce(testApi.origin, Buffer.concat([Buffer.from(head), bytes]));
};

const nested = (depth: number) => `{"value":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const ofSize = (bytes: number) => `{"text":"${'x'.repeat(bytes - 11)}"}`;

describe('what a body must be', () => {
  it.each<[string, string | Uint8Array, string, (string | number)[]?]>([
    ['nothing', '', 'invalid_json'],
    ['an array', '[]', 'invalid_type'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json'],
    [
      'an encoded surrogate',
      Buffer.from([...Buffer.from('{"text":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
      'invalid_json',
    ],
    ['a lone surrogate', String.raw`{"text":"\ud800"}`, 'invalid_text', ['text']],
    ['a lone surrogate in a key', String.raw`{"\ud800":"x"}`, 'invalid_text'],
    ['NUL in a text', String.raw`{"text":"a\u0000b"}`, 'invalid_text', ['text']],
    ['NUL in a key', String.raw`{"a\u0000b":"x"}`, 'invalid_text'],
    ['NUL deep inside', String.raw`{"value":{"a":[1,{"b":"\u0000"}]}}`, 'invalid_text', ['value', 'a', 1, 'b']],
    ['a number beyond a double', '{"number":1e999}', 'invalid_number', ['number']],
    ['nesting one too deep', nested(limits.bodyDepth + 1), 'too_deep'],
    ['100,000 levels that never close', '['.repeat(100_000), 'too_deep'],
    ['__proto__', '{"__proto__":{"text":"x"}}', 'unrecognized_keys', ['__proto__']],
    ['__proto__ in escapes', String.raw`{"\u005f_proto__":1}`, 'unrecognized_keys', ['__proto__']],
    ['__proto__ deep inside', '{"value":{"a":{"__proto__":{}}}}', 'unrecognized_keys', ['value', 'a', '__proto__']],
    ['a key in other letters', '{"Text":"x"}', 'unrecognized_keys', ['Text']],
  ])('422 validation_error: %s', async (_what, body, code, path) => {
    expect(await post(body)).toBeProblem('validation_error', { errors: [flawIn('body', code, path)] });
  });

  it.each<[string, string, unknown]>([
    ['an empty object', '{}', {}],
    ['a byte order mark', '\ufeff{"text":"x"}', { text: 'x' }],
    ['nesting as deep as allowed', nested(limits.bodyDepth), undefined],
    ['brackets in a text', `{"text":"${'[{'.repeat(100)}\\"[${'['.repeat(50)}"}`, undefined],
    ['a pair of surrogates', String.raw`{"text":"\ud83d\ude00"}`, { text: '😀' }],
    ['the largest double', '{"number":1.7976931348623157e308}', { number: 1.7976931348623157e308 }],
    ['more digits than a double has', '{"number":0.1000000000000000055}', { number: 0.1 }],
    ['harmless names inside', '{"value":{"constructor":1,"toString":2}}', { value: { constructor: 1, toString: 2 } }],
    ['the same key twice: the last counts', '{"text":"a","text":"b"}', { text: 'b' }],
  ])('200: %s', async (_what, body, input) => {
    const answer = await post(body);
    expect(answer.status).toBe(200);
    if (input !== undefined) expect(answer.body['input']).toEqual(input);
  });
});

describe('Content-Type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json ; charset="utf-8"',
    'APPLICATION/JSON',
    'application/merge-patch+json',
    '',
  ])('200: %j', async (type) => {
    expect((await post('{"text":"ä"}', { headers: { 'Content-Type': type } })).status).toBe(200);
  });

  it.each(['application/jsonp', 'application/json, text/plain', 'application/json; charset=iso-8859-1'])(
    '415 bad_request: %j',
    async (type) => {
      expect(await post('{}', { headers: { 'Content-Type': type } })).toBeProblem('bad_request', { status: 415 });
    },
  );

  it('a body without content type is read only if it is JSON', async () => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Length': '12' };
    const answer = await askOnce(testApi.origin, wire('POST', `${base}/echo`, headers, '{"text":"x"}'));
    expect(answer.body['input']).toEqual({ text: 'x' });
  });

  it.each(['identity, gzip', 'x'])('415 bad_request: Content-Encoding %s', async (coding) => {
    expect(await post('{}', { headers: { 'Content-Encoding': coding } })).toBeProblem('bad_request', { status: 415 });
  });

  it('200: Content-Encoding identity', async () => {
    expect((await post('{}', { headers: { 'Content-Encoding': 'Identity' } })).status).toBe(200);
  });
});

describe('size', () => {
  it('200: exactly the limit', async () => {
    expect((await post(ofSize(bodyBytes))).status).toBe(200);
  });

  it('413 bad_request: 10 MiB, announced', async () => {
    const answer = await post(ofSize(10 * 1024 * 1024));
    expect(answer).toBeProblem('bad_request', { status: 413 });
    expectApiHeaders(answer);
  });

  it('413 bad_request: announced, before a byte of it is sent', async () => {
    expect(await post('', { headers: { 'Content-Length': String(10 * 1024 * 1024) } })).toBeProblem('bad_request', {
      status: 413,
    });
  });

  const chunked = (size: number) => {
    const chunk = 'x'.repeat(64 * 1024);
    let body = '';
    for (let left = size; left > 0; left -= chunk.length) {
      const piece = chunk.slice(0, left);
      body += `${piece.length.toString(16)}\r\n${piece}\r\n`;
    }
    return `${body}0\r\n\r\n`;
  };

  it.each([bodyBytes + 1, 10 * 1024 * 1024])(
    '413 bad_request: %i bytes in chunks, and the connection stays open',
    async (size) => {
      const connection = rawConnection(testApi.origin);
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      connection.send(wire('POST', `${base}/echo`, { ...headers, 'Transfer-Encoding': 'chunked' }, chunked(size)));
      const answer = await connection.next();
      expect(answer).toBeProblem('bad_request', { status: 413 });
      expectApiHeaders(answer);
      connection.send(wire('POST', `${base}/echo`, { ...headers, 'Content-Length': '2' }, '{}'));
      expect((await connection.next()).status).toBe(200);
      connection.hangUp();
    },
  );

  it('200: chunks up to the limit, also with trailers', async () => {
    const body = ofSize(bodyBytes);
    const half = body.length / 2;
    const chunks = [body.slice(0, half), body.slice(half)].map(
      (piece) => `${piece.length.toString(16)};note=1\r\n${piece}\r\n`,
    );
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'Chunked',
      Trailer: 'X-Sum',
    };
    const request = wire('POST', `${base}/echo`, headers, `${chunks.join('')}0\r\nX-Sum: 1\r\n\r\n`);
    expect((await askOnce(testApi.origin, request)).status).toBe(200);
  });

  it('201: in hundreds of small chunks', async () => {
    const team = await aTeam(service);
    const text = JSON.stringify({ user_id: team.owner.user_id, fields: { text: 'x'.repeat(60_000) } });
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += 100) yield Buffer.from(text.slice(at, at + 100));
    };
    const { text: secret } = await team.aKey();
    const answer = await fetch(`${service.baseUrl}/cases`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: ReadableStream.from(pieces()),
      duplex: 'half',
    });
    expect(answer.status).toBe(201);
  });
});

describe('bodies that are not expected', () => {
  it.each([
    ['GET', '/users'],
    ['DELETE', '/users/nobody'],
  ])('%s ignores any body', async (method, path) => {
    const response = rawConnection(service.origin);
    response.send(
      wire(
        method,
        `${base}${path}`,
        { Authorization: `Bearer ${key}`, 'Content-Type': 'text/plain', 'Content-Length': '5' },
        '{"no}',
      ),
    );
    const answer = await response.next();
    expect([200, 404]).toContain(answer.status);
    response.send(wire('GET', `${base}/me`, { Authorization: `Bearer ${key}` }));
    expect((await response.next()).status).toBe(200);
    response.hangUp();
  });

  it('a POST without an input accepts none, or any', async () => {
    for (const body of [undefined, {}, { a: 1 }]) {
      const answer = await makeClient(testApi.baseUrl, key).post('/echo/x/nothing', body);
      expect(answer.status).toBe(200);
    }
  });

  it('422 idempotency_mismatch: the body counts for a repetition, even if it is ignored', async () => {
    const client = makeClient(testApi.baseUrl, key);
    const headers = { 'Idempotency-Key': 'a body that means nothing' };
    expect((await client.post('/echo/x/nothing', { a: 1 }, { headers })).status).toBe(200);
    expect((await client.post('/echo/x/nothing', { a: 1 }, { headers })).headers.get('idempotent-replayed')).toBe(
      'true',
    );
    expect(await client.post('/echo/x/nothing', { a: 2 }, { headers })).toBeProblem('idempotency_mismatch');
    expect(await client.post('/echo/y/nothing', { a: 1 }, { headers })).toBeProblem('idempotency_mismatch');
  });
});
