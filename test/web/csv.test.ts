import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';
import { byteOrderMark, csvLine, type CsvValue } from '../../src/web/kit/list/csv.ts';
import { ExactNumber } from '../../src/core/exact-json.ts';

const line = (...cells: CsvValue[]) => csvLine(cells, 'en');

describe('a CSV file', () => {
  it('never has a text that a spreadsheet executes', () => {
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝']) {
      expect(csvLine([`${start}cmd|' /C calc'!A0`], 'de').replace(/^"/, '')).toMatch(/^'/);
    }
    expect(line('=HYPERLINK("https://evil.example";"x")')).toBe(`"'=HYPERLINK(""https://evil.example"";""x"")"\r\n`);
    expect(line(-3, new ExactNumber('-12.50'), new ExactNumber('-1+1'))).toBe(`-3,-12.50,'-1+1\r\n`);
  });

  it('sees the beginning of a formula behind characters that nobody sees', () => {
    const invisible = fc.constantFrom(
      ...'\0\u0001\u001F\u007F\u0085\u00A0\u00AD\u200B\u200E\u2028\u2060\u3000\uFE0F\uFEFF ',
    );
    const starts = fc.constantFrom(...'=+-@\u2212\uFF1D\uFF0B\uFF0D\uFF20\t\r\n');
    fc.assert(
      fc.property(fc.array(invisible), starts, fc.string(), (before, start, rest) => {
        expect(line(before.join('') + start + rest)).toMatch(/^"?'/);
      }),
    );
    expect(line('\u00A0Anna', ' a = b', 'a\u200B=b')).toBe('\u00A0Anna, a = b,a\u200B=b\r\n');
  });

  it('keeps quotes, separators and line ends inside a cell', () => {
    expect(line('a "b"', 'c,d', 'e\nf', 'g;h', null, undefined, '')).toBe('"a ""b""","c,d","e\nf","g;h",,,\r\n');
    expect(line('a\tb', 'c\rd', 'e f')).toBe('"a\tb","c\rd",e f\r\n');
    expect(line('a\0b')).toBe('ab\r\n');
    expect(Buffer.from(byteOrderMark).toString('hex')).toBe('efbbbf');
  });

  it('writes numbers as the spreadsheets of the language read them, with every digit', () => {
    const cells = [1.5, 1e21, new ExactNumber('12345678901234567890.10'), true, '2026-11-20T08:30:00.000Z'];
    expect(csvLine(cells, 'de')).toBe('"1,5";1e+21;"12345678901234567890,10";ja;2026-11-20T08:30:00.000Z\r\n');
    expect([csvLine([false], 'de'), csvLine([false], 'en')]).toEqual(['nein\r\n', 'no\r\n']);
    expect(csvLine(cells, 'en')).toBe('1.5,1e+21,12345678901234567890.10,yes,2026-11-20T08:30:00.000Z\r\n');
  });

  it('is offered for every list with pages', async () => {
    const without: string[] = [];
    for await (const file of filesMatching('src/web/pages/**/*.tsx')) {
      const source = await readFile(file, 'utf8');
      if (/\busePages\(/.test(source) && /\blist=\{/.test(source) && !source.includes('csv={{')) without.push(file);
    }
    expect(without).toEqual([]);
  });
});
