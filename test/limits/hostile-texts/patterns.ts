/** A text of any length that makes careless rules slow: `unit` is repeated between `start` and `end`. */
export interface Pattern {
  readonly name: string;
  readonly start?: string;
  readonly unit: string;
  readonly end?: string;
}

/** The ends differ from the units: a rule that backtracks is slow where it fails. */
const patterns: readonly Pattern[] = [
  { name: 'letters', unit: 'n' },
  { name: 'digits', unit: '1', end: 'x' },
  { name: 'full stops', start: 'a', unit: '.' },
  { name: 'labels', unit: 'a.' },
  { name: 'labels in Punycode', unit: 'xn--a-.' },
  { name: 'hyphens', start: 'a', unit: '-', end: '.' },
  { name: 'spaces', start: 'a', unit: ' ', end: 'a' },
  { name: 'line breaks and tabs', start: 'a', unit: '\n\t \r', end: 'a' },
  // In the order in which normalization has to sort them.
  { name: 'combining marks', start: 'a', unit: '\u0301\u0316' },
  { name: 'full width characters', unit: 'ａ．' },
  { name: 'joined emoji', unit: '👩\u200d' },
  { name: 'invisible characters', start: 'a', unit: '\u200d\u202e\u2066\u00ad', end: 'a' },
  { name: 'lone surrogates', unit: '\ud800' },
  { name: 'almost addresses', unit: 'a@a.', end: '@' },
  { name: 'at signs', start: 'a', unit: '@' },
  { name: 'beginnings of URLs', unit: 'a://', end: ' ' },
  { name: 'brackets', unit: '[{' },
  { name: 'backslashes and quotes', unit: '\\"\'' },
  { name: 'escapes', unit: '%25', end: '%' },
  { name: 'commas and semicolons', unit: ',;' },
  { name: 'parameters', unit: 'a=1,' },
  { name: 'almost times', start: '2026-11-20T', unit: '00:00:', end: 'x' },
  { name: 'almost phone numbers', unit: '1 -', end: 'x' },
];

const seed = process.env['HOSTILE_SEED'];

/** All patterns, or with `HOSTILE_SEED` a fifth of them. Five numbers in a row have all. */
export const hostilePatterns = patterns.filter((_, at) => seed === undefined || at % 5 === Number(seed) % 5);

/** For the names of tests. */
export const ofPatterns = seed === undefined ? 'all patterns' : `HOSTILE_SEED=${seed}`;

/** The longest text of a pattern that takes at most so many bytes. `bytesOf` is the size of a text where it is sent. */
export const textOfBytes = (
  { start = '', unit, end = '' }: Pattern,
  bytes: number,
  bytesOf: (text: string) => number,
): string => start + unit.repeat(Math.max(1, Math.floor((bytes - bytesOf(start + end)) / bytesOf(unit)))) + end;

/** The same with at most so many characters. */
export const textOfCharacters = ({ start = '', unit, end = '' }: Pattern, max: number): string => {
  const times = Math.floor((max - start.length - end.length) / unit.length);
  return times < 1 ? unit.slice(0, max) : start + unit.repeat(times) + end;
};
