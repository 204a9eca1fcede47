// JSON in which numbers keep every digit: `JSON.parse` alone turns 12345678901234567890 into 12345678901234567000, and
// 18400.50 into 18400.5.

declare global {
  interface JSON {
    /** Missing in browsers older than 2025, and in TypeScript's types. */
    rawJSON?: (text: string) => object;
  }
}

/** A number that JavaScript would write with other digits. `JSON.stringify` writes it as it was read. */
export class ExactNumber {
  /** The number in the form that it has in the JSON text. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  valueOf(): number {
    return Number(this.source);
  }

  toJSON(): unknown {
    return JSON.rawJSON?.(this.source) ?? Number(this.source);
  }
}

/** A text without a match contains only numbers that JavaScript writes unchanged. */
const mayLoseDigits = /\d{16}|\d[.eE]|-0/;

const exactly = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && source !== String(value) ? new ExactNumber(source) : value;

/** Parses JSON; a number that would lose digits becomes an `ExactNumber`. Throws `SyntaxError`. */
export const parseExactly = (text: string): unknown =>
  // TypeScript's types do not have the source text that a reviver gets.
  mayLoseDigits.test(text) ? Reflect.apply(JSON.parse, JSON, [text, exactly]) : JSON.parse(text);
