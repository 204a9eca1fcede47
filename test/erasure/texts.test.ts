import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replacementsFor } from '../../src/modules/erasure/steps.ts';
import { replacedText } from '../../src/platform/team-table.ts';
import { useConnection, useDatabase } from '../support/postgres.ts';

const sql = await useConnection((await useDatabase()).url);

interface Person {
  names?: string[];
  emails?: string[];
  ids?: [string, string][];
}

const wantedOf = ({ names = [], emails = [], ids = [] }: Person) => replacementsFor({ names, emails, ids });

/** A text after the erasure of a person. If something is replaced, the search for rows must have found it too. */
const erasedText = async (person: Person, text: string): Promise<string> => {
  const { texts, any, likely } = wantedOf(person);
  const { rows } = await sql.query<{ erased: string; found: boolean }>(
    `select ${replacedText('$1::text', '$2::text[]', '$3::text[]')} as erased, $1 ~* $4 and lower($1) like any (select lower(p) from unnest($5::text[]) p) as found`,
    [text, texts.patterns, texts.replacements, any, likely],
  );
  const [row = expect.fail('no row')] = rows;
  if (row.erased !== text) expect(row.found).toBe(true);
  return row.erased;
};

/** The same for JSON, as a column of JSON has it. */
const erasedJson = async (person: Person, value: unknown): Promise<unknown> => {
  const { json, any, likely } = wantedOf(person);
  const replaced = replacedText('$1::jsonb::text', '$2::text[]', '$3::text[]');
  const { rows } = await sql.query<{ erased: string; found: boolean }>(
    `select ${replaced}::jsonb::text as erased,
            ($1::jsonb::text ~* $4 and lower($1::jsonb::text) like any (select lower(p) from unnest($5::text[]) p)) or ${replaced} = $1::jsonb::text as found`,
    [JSON.stringify(value), json.patterns, json.replacements, any, likely],
  );
  const [row = expect.fail('no row')] = rows;
  expect(row.found).toBe(true);
  return JSON.parse(row.erased);
};

const anna = { names: ['Anna Mark'], emails: ['anna@x.example'] };

