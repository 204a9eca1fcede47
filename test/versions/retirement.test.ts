import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/core/config-error.ts';
import { earliestSunset } from '../../src/core/product.ts';
import { say } from '../rest/raw-http.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

const announced = {
  API_V1_DEPRECATED_AT: '2027-01-31T00:00:00Z',
  API_V1_SUNSET_AT: '2028-01-31T12:30:00Z',
  API_V1_SUCCESSOR_URL: 'https://api.example.com/api/public/v2',
};
const service = await useTestService({ environment: announced });
const team = await aTeam(service);

const page = 'http://localhost:3000/developers/versions';
const announcement = {
  deprecation: '@1801353600',
  sunset: 'Mon, 31 Jan 2028 12:30:00 GMT',
  link: `<https://api.example.com/api/public/v2>; rel="successor-version", <${page}>; rel="deprecation"; type="text/html", <${page}>; rel="sunset"; type="text/html"`,
};
const announcementOf = ({ headers }: Answer) => ({
  deprecation: headers.get('deprecation'),
  sunset: headers.get('sunset'),
  link: headers.get('link'),
});
const silence = { deprecation: null, sunset: null, link: null };

describe('a deprecated v1', () => {
  it('is announced on every answer: successes, replays, problems of every middleware, the description, 304, HEAD and OPTIONS', async () => {
    const { client } = team;
    const anonymous = makeClient(service.baseUrl);
    const once = { headers: { 'Idempotency-Key': 'announced' } };
    const invitation = { email: 'announced@example.com' };
    const description = await anonymous.get('/openapi.v1.json');
    const answers = [
      await client.get('/me'),
      await client.post('/users', invitation, once),
      await client.post('/users', invitation, once),
      await client.request('HEAD', '/users'),
      await client.request('OPTIONS', '/users'),
      await anonymous.get('/me'),
      await client.get('/nothing'),
      await client.get('/users?limit=0'),
      await client.post('/users', '{', { headers: { 'Content-Type': 'text/plain' } }),
      await (await team.aClient({ scopes: ['catalog:read'] })).get('/users'),
      description,
      await anonymous.get('/openapi.v1.json', { headers: { 'If-None-Match': description.headers.get('etag') ?? '' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 201, 200, 204, 401, 404, 422, 415, 403, 200, 304]);
    for (const answer of answers) expect(announcementOf(answer)).toEqual(announcement);
  });

  it('is announced if a request is refused before its first middleware, and during maintenance', async () => {
    const maintenance: { current: { retryAfterSeconds: number } | undefined } = { current: undefined };
    const own = await startTestService({ environment: announced, maintenance });
    for (const target of ['/api/public/v1/me', 'http://localhost/api/public/v1/me']) {
      const [refused] = await say(own.origin, `GET ${target} HTTP/1.1\r\nHost: a b\r\n\r\n`);
      expect([refused?.status, refused && announcementOf(refused)]).toEqual([400, announcement]);
    }
    maintenance.current = { retryAfterSeconds: 3 };
    const stopped = await makeClient(own.baseUrl).get('/me');
    expect([stopped.status, announcementOf(stopped)]).toEqual([503, announcement]);
    await own.close();
  });

  it('is not announced outside of v1', async () => {
    const origin = makeClient(service.origin);
    for (const path of ['/healthz', '/developers/errors', '/api/public/v2/me', '/nothing', '/trpc/entrance/x'])
      expect(announcementOf(await origin.get(path))).toEqual(silence);
  });

  it('is deprecated in its OpenAPI document, which names the dates, the successor and the headers, and stays valid', async () => {
    const answer = await makeClient(service.baseUrl).get('/openapi.v1.json');
    const { info, paths, components } = Described.parse(answer.body);
    for (const word of ['2027-01-31', '2028-01-31', announced.API_V1_SUCCESSOR_URL])
      expect(info.description).toContain(word);
    for (const { deprecated, responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
      expect(deprecated).toBe(true);
      for (const { headers, $ref } of Object.values(responses)) {
        const shared = components.responses[$ref?.replace('#/components/responses/', '') ?? '']?.headers;
        expect(Object.keys(headers ?? shared ?? {})).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
      }
    }
    expect(Object.keys(components.headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));

    const file = join(throwAwayFolder(), 'openapi.json');
    await writeFile(file, answer.text);
    const lint = ['lint', '--extends=spec', file];
    await expect(promisify(execFile)('node_modules/.bin/redocly', lint)).resolves.toBeDefined();
  });

  it('has a page in both languages that its headers link to', async () => {
    const origin = makeClient(service.origin);
    const german = await origin.get('/developers/versions', { headers: { 'Accept-Language': 'de' } });
    expect(german.text).toContain('gilt ab dem 31. Januar 2027');
    expect(german.text).toContain(announced.API_V1_SUCCESSOR_URL);
    const english = await origin.get('/developers/versions?lang=en');
    expect(english.text).toContain('is deprecated as of 31 January 2027');
    expect(english.text).toContain('31 January 2028');
  });
});

/** The header is in the operation, or in a shared response. */
const Response = z.object({ headers: z.record(z.string(), z.unknown()).optional(), $ref: z.string().optional() });

const Described = z.object({
  info: z.object({ description: z.string() }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        deprecated: z.boolean(),
        responses: z.record(z.string(), Response),
      }),
    ),
  ),
  components: z.object({
    headers: z.record(z.string(), z.unknown()),
    responses: z.record(z.string(), Response),
  }),
});

