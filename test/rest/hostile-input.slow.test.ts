import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { limits, httpLimits } from '../../src/core/limits.ts';
import { flawOfValue } from '../../src/core/storable.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { makeClient, rawRequest } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { flawIn } from './flaws.ts';

// Requests that are built to keep the process busy must cost no more than normal ones. Those with long hostile texts are in
// test/limits/hostile-texts.slow.test.ts.
const service = await useTestService();
const team = await aTeam(service);

const room = limits.bodyBytes - 100;
const smallValues = `[${'{"b":1},'.repeat(Math.floor(room / 8))}0]`;
/** The CPU time of this process, including the service, for four answers; and the last answer. */
const fourTimes = async <A>(ask: () => Promise<A>): Promise<{ milliseconds: number; answer: A }> => {
  const before = process.cpuUsage();
  let answer = await ask();
  for (let asked = 1; asked < 4; asked += 1) answer = await ask();
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1_000, answer };
};

/**
 * What is normal: the CPU time for refusing a large body with one long text, and for parsing as many bytes of small
 * values, which make as much garbage as the values of a request can.
 */
const normalCost = async (): Promise<number> => {
  const body = JSON.stringify({ title: 'x'.repeat(room - 20) });
  const { milliseconds } = await fourTimes(async () => {
    JSON.parse(smallValues);
    return team.client.post('/cases', body);
  });
  return milliseconds;
};
let warmUp: Promise<number> | undefined;

/**
 * Checks that a request costs at most twelve times as much as is normal at the same time, and returns its answer.
 * Without the limits of a body some cost twenty to fifty times as much. The lowest of five ratios counts: a garbage
 * collection may fall into any of them.
 */
const inTime = async <A>(ask: () => Promise<A>): Promise<A> => {
  await (warmUp ??= normalCost());
  let lowest = Number.POSITIVE_INFINITY;
  for (let round = 1; ; round += 1) {
    const reference = await normalCost();
    const { milliseconds, answer } = await fourTimes(ask);
    lowest = Math.min(lowest, milliseconds / reference);
    if (lowest >= 12 && round < 5) continue;
    expect(lowest).toBeLessThan(12);
    return answer;
  }
};

const filled = (before: string, part: string, after: string) =>
  `${before}${part.repeat(Math.floor((room - before.length - after.length) / part.length))}${after}`;
const keys = (count: number) => Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join(',');
const numbers = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
const flaw = (code: string, path: string[] = []) => ({ errors: [flawIn('body', code, path)] });

const endpoints = '/webhook-endpoints';
const endpoint = '{"url":"https://a.example/","events":[';

describe('a body of 256 KiB', () => {
  it.each<[what: string, path: string, body: string, code: string, at?: string[]]>([
    ['numbers where names are expected', endpoints, filled(endpoint, '0,', '0]}'), 'too_many'],
    ['empty lists where names are expected', endpoints, filled(endpoint, '[],', '0]}'), 'too_many'],
    ['empty names', endpoints, filled(endpoint, '"",', '0]}'), 'too_many'],
    ['unknown keys', '/cases', `{${keys(28_000)}}`, 'too_many'],
    ['a free-form object of numbers', '/cases', filled('{"fields":{"a":[', '0,', '0]}}'), 'too_many'],
    ['a free-form object of objects', '/cases', filled('{"fields":{"a":[', '{},', '0]}}'), 'too_many'],
    ['a free-form object of keys', '/cases', `{"fields":{${keys(28_000)}}}`, 'too_many'],
    ['many small objects', '/cases', filled('{"fields":{"a":[', '{"b":1},', '0]}}'), 'too_many'],
    [
      'values as deep as may be',
      '/cases',
      filled(`{"fields":${'{"a":'.repeat(29)}[`, '0,', `0]${'}'.repeat(30)}`),
      'too_many',
    ],
    [
      'the key that rewrites prototypes',
      '/cases',
      filled('{"user_id":"x",', '"__proto__":0,', '"title":"a"}'),
      'unrecognized_keys',
      ['__proto__'],
    ],
  ])('%s: 422 with one flaw', async (_what, path, body, code, at = []) => {
    const client = await team.aClient();
    expect(await inTime(() => client.post(path, body))).toBeProblem('validation_error', flaw(code, at));
  });

  it.each<[what: string, path: string, body: string]>([
    ['a free-form object of long numbers', '/cases', filled('{"user_id":"x","fields":{"a":[', '1234567,', '0]}}')],
    ['free-form numbers to be written out', '/cases', filled('{"user_id":"x","fields":{"a":[', '1e1,-1e9,', '0]}}')],
    ['free-form lists in lists', '/cases', filled('{"user_id":"x","fields":{"a":[', '[[[]]],[1],', '0]}}')],
    [
      'values where nothing is free-form',
      endpoints,
      filled('{"url":"https://a.example/","events":{"a":[', '[12345],', '0]}}'),
    ],
  ])('%s: 422', async (_what, path, body) => {
    const client = await team.aClient();
    expect(await inTime(() => client.post(path, body))).toBeProblem('validation_error');
  });
});

