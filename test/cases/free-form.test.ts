import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { anyCharacter } from '../support/any-character.ts';
import type { Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();
const team = await aTeam(service);

let client: Client;
let requests = 0;
/** A client whose key has not used up its budget. */
const aClient = async (): Promise<Client> => {
  if (requests % 40 === 0) client = await team.aClient();
  requests += 2;
  return client;
};

/** Sends a body unchanged and returns the stored value; undefined if it was refused. */
const keep = async (fieldsText: string) => {
  const body = `{"user_id":"${team.owner.user_id}","fields":${fieldsText},"external_ref":${fieldsText}}`;
  const own = await aClient();
  const answer = await own.post('/cases', body);
  if (answer.status !== 201) {
    expect(answer).toBeProblem('validation_error');
    return undefined;
  }
  const read = await own.get(`/cases/${String(answer.body['id'])}`);
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
    ['NUL in a text behind an equal key', '{"a":"\\u0000","a":1}'],
    ['half a character behind an equal key', '{"a":"\\ud83d","a":1}'],
    ['many keys', JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at])))],
  ])('come back unchanged: %s', async (_what, text) => {
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

  const refused = (value: unknown): boolean =>
    JSON.stringify(value).includes('\\u0000') || JSON.stringify(value).includes('"__proto__":');

  it('come back unchanged for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 5 })),
        async (fields) => {
          // The value as JSON: -0 becomes 0.
          const text = JSON.stringify(fields);
          const kept = await keep(text);
          if (refused(fields)) return;
          expect(kept).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('come back unchanged after they were replaced', async () => {
    const owner = await team.aClient();
    const id = String((await owner.post('/cases', { user_id: team.owner.user_id })).body['id']);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), async (fields) => {
        const text = JSON.stringify(fields);
        if (refused(fields)) return;
        const own = await aClient();
        const answer = await own.patch(`/cases/${id}`, `{"fields":${text}}`);
        expect([answer.status, answer.body['fields']]).toEqual([200, JSON.parse(text)]);
        expect((await own.get(`/cases/${id}`)).body['fields']).toEqual(JSON.parse(text));
      }),
      { numRuns: 10 },
    );
  });
});

const idOf = ({ body }: { body: Record<string, unknown> }) => String(body['id']);

describe('numbers in the free-form fields of a case', () => {
  it.each([
    ['a whole number beyond a double', '12345678901234567890'],
    ['zeros behind the point', '1.10'],
    ['more decimals than a double has', '0.1000000000000000055511151231257827'],
    ['an exponent', '1.5e3'],
    ['a negative exponent', '-2.50E-3'],
    ['a negative zero', '-0'],
    ['a number below every double', '1e-400'],
    ['more decimals than PostgreSQL’s numbers have', `0.${'1'.repeat(17_000)}`],
    ['an exponent that is no number any more', `1e-${'9'.repeat(400)}`],
  ])('come back digit by digit: %s', async (_what, sent) => {
    const owner = `"user_id":"${team.owner.user_id}"`;
    const client = await team.aClient();
    const made = await client.post('/cases', `{${owner}, "fields": {"a": [${sent}]}, "external_ref":{"b":${sent}}}`);
    expect(made.status).toBe(201);
    const read = await client.get(`/cases/${idOf(made)}`);
    const changed = await client.patch(`/cases/${idOf(made)}`, `{"fields":{"c":1,"a":[${sent}]}}`);
    const listed = await client.get('/cases?limit=1');
    for (const { text } of [made, read, listed, changed]) {
      expect(text).toContain(`"a":[${sent}]`);
      expect(text).toContain(`"external_ref":{"b":${sent}}`);
      expect(text).not.toContain('undefined');
      JSON.parse(text);
    }
  });

  it('are compared digit by digit: equal values change nothing', async () => {
    const client = await team.aClient();
    const owner = `"user_id":"${team.owner.user_id}"`;
    const made = await client.post('/cases', `{${owner},"fields":{"a":1.10,"b":9007199254740993}}`);
    const path = `/cases/${idOf(made)}`;
    const entries = () => service.database.prisma.auditEntry.count({ where: { targetId: idOf(made) } });
    expect((await client.patch(path, '{"fields": {"a":1.10, "b":9007199254740993}}')).status).toBe(200);
    expect((await client.patch(path, '{"fields":{"a":11e-1,"b":9007199254740993,"a":1.10}}')).status).toBe(200);
    expect(await entries()).toBe(1);
    expect((await client.patch(path, '{"fields":{"a":1.1,"b":9007199254740993}}')).text).toContain('"a":1.1,');
    expect((await client.patch(path, '{"fields":{"a":1.1,"b":9007199254740992}}')).text).toContain(
      '"b":9007199254740992',
    );
    expect(await entries()).toBe(3);
  });

  it('come back the same, to the byte, when the answer is replayed', async () => {
    const client = await team.aClient();
    const body = `{"user_id":"${team.owner.user_id}","fields":{"a":1.10,"b":12345678901234567890},"external_ref":{"$raw":"1"}}`;
    const options = { headers: { 'Idempotency-Key': 'digits' } };
    const first = await client.post('/cases', body, options);
    const again = await client.post('/cases', body, options);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(first.text).toContain('12345678901234567890');
  });
});

describe('the size of a case', () => {
  const max = limits.freeFormBytes;
  const ofBytes = (bytes: number) => ({ a: 'ü'.repeat((bytes - 8) / 2) });

  it.each(['fields', 'external_ref'])(
    '%s: 64 KiB of JSON are accepted, more are refused, in creations and changes',
    async (field) => {
      const client = await team.aClient();
      const user_id = team.owner.user_id;
      expect(Buffer.byteLength(JSON.stringify(ofBytes(max)))).toBe(max);
      const made = await client.post('/cases', { user_id, [field]: ofBytes(max) });
      expect([made.status, made.body[field]]).toEqual([201, ofBytes(max)]);
      expect(await client.post('/cases', { user_id, [field]: ofBytes(max + 2) })).toBeProblem('validation_error', {
        field,
      });
      const path = `/cases/${idOf(made)}`;
      expect(await client.patch(path, { [field]: ofBytes(max + 2) })).toBeProblem('validation_error', { field });
      const separators = { a: Array.from({ length: 32_000 }, () => 0) };
      expect((await client.patch(path, { [field]: separators })).body[field]).toEqual(separators);
    },
  );

  it('title and persona_id: 200 characters of any kind', async () => {
    const client = await team.aClient();
    const user_id = team.owner.user_id;
    for (const field of ['title', 'persona_id']) {
      const made = await client.post('/cases', { user_id, [field]: '💬'.repeat(limits.titleCharacters) });
      expect(made.status).toBe(201);
      const longer = { [field]: '💬'.repeat(limits.titleCharacters + 1) };
      for (const answer of [
        await client.post('/cases', { user_id, ...longer }),
        await client.patch(`/cases/${idOf(made)}`, longer),
      ]) {
        expect(answer).toBeProblem('validation_error', { errors: [expect.objectContaining({ path: [field] })] });
      }
    }
  });
});