describe('without an announcement', () => {
  it('no answer and no document of v1 mentions an end, and the page says that none is announced', async () => {
    const own = await startTestService({ own: true });
    const client = makeClient(own.baseUrl);
    for (const path of ['/me', '/openapi.v1.json']) {
      const answer = await client.get(path);
      expect(announcementOf(answer)).toEqual(silence);
      expect(answer.text).not.toMatch(/deprecat|sunset/i);
    }
    expect((await makeClient(own.origin).get('/developers/versions?lang=en')).text).toContain('No end is announced');
    await own.close();
  });
});

describe('the settings of an announcement', () => {
  const read = (changes: Record<string, string>) => () => readConfig({ ...announced, ...changes });

  it.each([
    ['a sunset less than twelve months after the deprecation', { API_V1_SUNSET_AT: '2028-01-30T23:59:59Z' }],
    ['a sunset without a deprecation', { API_V1_DEPRECATED_AT: '', API_V1_SUCCESSOR_URL: '' }],
    ['a successor without a deprecation', { API_V1_DEPRECATED_AT: '', API_V1_SUNSET_AT: '' }],
    ['a time that is none', { API_V1_DEPRECATED_AT: '31.01.2027' }],
    ['a date without a time', { API_V1_DEPRECATED_AT: '2027-01-31' }],
    ['an address that is none', { API_V1_SUCCESSOR_URL: 'v2' }],
    ['an address of another kind', { API_V1_SUCCESSOR_URL: 'ftp://api.example.com' }],
  ])('refuse %s', (_, changes) => {
    expect(read(changes)).toThrow(ConfigError);
    expect(read(changes)).toThrow(/API_V1_(DEPRECATED_AT|SUNSET_AT|SUCCESSOR_URL): /);
  });

  it('accept a deprecation alone, and a sunset exactly twelve months later', () => {
    expect(read({ API_V1_SUNSET_AT: '', API_V1_SUCCESSOR_URL: '' })).not.toThrow();
    expect(read({ API_V1_SUNSET_AT: '2028-01-31T00:00:00Z' })).not.toThrow();
    expect(earliestSunset(new Date('2028-02-29T00:00:00Z'))).toEqual(new Date('2029-03-01T00:00:00Z'));
  });
});