describe('the limits of a body', () => {
  it.each<[what: string, path: string, body: (count: number) => string, max: number, at: string[]]>([
    [
      'elements in a list',
      endpoints,
      (count) => `{"url":"https://a.example/","events":${numbers(count)}}`,
      limits.listElements,
      ['events'],
    ],
    ['keys of its own', '/cases', (count) => `{${keys(count)}}`, limits.ownKeys, []],
  ])('number of %s, each reported up to the hundredth flaw', async (_what, path, body, max, at) => {
    const client = await team.aClient();
    const judged = await client.post(path, body(max));
    expect(judged).toBeProblem('validation_error');
    expect(judged.body['errors']).toHaveLength(100);
    expect(await client.post(path, body(max + 1))).toBeProblem('validation_error', flaw('too_many', at));
  });

  it('number of free-form values, more than 64 KiB of JSON can have', async () => {
    const user_id = team.owner.user_id;
    const client = await team.aClient();
    const distinct = Array.from({ length: 8_000 }, (_, at) => [at.toString(36).padStart(3, '0'), 1]);
    for (const fields of [
      { list: Array.from({ length: 32_000 }, (_, at) => at % 10) },
      { list: Array.from({ length: 8_000 }, () => ({ a: 1 })) },
      Object.fromEntries(distinct),
    ]) {
      const answer = await client.post('/cases', { user_id, fields });
      expect(answer.status).toBe(201);
      expect(answer.body['fields']).toEqual(fields);
    }
  });

  it('number of values in fields that are not free-form', async () => {
    const client = await team.aClient();
    // The list in `events` counts as a value too.
    const withValues = (count: number) =>
      client.post(endpoints, `{"url":"https://a.example/","events":{"a":${numbers(count - 1)}}}`);
    const judged = await withValues(limits.nestedValues);
    expect(judged).toBeProblem('validation_error', { errors: [expect.objectContaining({ path: ['events'] })] });
    expect(await withValues(limits.nestedValues + 1)).toBeProblem('validation_error', flaw('too_many'));
  });

  it('size of free-form values, checked before the action', async () => {
    const client = await team.aClient();
    for (const field of ['fields', 'external_ref']) {
      const tooLarge = { user_id: makeId(), [field]: { a: 'x'.repeat(limits.freeFormBytes) } };
      // An unknown user would be 404, and the answer of an action would be stored for the key.
      const headers = { 'Idempotency-Key': `too large ${field}` };
      expect(await client.post('/cases', tooLarge, { headers })).toBeProblem('validation_error', { field });
      expect(await client.post('/cases', { user_id: makeId() }, { headers })).toBeProblem('not_found');
      const change = await client.patch(`/cases/${makeId()}`, { [field]: tooLarge[field] });
      expect(change).toBeProblem('validation_error', { field });
    }
  });

  it('number of values and keys in total, exactly', () => {
    const list = (count: number) => ({ a: { b: Array.from({ length: count }, () => 0) } });
    // The object, the nested one and the list count as values too.
    expect(flawOfValue(list(limits.bodyValues - 3))).toBeUndefined();
    expect(flawOfValue(list(limits.bodyValues - 2))).toMatchObject({ code: 'too_many', path: [] });
    const objects = (count: number) => ({ a: { b: Array.from({ length: count }, () => ({ c: 0 })) } });
    expect(flawOfValue(objects(limits.bodyKeys - 2))).toBeUndefined();
    expect(flawOfValue(objects(limits.bodyKeys - 1))).toMatchObject({ code: 'too_many', path: [] });
  });

  it('are checked in the app as well, before any schema', async () => {
    const { keys: ofApp } = await inTheApp(team);
    const tooMany = (path: unknown[]) => ({
      code: 'validation_error',
      members: { errors: [expect.objectContaining({ code: 'too_many', path })] },
    });
    await expectRefusal(
      ofApp.create({ name: 'x', template: 'all', allowed_ips: Array.from({ length: 100_000 }, () => 'nonsense') }),
      tooMany(['allowed_ips']),
    );
    const nonsense = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [String(at), at]));
    await expectRefusal(ofApp.create({ name: 'x', template: 'all', ...nonsense }), tooMany([]));
  });
});

