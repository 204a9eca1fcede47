import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  boundedText,
  CalendarDay,
  Email,
  Instant,
  lineOf,
  noTextOrUpTo,
  personal,
  redactorOf,
  textUpTo,
} from '../../src/platform/values.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('a text with a limited number of characters', () => {
  it('is measured in code points, at both limits', () => {
    const bounds = fc.record({ min: fc.nat(4), more: fc.nat(6) });
    // Many characters of two UTF-16 units.
    const text = fc.string({ unit: fc.oneof(anyCharacter, fc.constant('🐎')), maxLength: 14 });
    fc.assert(
      fc.property(text, bounds, (value, { min, more }) => {
        const length = Array.from(value).length;
        const max = min + more;
        expect(boundedText(max, { min }).safeParse(value).success).toBe(length >= min && length <= max);
      }),
      { numRuns: 2_000 },
    );
    for (const [character, count] of [
      ['a', 3],
      ['🐎', 3],
    ] as const) {
      const texts = [count - 1, count, count + 1].map((times) => character.repeat(times));
      expect(texts.map((value) => textUpTo(count, count).safeParse(value).success)).toEqual([false, true, false]);
    }
  });

  it('is measured without the spaces at its ends, if they are removed', () => {
    expect(boundedText(2, { trimmed: true }).parse('  ab ')).toBe('ab');
    expect(boundedText(2).safeParse(' ab').success).toBe(false);
  });
});

it('a time that is none is refused as one, with an example that is one', () => {
  const [issue] = Instant.safeParse('yesterday').error?.issues ?? [];
  expect(issue?.code).toBe('invalid_format');
  const [example] = /\d[\d:T+-]+\d/.exec(issue?.message ?? '') ?? [];
  expect(Instant.safeParse(example).success).toBe(true);
});

describe('the redactor of a schema', () => {
  const Person = z.object({
    id: z.string(),
    name: personal(z.string().nullable(), 'null'),
    email: personal(z.string().optional(), 'omit'),
  });

  it('leaves out and nulls personal fields, at any depth, and changes nothing else', () => {
    const redact = redactorOf(z.object({ list: z.array(Person), one: Person.nullable(), other: z.number() }));
    const person = { id: '1', name: 'Mia', email: 'mia@example.org' };
    const value = { list: [person, person], one: person, other: 1 };
    const hidden = { id: '1', name: null };
    expect(redact?.(value)).toStrictEqual({ list: [hidden, hidden], one: hidden, other: 1 });
    expect(redact?.({ ...value, one: null })).toStrictEqual({ list: [hidden, hidden], one: null, other: 1 });
    expect(value.one).toBe(person);
    expect(person.name).toBe('Mia');
  });

  it('is none if nothing is personal', () => {
    expect(redactorOf(z.object({ list: z.array(z.object({ id: z.string() })) }))).toBeUndefined();
  });
});

describe('the description of a text', () => {
  const described = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });

  it('has its limits, the lower one only if there is one', () => {
    expect(described(textUpTo(5, 2))).toMatchObject({ type: 'string', minLength: 2, maxLength: 5 });
    expect(described(textUpTo(5))).toMatchObject({ type: 'string', maxLength: 5 });
    expect(described(textUpTo(5))).not.toHaveProperty('minLength');
    expect(described(noTextOrUpTo(5))).toMatchObject({ maxLength: 5 });
  });
});

it('a text of the wrong length is refused for that alone, with its limits, or with the message that is given', () => {
  const messages = (schema: z.ZodType) => schema.safeParse('too\nlong').error?.issues.map(({ message }) => message);
  const limitsIn = (schema: z.ZodType) => messages(schema)?.map((message) => message.match(/\d+/g));
  expect(limitsIn(textUpTo(5))).toEqual([['5']]);
  expect(limitsIn(textUpTo(5, 2))).toEqual([['2', '5']]);
  expect(limitsIn(lineOf(5))).toEqual([['1', '5']]);
  expect(messages(boundedText(5, { message: { de: 'Zu lang.', en: 'Too long.' } }))).toEqual(['Too long.']);
});

it('a day is one of the calendar, from the year 1 on', () => {
  const days = ['0001-01-01', '2026-12-24', '9999-12-31', '2000-00-00', '0000-01-01', '2026-02-30', '2026-1-1'];
  expect(days.map((day) => CalendarDay.safeParse(day).success)).toEqual([true, true, true, false, false, false, false]);
});

it('an email address is in lower case; any other text is refused as none', () => {
  expect(Email.parse('Mia@Example.org')).toBe('mia@example.org');
  expect(Email.safeParse('nobody').error?.issues).toMatchObject([{ code: 'invalid_format' }]);
});