describe('an erased person’s name and address', () => {
  it.each([
    ['Call Anna Mark.', 'Call [erased].'],
    ['Call\nAnna\nMark', 'Call\n[erased]'],
    ['Call ANNA  \r\n mark!', 'Call [erased]!'],
    ['anna@x.example\nAnna Mark\nanna@x.example', '[erased]\n[erased]\n[erased]'],
    ['\tanna@x.example\t', '\t[erased]\t'],
  ])('are replaced in a text of several lines and in JSON that contains it: %j', async (text, erased) => {
    expect(await erasedText(anna, text)).toBe(erased);
    expect(await erasedJson(anna, { text })).toEqual({ text: erased });
    // JSON within a text, and within a text of JSON.
    expect(await erasedText(anna, JSON.stringify({ text }))).toBe(JSON.stringify({ text: erased }));
    const nested = { text: JSON.stringify({ text }) };
    expect(await erasedJson(anna, nested)).toEqual({ text: JSON.stringify({ text: erased }) });
  });

  it.each([
    ['https://x.example/?q=call%20anna@x.example', 'https://x.example/?q=call%20[erased]'],
    ['https://x.example/?q=call%20anna%40x.example%0Anow', 'https://x.example/?q=call%20[erased]%0Anow'],
    ['https://x.example/?name=Anna%20Mark&name=Anna+Mark', 'https://x.example/?name=[erased]&name=[erased]'],
  ])('are replaced in a URL: %s', async (text, erased) => {
    expect(await erasedText(anna, text)).toBe(erased);
    expect(await erasedJson(anna, [text])).toEqual([erased]);
  });

  it.each([
    ['https://x.example/?q=zelda.q%2Btag@x-y.example&a=1', 'https://x.example/?q=[erased]&a=1'],
    ['https://x.example/?q=zelda.q%2btag@x-y.example', 'https://x.example/?q=[erased]'],
    ['zelda.q+tag%40x-y.example', '[erased]'],
    ['call%20zelda%2Eq+tag@x%2Dy%2eexample.', 'call%20[erased].'],
  ])('are replaced if a URL encodes some characters of an address: %s', async (text, erased) => {
    const zelda = { emails: ['zelda.q+tag@x-y.example'] };
    expect(await erasedText(zelda, text)).toBe(erased);
    expect(await erasedJson(zelda, [text])).toEqual([erased]);
  });

  it.each([
    ['Ali Işık', 'ALI IŞIK'],
    ['ΝΊΚΟΣ Παπάς', 'Νίκος Παπάς'],
    ['Jörg Groß', 'JÖRG Groß'],
    ['李 小龍', '李 小龍'],
  ])('are found in any case if they are not ASCII: %s', async (name, text) => {
    // If PostgreSQL takes both for the same name, the search for rows finds it.
    await erasedText({ names: [name] }, text);
    expect(await erasedText({ names: [name] }, `Call ${name}.`)).toBe('Call [erased].');
  });

  it('are replaced in a URL if they are not ASCII', async () => {
    const person = { names: ['Jörg Groß'], emails: [] };
    const url = `https://x.example/?name=${encodeURIComponent('Jörg Groß')}`;
    expect(await erasedText(person, url)).toBe('https://x.example/?name=[erased]');
  });

  it.each([
    'Anna Markus',
    'Anna\nMarkus',
    'Joanna Mark',
    'Call\nJoanna Mark',
    'Anna and Mark',
    'hanna@x.example',
    'write to\nhanna@x.example',
    'c-anna@x.example',
    'eva%2Banna@x.example eva%2Danna@x.example eva%2eanna@x.example',
    'anna@x.example.org',
    'anna%40x.example%2Eorg',
  ])('are kept if they are part of a longer one: %j', async (text) => {
    expect(await erasedText(anna, text)).toBe(text);
    expect(await erasedJson(anna, { text })).toEqual({ text });
  });

  it('of one word are replaced if they are the whole text or quoted', async () => {
    const mark = { names: ['Mark'] };
    expect(await erasedText(mark, ' mark\n')).toBe('[erased]');
    expect(await erasedJson(mark, { name: 'Mark', line: 'Mark\n', text: 'Mark this', list: ['Denmark'] })).toEqual({
      name: '[erased]',
      line: '[erased]',
      text: 'Mark this',
      list: ['Denmark'],
    });
    expect(await erasedText(mark, JSON.stringify(JSON.stringify({ name: 'Mark' })))).toBe(
      JSON.stringify(JSON.stringify({ name: '[erased]' })),
    );
  });

  it.each([
    [{ names: ['Anna Zorn'] }, 'Anna Zorn '],
    [{ names: ['a b'] }, 'a b '],
    [{ names: ['a b'] }, 'a b\n'],
    [{ names: ['Mark'] }, '"mark"'],
    [{ emails: ['a@x.example'] }, 'a@x.example '],
  ])('are replaced in a long text, however often it names the person: %j', async (person, naming) => {
    const times = Math.floor(63_000 / naming.length);
    const erased = (await erasedText(person, naming)).repeat(times);
    // Time that grows with the square of the length would exceed the time limit of the test.
    expect(await erasedText(person, naming.repeat(times))).toBe(erased);
    expect(await erasedJson(person, { text: naming.repeat(times) })).toEqual({ text: erased });
  });

  it('do not match the letter of an escape', async () => {
    const nina = { names: ['Nina Berg'], emails: ['nina@x.example'] };
    const text = 'For\nina@x.example\nina Berg';
    expect(await erasedJson(nina, { text })).toEqual({ text });
    expect(await erasedJson(nina, { text: 'DOMAIN\\nina@x.example' })).toEqual({ text: 'DOMAIN\\[erased]' });
    expect(await erasedText(nina, 'DOMAIN\\nina@x.example')).toBe('DOMAIN\\[erased]');
  });

  it.each(['"Anna Mark', 'Anna Mark"', 'Anna "Mark', 'Anna\\ Mark\\', '\\'])(
    'leave valid JSON, for any name: %s',
    async (name) => {
      const person = { names: [name] };
      const kept = { a: 'Anna Mark', b: ['Anna Mark', 'a\\b'] };
      expect(await erasedJson(person, { kept, name })).toEqual({ kept, name: '[erased]' });
      expect(await erasedText(person, name)).toBe('[erased]');
    },
  );

  it('leave valid JSON without the address, whatever is around it', async () => {
    const emails = ['nina@x.example'];
    const ids: [string, string][] = [['beef0000-0000-4000-8000-000000000000', 'the-placeholder']];
    const pieces = [
      '\\',
      '"',
      '\n',
      '\t',
      '\b',
      '\u0001',
      'n',
      'u000',
      'Nina',
      'Berg',
      ' ',
      '"n" Berg',
      emails[0],
      'ina@x.example',
      ids[0]?.[0],
      'eef0000-0000-4000-8000-000000000000',
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((list) => list.join(''));
    const name = fc.constantFrom('Nina Berg', '"n" Berg', 'n', '\\', '"', 'u000', 'n" Berg\\');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(text, text, { maxKeys: 3 }), name, async (value, named) => {
        const found = JSON.stringify(await erasedJson({ names: [named], emails, ids }, value));
        const apart = /(?<![\w\\])nina@x\.example(?![\w.-])/i;
        expect(found).not.toMatch(apart);
      }),
      { numRuns: 300 },
    );
  });
});
