import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldMessages } from '../../src/core/messages/fields.ts';
import { boundedText, Instant, personal, redactorOf, textUpTo } from '../../src/platform/values.ts';
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

it('a time that is none is refused as one, with a message', () => {
  expect(Instant.safeParse('yesterday').error?.issues).toEqual([
    { code: 'invalid_format', format: 'datetime', path: [], message: fieldMessages.time.api },
  ]);
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
