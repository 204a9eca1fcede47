/** A number of a JSON text that a JavaScript number would write with other digits, such as `18400.50` or `12345678901234567890`. */
export class ExactNumber {
  /** As the JSON text has it. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  valueOf(): number {
    return Number(this.source);
  }
}

const exactly = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && source !== String(value) ? new ExactNumber(source) : value;

/** Where the text that begins at a quote ends: behind its closing quote, which an odd number of backslashes would escape. */
const endOfText = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return json.length;
};

const textOrNumber = /["\d-]/g;
const restOfNumber = /[\d.eE+-]*/y;

/** Whether a JSON text has a number that JavaScript would write with other digits. */
const losesDigits = (json: string): boolean => {
  let at = 0;
  for (;;) {
    textOrNumber.lastIndex = at;
    if (!textOrNumber.test(json)) return false;
    const start = textOrNumber.lastIndex - 1;
    if (json[start] === '"') {
      at = endOfText(json, start);
    } else {
      restOfNumber.lastIndex = start;
      restOfNumber.test(json);
      at = Math.max(restOfNumber.lastIndex, start + 1);
      const written = json.slice(start, at);
      if (String(Number(written)) !== written) return true;
    }
  }
};

/**
 * Parses JSON; numbers that would lose digits are kept as `ExactNumber`. Throws `SyntaxError`. A text without such numbers is parsed as usual,
 * which costs less time and memory.
 */
export const parseExactly = (text: string): unknown =>
  // TypeScript's `JSON.parse` has no type yet for the source text that a reviver gets.
  losesDigits(text) ? Reflect.apply(JSON.parse, JSON, [text, exactly]) : JSON.parse(text);

/** A JSON number is as long as its author likes; with its zeros written out it is no longer than this. */
const mostDigits = 100;

const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Decimal text of a number, or of a text that is one, with the digits that it has: `18400.50` stays `18400.50`, `1.5e3` is `1500`.
 * Undefined for everything else, and for a number of more than a hundred digits.
 */
export const decimalText = (value: unknown): string | undefined => {
  const written = value instanceof ExactNumber ? value.source : value;
  if (typeof written !== 'string' && typeof written !== 'number') return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = number.exec(String(written)) ?? [];
  const shift = Number(exponent);
  if (whole === '' || Math.abs(shift) > mostDigits || whole.length + fraction.length > mostDigits) return undefined;
  if (shift === 0) return sign + (fraction === '' ? whole : `${whole}.${fraction}`);

  const digits = whole + fraction;
  const point = whole.length + shift;
  const before = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const behind = point > 0 ? digits.slice(point) : digits.padStart(digits.length - point, '0');
  const trimmed = before.replace(/^0+(?=\d)/, '');
  return sign + (behind === '' ? trimmed : `${trimmed}.${behind}`);
};
