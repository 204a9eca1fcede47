import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber, parseExactly } from '../../src/core/exact-json.ts';
import { asKind, isFreeForm, jsonOf, parsed, readRows, rowOf, rowsOf } from '../../src/web/pages/cases/field-rows.ts';

const compact = (text: string): string => text.replaceAll(/\s/g, '');

describe('JSON that the app reads and writes', () => {
  it.each([
    '{"a": 12345678901234567890, "b": [1.10, {"c": -0.0}], "d": 9007199254740993}',
    '[0.1000000000000000055511151231257827, 100000000000000000000000]',
    '{"a": 1, "b": "12345678901234567890", "c": null, "d": 1.5}',
  ])('keeps every digit of its numbers: %s', (text) => {
    expect(JSON.stringify(parseExactly(text))).toBe(compact(text));
  });

  it('equals JSON.parse’s result if JavaScript writes its numbers in the same way', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('can’t contain a number beyond a double', () => {
    expect(parsed('{"a": 1e999}')).toBeUndefined();
    expect(parsed('{"a": -1e999}')).toBeUndefined();
  });
});

describe('the rows of free-form fields', () => {
  const read = (rows: Parameters<typeof readRows>[0]) => {
    const { fields } = { fields: undefined, ...readRows(rows) };
    return JSON.stringify(fields);
  };

  it('show and keep numbers digit by digit, at the top and nested', () => {
    const text = '{"big": 12345678901234567890, "zeros": 1.10, "nested": {"a": [9007199254740993]}, "text": "1.10"}';
    const rows = rowsOf(Object.fromEntries(Object.entries(Object(parseExactly(text)))));
    expect(rows.map((row) => [row.key, row.kind, row.text])).toEqual([
      ['big', 'number', '12345678901234567890'],
      ['zeros', 'number', '1.10'],
      ['nested', 'json', '{"a":[9007199254740993]}'],
      ['text', 'text', '1.10'],
    ]);
    expect(read(rows)).toBe(JSON.stringify(parseExactly(text)));
  });

  it('accept a number as it was typed', () => {
    const typed = (text: string) => read([rowOf({ key: 'n', kind: 'number', text })]);
    expect(typed('12345678901234567891')).toBe('{"n":12345678901234567891}');
    expect(typed('1,50')).toBe('{"n":1.50}');
    expect(typed(' 7 ')).toBe('{"n":7}');
    expect(typed('1.')).toBe('{"n":1}');
    expect(typed('0x10')).toBe('{"n":16}');
    expect(typed('')).toBeUndefined();
    expect(typed('1e999')).toBeUndefined();
    expect(typed('x')).toBeUndefined();
  });

  it('treat an exact number as a value, not as an object with fields', () => {
    const { value } = parsed('12345678901234567890') ?? {};
    expect(value).toBeInstanceOf(ExactNumber);
    expect([{}, { a: 1 }].every(isFreeForm)).toBe(true);
    expect([value, null, undefined, [], 'x'].some(isFreeForm)).toBe(false);
  });

  it('of which each has an id of its own show any JSON by its kind, and give it back', () => {
    const fields = {
      one: 1,
      yes: true,
      no: false,
      none: null,
      text: 'a\nb',
      month: '2026-13-01',
      no_day: '2026-11',
      deep: { a: ['b', 1] },
    };
    const rows = rowsOf(fields);
    expect(rows.map(({ kind, text }) => [kind, text])).toEqual([
      ['number', '1'],
      ['yes_no', 'true'],
      ['yes_no', 'false'],
      ['json', 'null'],
      ['text', 'a\nb'],
      ['text', '2026-13-01'],
      ['text', '2026-11'],
      ['json', '{"a":["b",1]}'],
    ]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^\w{1,5}$/), fc.jsonValue()), (any) => {
        const plain: unknown = JSON.parse(JSON.stringify(any));
        expect(JSON.parse(read(rowsOf(any)))).toEqual(plain);
        expect(JSON.parse(jsonOf(rowsOf(any)))).toEqual(plain);
      }),
    );
  });

  it('are left out if they are blank, and say what is wrong with them', () => {
    const blank = [rowOf(), rowOf({ key: ' ', text: ' ' }), rowOf({ kind: 'yes_no', text: 'true' })];
    expect([read(blank), jsonOf(blank)]).toEqual(['{}', '{}']);
    const rows = [
      rowOf({ id: 'ok', key: ' a ', text: '' }),
      rowOf({ id: 'again', key: 'a', text: 'x' }),
      rowOf({ id: 'nameless', key: ' ', text: 'x' }),
      rowOf({ id: 'json', key: ' b ', kind: 'json', text: '{' }),
      rowOf({ id: 'number', key: 'c', kind: 'number', text: 'x' }),
    ];
    expect(readRows(rows)).toEqual({
      errors: new Map([
        ['again', 'same_key'],
        ['nameless', 'no_key'],
        ['json', 'no_json'],
        ['number', 'no_number'],
      ]),
    });
    expect(readRows(rows.slice(0, 1))).toEqual({ fields: { a: '' } });
    expect(jsonOf(rows.slice(3))).toBe('{\n  "b": null,\n  "c": null\n}');
  });

  it('recognise dates and lists of texts, and write them back unchanged', () => {
    const fields = {
      renewal: '2026-11-20',
      no_day: '2026-02-30',
      objections: ['price', ' late '],
      none: [],
      mixed: ['a', 1],
      lines: ['a\nb'],
      blank: [''],
    };
    const rows = rowsOf(fields);
    expect(rows.map(({ key, kind, text }) => [key, kind, text])).toEqual([
      ['renewal', 'date', '2026-11-20'],
      ['no_day', 'text', '2026-02-30'],
      ['objections', 'list', 'price\n late '],
      ['none', 'list', ''],
      ['mixed', 'json', '["a",1]'],
      ['lines', 'json', '["a\\nb"]'],
      ['blank', 'json', '[""]'],
    ]);
    expect(read(rows)).toBe(JSON.stringify(fields));
    expect(readRows([rowOf({ id: 'x', key: 'on', kind: 'date', text: '' })])).toEqual({
      errors: new Map([['x', 'no_date']]),
    });
  });

  it('become JSON text in their order, also where keys are numbers', () => {
    const rows = [
      rowOf({ key: '2026', text: 'b' }),
      rowOf({ key: '7', kind: 'number', text: '1.10' }),
      rowOf({ key: 'list', kind: 'list', text: 'x\n\ny' }),
    ];
    expect(jsonOf(rows)).toBe('{\n  "2026": "b",\n  "7": 1.10,\n  "list": [\n    "x",\n    "y"\n  ]\n}');
    expect(jsonOf([])).toBe('{}');
  });

  it('keep the input when their kind changes, if it can be a value of that kind', () => {
    expect(asKind(rowOf({ text: 'price' }), 'list').text).toBe('price');
    expect(asKind(rowOf({ kind: 'json', text: '["a","b"]' }), 'list').text).toBe('a\nb');
    expect(asKind(rowOf({ text: '2026-11-20' }), 'date').text).toBe('2026-11-20');
    expect(asKind(rowOf({ text: 'soon' }), 'date').text).toBe('');
    expect(asKind(rowOf({ text: 'x' }), 'yes_no').text).toBe('true');
    expect(asKind(rowOf({ text: 'false' }), 'yes_no')).toMatchObject({ kind: 'yes_no', text: 'false' });
    expect(asKind(rowOf({ text: '["a"]' }), 'list')).toMatchObject({ kind: 'list', text: '["a"]' });
    expect(asKind(rowOf({ kind: 'json', text: '["a","b"]' }), 'text')).toMatchObject({
      kind: 'text',
      text: '["a","b"]',
    });
    expect(asKind(rowOf({ kind: 'json', text: '{' }), 'list').text).toBe('{');
  });
});