describe('a query', () => {
  it(`has ${httpLimits.queryParameters} parameters at most`, async () => {
    const client = await team.aClient();
    const query = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=1`).join('&');
    expect(await client.get(`/users?${query(httpLimits.queryParameters)}`)).toBeProblem('validation_error', {
      errors: Array.from({ length: httpLimits.queryParameters }, (_, at) =>
        flawIn('query', 'unrecognized_keys', [`p${at}`]),
      ),
    });
    expect(await client.get(`/users?${query(httpLimits.queryParameters + 1)}`)).toBeProblem('validation_error', {
      errors: [flawIn('query', 'too_many')],
    });
    expect(await inTime(() => client.get(`/users?${query(2_000)}`))).toBeProblem('validation_error');
  });

  it.each<[what: string, path: string, status: number]>([
    ['separators alone', `/users?${'&'.repeat(15_000)}`, 200],
    ['a cursor of equals signs', `/users?cursor${'='.repeat(15_000)}`, 422],
    ['a path of slashes', '/'.repeat(15_000), 404],
  ])('%s', async (_what, path, status) => {
    const client = await team.aClient();
    expect((await inTime(() => client.get(path))).status).toBe(status);
  });
});

describe('headers', () => {
  const repeated = (name: string, count: number) => Array.from({ length: count }, () => [name, '']).flat();
  const different = (count: number) => Array.from({ length: count }, (_, at) => [`x-${at.toString(36)}`, '']).flat();
  it.each<[what: string, headers: readonly string[], status: number]>([
    ['many headers', different(90), 401],
    ['one header many times', repeated('x-a', 90), 401],
    ['no key many times', repeated('Authorization', 90), 401],
    ['no key far too many times', repeated('Authorization', 800), 431],
    ['far too many headers', different(1_800), 431],
    ['one header far too many times', repeated('x-a', 1_800), 431],
  ])('%s', async (_what, headers, status) => {
    expect((await inTime(() => rawRequest(`${service.baseUrl}/me`, { headers }))).status).toBe(status);
  });
});

it('requests without any key are answered as quickly, whatever is sent', async () => {
  const stranger = makeClient(service.baseUrl);
  const body = filled(endpoint, '0,', '0]}');
  expect(await inTime(() => stranger.post(endpoints, body))).toBeProblem('unauthorized');
});
