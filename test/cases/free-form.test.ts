import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await startTestService();
  team = await aTeam(service);
});
afterAll(() => service.close());

/** Sends a body as it is written and reads back what was kept; undefined where it was refused. */
const keep = async (fieldsText: string) => {
  const body = `{"user_id":"${team.owner.user_id}","fields":${fieldsText},"external_ref":${fieldsText}}`;
  // A key of its own for each: all of them are more than a key's minute.
  const client = await team.aClient();
  const answer = await client.post('/cases', body);
  if (answer.status !== 201) {
    expect(answer).toBeProblem('validation_error');
    return undefined;
  }
  const read = await client.get(`/cases/${String(answer.body['id'])}`);
  expect(read.body).toEqual(answer.body);
  expect(read.body['external_ref']).toEqual(read.body['fields']);
  return read.body['fields'];
};

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('the free-form fields of a case', () => {
  it.each([
    ['nothing', '{}'],
    ['constructor, and what every object has', '{"constructor":{"prototype":{"a":1}},"toString":1,"hasOwnProperty":2}'],
    ['what JavaScript asks objects for', '{"then":1,"toJSON":2,"length":-1,"prototype":{}}'],
    ['what Prisma asks objects for', '{"$type":"Raw","value":1,"set":2,"equals":3,"_ref":"x"}'],
    ['empty keys and keys that are numbers', '{"":1,"10":2,"2":3,"-1":4}'],
    ['keys that differ in what one can’t see', '{"a":1,"a ":2,"a\\u200b":3,"A":4,"\\u00e9":5,"e\\u0301":6}'],
    ['numbers at the ends of a double', '{"a":1.7976931348623157e308,"b":5e-324,"c":-1e300,"d":1e-300,"e":0.1}'],
    ['numbers beyond whole ones', '{"a":9007199254740993,"b":12345678901234567890,"c":-9223372036854775809}'],
    ['control characters and quotes', '{"a":"\\u0001\\u001f\\"\\\\\\/\\b\\f\\n\\r\\t\\u007f"}'],
    ['characters of every plane', '{"💬":"\\ud83d\\ude00","\\uffff":"\\u2028"}'],
    ['texts that look like SQL and JSON', '{"\'; drop table x; --":"{\\"a\\":1}","$1":"$2"}'],
    ['values of every kind, nested', '{"a":[null,true,false,[],{},[[{"b":[1.5]}]]]}'],
    ['as many levels as a body may have', nested(limits.bodyDepth - 1)],
    ['a key twice: the last counts', '{"a":1,"a":2}'],
    ['many keys', JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at])))],
  ])('come back as they were: %s', async (_what, text) => {
    expect(await keep(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['__proto__ far inside', '{"a":[{"__proto__":1}]}'],
    ['NUL in a text', '{"a":"\\u0000"}'],
    ['NUL in a key', '{"\\u0000":1}'],
    ['half a character', '{"a":"\\ud83d"}'],
    ['half a character in a key', '{"\\ude00":1}'],
    ['a number beyond a double', '{"a":1e309}'],
    ['one level too many', nested(limits.bodyDepth)],
    ['a list', '[1]'],
    ['a text', '"{}"'],
  ])('are refused: %s', async (_what, text) => {
    expect(await keep(text)).toBeUndefined();
  });

  it('are refused where their numbers would fill the memory once they are written out in full', async () => {
    const numbers = (count: number, text: string) => `{"a":[${Array.from({ length: count }, () => text).join(',')}]}`;
    const body = (fields: string) => `{"user_id":"${team.owner.user_id}","fields":${fields}}`;
    for (const text of ['1e308', '-1e308', '1e-308']) {
      expect((await team.client.post('/cases', body(numbers(200, text)))).status).toBe(201);
      expect(await team.client.post('/cases', body(numbers(220, text)))).toBeProblem('validation_error', {
        field: 'fields',
      });
    }
    expect((await team.client.post('/cases', body(numbers(32_000, '0')))).status).toBe(201);
    const id = String((await team.client.post('/cases', { user_id: team.owner.user_id })).body['id']);
    const change = await team.client.patch(`/cases/${id}`, `{"external_ref":${numbers(220, '1e308')}}`);
    expect(change).toBeProblem('validation_error', { field: 'external_ref' });
  });

  const refused = (value: unknown): boolean =>
    JSON.stringify(value).includes('\\u0000') || JSON.stringify(value).includes('"__proto__":');

  it('come back as they were, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 5 })), async (fields) => {
        // What goes over the wire: -0 is 0 there.
        const text = JSON.stringify(fields);
        const kept = await keep(text);
        if (refused(fields)) return;
        expect(kept).toEqual(JSON.parse(text));
      }),
      { numRuns: 100 },
    );
  });

  it('come back as they were after they were replaced', async () => {
    const owner = await team.aClient();
    const id = String((await owner.post('/cases', { user_id: team.owner.user_id })).body['id']);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), async (fields) => {
        const text = JSON.stringify(fields);
        if (refused(fields)) return;
        const client = await team.aClient();
        const answer = await client.patch(`/cases/${id}`, `{"fields":${text}}`);
        expect([answer.status, answer.body['fields']]).toEqual([200, JSON.parse(text)]);
        expect((await client.get(`/cases/${id}`)).body['fields']).toEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });
});
