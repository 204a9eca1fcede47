import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { RawJson } from '../../src/core/json.ts';
import { answer, toCamel, toSnake } from '../../src/core/spelling.ts';

const CamelName = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,20}$/);
const Leaf = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.jsonValue().map((value) => new RawJson(JSON.stringify(value))),
  fc.uint8Array(),
);
const { value: AnyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    Leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(CamelName, tie('value'), { maxKeys: 6 }),
  ),
}));

describe('the two spellings of names', () => {
  test('what is turned to snake_case and back is the same', () => {
    fc.assert(
      fc.property(AnyValue, (value) => {
        expect(toCamel(toSnake(value))).toEqual(value);
      }),
    );
  });

  test('names have no capital letter in snake_case', () => {
    fc.assert(
      fc.property(fc.dictionary(CamelName, fc.integer()), (value) => {
        expect(Object.keys(toSnake(value)).join('')).not.toMatch(/[A-Z]/);
      }),
    );
  });

  test('names are spelled anew in lists and objects inside of others, and values stay', () => {
    const input = { user_id: 'a_b', page: [{ due_date: null, last_7_days: [['x_y']] }], p95_ms: 1 };
    const inner = { userId: 'a_b', page: [{ dueDate: null, last_7Days: [['x_y']] }], p95Ms: 1 };

    expect(toCamel(input)).toStrictEqual(inner);
    expect(toSnake(inner)).toStrictEqual(input);
    expectTypeOf(toCamel(input)).toEqualTypeOf(inner);
    expectTypeOf(toSnake(inner)).toEqualTypeOf(input);
  });

  test('an answer has times as texts, and keys that are data as they are', async () => {
    const raw = new RawJson('{"aB":1}');
    const at = new Date(0);
    const result = { createdAt: at, extRef: raw, perCode: new Map([['aB', { itsCount: 1 }]]) };

    expect(await answer(Promise.resolve(result))).toStrictEqual({
      created_at: at.toISOString(),
      ext_ref: raw,
      per_code: { aB: { its_count: 1 } },
    });
  });

  test('a time in a request stays a time', () => {
    const since = new Date(0);
    expect(toCamel({ updated_since: since })).toStrictEqual({ updatedSince: since });
  });

  test('a field that may be absent may be absent in the other spelling too', () => {
    expect(toCamel({})).toStrictEqual({});
    expectTypeOf(toCamel<{ user_id?: string }>({})).toEqualTypeOf<{ userId?: string }>();
    expectTypeOf(toSnake<{ userId?: string | null }>({})).toEqualTypeOf<{ user_id?: string | null }>();
  });

  test('the types refuse a record whose keys are data', () => {
    expect(toSnake({})).toStrictEqual({});
    // @ts-expect-error -- it fits no schema
    expectTypeOf(toSnake<Record<string, number>>({})).toExtend<Record<string, number>>();
  });
});
