import type { Language, Texts } from './language.ts';

// CSV files for people who open them in a spreadsheet: RFC 4180, in UTF-8 with a byte order mark, without which Excel guesses another
// encoding. Texts can't become formulas.

/** A value of a file. Times and days are ISO 8601, as in the API. `digits` is a decimal number that is stored as text. */
export type Cell = string | number | boolean | { readonly digits: string } | null | undefined;

export interface CsvColumn<Row> {
  heading: Texts;
  /** A method, because methods may narrow their parameters: a list of columns is stored without the type of its rows. */
  value(this: void, row: Row): Cell;
}

const byteOrderMark = '\uFEFF';

/** Excel separates columns by what its language uses: German has the comma in numbers. */
const separators: Readonly<Record<Language, string>> = { de: ';', en: ',' };

/** Spreadsheets execute texts that begin with one of these, possibly also after blanks and invisible characters. */
const formula = /^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r\n\u2212＝＋－＠]/u;

const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

const yesOrNo: Readonly<Record<Language, readonly [no: string, yes: string]>> = {
  de: ['nein', 'ja'],
  en: ['no', 'yes'],
};

/** A text that stays a text. NUL would end it in some programs. */
const inert = (text: string): string => (formula.test(text) ? `'${text}` : text).replaceAll('\0', '');

const written = (cell: Cell, language: Language): string => {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'boolean') return yesOrNo[language][cell ? 1 : 0];
  if (typeof cell === 'string') return inert(cell);
  const digits = typeof cell === 'number' ? String(cell) : cell.digits;
  if (!isDecimal(digits)) return inert(digits);
  return language === 'de' ? digits.replace('.', ',') : digits;
};

/** Both separators are quoted: a program that takes the other one must not find a formula behind it. */
const quoted = (text: string): string => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A line of a file, with its end. */
export const csvLine = (cells: readonly Cell[], language: Language): string =>
  `${cells.map((cell) => quoted(written(cell, language))).join(separators[language])}\r\n`;

/** The text of a file, page by page, so that the memory does not depend on the number of rows. */
export async function* csvText<Row>(
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
  language: Language,
): AsyncGenerator<string> {
  const heading = csvLine(
    columns.map((column) => column.heading[language]),
    language,
  );
  yield `${byteOrderMark}${heading}`;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield rows
      .map((row) =>
        csvLine(
          columns.map(({ value }) => value(row)),
          language,
        ),
      )
      .join('');
  }
}
