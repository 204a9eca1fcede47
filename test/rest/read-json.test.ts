import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import { readJson } from '../../src/server/rest/read-input.ts';

const codeOf = (read: () => unknown): string => {
  try {
    read();
    return 'read';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
};

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('readJson', () => {
  it('reads every object whose texts can be stored like JSON.parse', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed() && !value.includes('\0'));
    const object = fc.dictionary(text, fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(object, (value) => {
        const body = JSON.stringify(value);
        const storable = !/\\u0000|\\ud[89a-f]|__proto__/.test(body);
        fc.pre(storable && depthOf(value) <= 32);
        expect(readJson('application/json', Buffer.from(body))).toEqual({ values: JSON.parse(body), flaws: [] });
      }),
    );
  });

  it('refuses everything else with validation_error, and never changes a prototype', () => {
    const anything = fc.oneof(
      fc.uint8Array(),
      fc.json().map((json) => Buffer.from(json)),
      fc.string().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(anything, (body) => {
        expect(['read', 'validation_error']).toContain(codeOf(() => readJson(undefined, Buffer.from(body))));
      }),
      { numRuns: 1_000 },
    );
    const dangerous = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a');
    fc.assert(
      fc.property(fc.object({ key: dangerous, maxDepth: 4 }), (value) => {
        codeOf(() => readJson(undefined, Buffer.from(JSON.stringify(value))));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});
