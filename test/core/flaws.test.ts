import { describe, expect, it } from 'vitest';
import { z, type ZodError } from 'zod';
import { flawsOf, flawsShown, refusalOfField } from '../../src/core/flaws.ts';
import { fieldMessages } from '../../src/core/messages/fields.ts';

const errorOf = (schema: z.ZodType, value: unknown): ZodError => {
  const { error } = schema.safeParse(value);
  if (!error) throw new Error('the value is right');
  return error;
};
const names = (count: number) => Array.from({ length: count }, (_, at) => `key${at}`);
const withKeys = (count: number) => Object.fromEntries(names(count).map((name) => [name, 1]));
const broken = (message: string, params?: Record<string, unknown>) => z.any().refine(() => false, { message, params });

describe('the flaws of a value', () => {
  it('have the path of what is wrong, and each unknown key is one', () => {
    const schema = z.strictObject({ list: z.array(z.strictObject({ age: z.int() })) });
    const flaws = flawsOf(errorOf(schema, { list: [{ age: 1 }, { age: 'x', more: 1, most: 2 }], other: 1 }));
    expect(flaws.map(({ path, code }) => [path, code])).toEqual([
      [['list', 1, 'age'], 'invalid_type'],
      [['list', 1, 'more'], 'unrecognized_keys'],
      [['list', 1, 'most'], 'unrecognized_keys'],
      [['other'], 'unrecognized_keys'],
    ]);
    expect(flaws[1]?.message).toEqual(fieldMessages.unknown);
  });

  it.each([
    ['unknown keys', z.strictObject({}), withKeys],
    ['wrong values', z.array(z.string()), (count: number) => Array.from({ length: count }, () => 1)],
  ])('are at most a hundred: %s', (_, schema, valueWith) => {
    for (const count of [flawsShown - 1, flawsShown, flawsShown + 1, 3 * flawsShown])
      expect(flawsOf(errorOf(schema, valueWith(count)))).toHaveLength(Math.min(count, flawsShown));
  });

  it('are at most a hundred, if the last of them is one of several unknown keys', () => {
    const schema = z.strictObject({ list: z.array(z.string()) });
    const value = { list: Array.from({ length: flawsShown - 1 }, () => 1), ...withKeys(5) };
    const flaws = flawsOf(errorOf(schema, value));
    expect(flaws).toHaveLength(flawsShown);
    expect(flaws.at(-1)?.path).toEqual(['key0']);
  });
});

describe('a value that breaks a rule of the application', () => {
  const rule = broken('not now', { field: 'due_at' });

  it('and no other is refused with the name of its field', () => {
    expect(refusalOfField(errorOf(z.object({ due_at: rule }), { due_at: 1 }))).toMatchObject({
      code: 'validation_error',
      members: { field: 'due_at', detail: 'not now' },
    });
  });

  it.each([
    ['with another flaw beside it', z.object({ due_at: rule, age: z.int() })],
    ['whose rule names no field', z.object({ due_at: broken('no') })],
    ['whose rule names a field by a number', z.object({ due_at: broken('no', { field: 1 }) })],
    ['that has the wrong type', z.object({ due_at: z.string() })],
  ])('is refused with a list of flaws: one %s', (_, schema) => {
    expect(refusalOfField(errorOf(schema, { due_at: 1 }))).toBeUndefined();
  });
});
