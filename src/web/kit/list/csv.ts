import type { Language } from '../../../core/language.ts';
import type { ExactNumber } from '../../../core/exact-json.ts';

// CSV files for people who open them in a spreadsheet: RFC 4180, in UTF-8 with a byte order mark, without which Excel
// guesses another encoding. Texts can't become formulas.

/**
 * A value in a file. Times and days are written in ISO 8601, and statuses and kinds as in the API, so that a file can
 * be compared with the API.
 */
export type CsvValue = string | number | boolean | ExactNumber | null | undefined;

export const byteOrderMark = '\uFEFF';

/**
 * Excel expects the separator of the reader's language: German uses the comma in numbers, so columns have semicolons.
 */
const separators: Readonly<Record<Language, string>> = { de: ';', en: ',' };

const yesOrNo: Readonly<Record<Language, readonly [no: string, yes: string]>> = {
  de: ['nein', 'ja'],
  en: ['no', 'yes'],
};

/** Spreadsheets execute texts that begin with one of these, possibly also after blanks and invisible characters. */
const formula = /^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r\n\u2212＝＋－＠]/u;

/** A text that a spreadsheet does not execute. NUL would end it in some programs. */
const inert = (text: string): string => (formula.test(text) ? `'${text}` : text).replaceAll('\0', '');

const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

const written = (value: CsvValue, language: Language): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return yesOrNo[language][value ? 1 : 0];
  if (typeof value === 'string') return inert(value);
  const digits = typeof value === 'number' ? String(value) : value.source;
  if (!isDecimal(digits)) return inert(digits);
  return language === 'de' ? digits.replace('.', ',') : digits;
};

/**
 * A text with either separator is quoted: a program that expects the other separator must not find a formula behind it.
 */
const quoted = (text: string): string => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A line of a file, including its line break. */
export const csvLine = (values: readonly CsvValue[], language: Language): string =>
  `${values.map((value) => quoted(written(value, language))).join(separators[language])}\r\n`;
