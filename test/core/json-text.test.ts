import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanJson } from '../../src/core/json-text.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The form that PostgreSQL stores: its bytes without the spaces between values, and the most digits after a decimal point. */
const asStored = async (text: string) => {
  const [row] = await service.database.prisma.$queryRaw<{ kept: string }[]>`select ${text}::jsonb::text as kept`;
  const kept = row?.kept ?? '';
  const withoutSpaces = kept.replaceAll(/"(?:[^"\\]|\\.)*"|( )/gs, (token, between?: string) => (between ? '' : token));
  const numbers = kept.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').matchAll(/\.(\d+)/g);
  return {
    storedBytes: Buffer.byteLength(withoutSpaces),
    decimals: Math.max(0, ...[...numbers].map(([, digits = '']) => digits.length)),
  };
};

const sizeOf = (text: string) => {
  const { storedBytes, decimals } = scanJson(text);
  return { storedBytes, decimals };
};

describe('the size of a JSON text', () => {
  it.each([
    '{}',
    ' { "a" : [ 1 , 2 ] } ',
    '[true,false,null,"",[],{}]',
    '{"a":1.5e3,"b":-2.50E-3,"c":1e-400,"d":100000e-5,"e":0.001e5,"f":12e-1,"g":1e0}',
    '[-0,-0.0,0,0.00,-0.50,0e5,0.00e1,-0e-3,0e99999,1E+2,-1e-2]',
    String.raw`["\u0001\u001f\"\\\/\b\f\n\r\t\u007f","\u0041\u00e9\u20ac\ud83d\ude00","ü€😀","\\u0041"]`,
    '{"ü\\u0022":{"\\n":"a b"}}',
  ])('is that of PostgreSQL’s text: %s', async (text) => {
    expect(sizeOf(text)).toEqual(await asStored(text));
  });

  it('is that of PostgreSQL’s text, for any JSON', async () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,8}$/)),
        fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,6}$/), fc.stringMatching(/^\.0{1,5}\d?$/)),
        fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,2}$/)),
      )
      .map((parts) => parts.join(''));
    const text = fc
      .string({ unit: 'binary' })
      .map((value) => JSON.stringify(value))
      .filter((value) => !value.includes(String.raw`\u0000`) && !/\\ud[89a-f]/.test(value));
    const json = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('null', 'true', 'false'),
        number,
        text,
        fc.array(tie('value')).map((values) => `[${values.join(' ,')}]`),
        fc
          .uniqueArray(fc.tuple(text, tie('value')), { selector: ([key]) => String(JSON.parse(key)) })
          .map((members) => `{${members.map(([key, value]) => `${key} :\n${value}`).join(',')}}`),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        expect(sizeOf(value)).toEqual(await asStored(value));
      }),
      { numRuns: 300 },
    );
  });

  it('counts values, keys and levels like parsing, and returns the requested members', () => {
    const count = (value: unknown): { values: number; keys: number; depth: number } => {
      if (typeof value !== 'object' || value === null) return { values: 1, keys: 0, depth: 0 };
      const inside = Object.values(value).map(count);
      return {
        values: inside.reduce((sum, { values }) => sum + values, 1),
        keys: inside.reduce((sum, { keys }) => sum + keys, Array.isArray(value) ? 0 : Object.keys(value).length),
        depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
      };
    };
    const key = fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__');
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.jsonValue({ maxDepth: 5 }), { noNullPrototype: true }),
        fc.nat(4),
        (given, spaces) => {
          const text = JSON.stringify(given, undefined, spaces);
          const scanned = scanJson(text, Object.keys(given));
          expect(scanned).toMatchObject(count(given));
          const members = [...scanned.members].map(([name, member]) => [name, JSON.parse(member.text), member.values]);
          expect(members).toEqual(
            Object.keys(given).map((name) => [
              name,
              JSON.parse(JSON.stringify(given[name])),
              count(given[name]).values,
            ]),
          );
        },
      ),
    );
  });

  it('uses the last one of equal keys', () => {
    const { members } = scanJson(String.raw`{"a":1,"b":{"a":2},"\u0061":[3, 4] }`, ['a']);
    expect([...members.values()]).toMatchObject([{ text: '[3, 4]', values: 3, storedBytes: 5 }]);
  });

  it('is found for every text, JSON or not', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[],:"\\-+.0e1u ') })), (text) => {
        expect(scanJson(text, ['a']).values).toBeTypeOf('number');
      }),
      { numRuns: 2_000 },
    );
  });
});
