// JSON in which numbers keep every digit. Free-form fields may hold numbers with more digits than a JavaScript number has: `JSON.parse`
// and `JSON.stringify` alone would turn 12345678901234567890 into 12345678901234567000.

declare global {
  interface JSON {
    /** Absent in browsers older than 2025; there such numbers lose digits. */
    rawJSON?: (text: string) => object;
  }
}

/** A number that JavaScript would write differently. `JSON.stringify` writes it as it was read. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.rawJSON?.(this.text) ?? Number(this.text);
  }
}

/** Parses JSON. A number that JavaScript would write differently becomes an `ExactNumber`; one that a double can't hold throws. */
export const parseExact = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number') return value;
    if (!Number.isFinite(value)) throw new RangeError('the number is too large');
    const source = context?.source;
    return source === undefined || source === String(value) ? value : new ExactNumber(source);
  });
