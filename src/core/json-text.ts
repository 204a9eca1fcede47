// Measures a JSON text without parsing it, in one pass. A text that is built to keep the process busy must be refused before it is
// parsed.

/** The size of a JSON text or of a part of it. */
export interface JsonSize {
  /** Values on all levels; an object or list is one value too. */
  readonly values: number;
  /**
   * The bytes of the text that PostgreSQL's `jsonb` writes for it, without the spaces between values. Members with equal keys all count.
   */
  readonly storedBytes: number;
  /** The digits after the decimal point of the number that has most of them, as `jsonb` writes it. */
  readonly decimals: number;
  /**
   * A text or key has an escape that PostgreSQL can't store: NUL, or half of a surrogate pair. Members with equal keys all count, while
   * parsing shows only the last one.
   */
  readonly hasUnstorableText: boolean;
}

/** A member of the outermost object. */
export interface JsonMember extends JsonSize {
  readonly text: string;
}

export interface ScannedJson extends JsonSize {
  /** Nested levels of objects and lists. */
  readonly depth: number;
  readonly keys: number;
  /** Members of the outermost object, and its different keys. */
  readonly ownMembers: number;
  readonly ownKeys: number;
  /** The requested members, by key; of equal keys the last one. */
  readonly members: ReadonlyMap<string, JsonMember>;
}

/** Where counting stops: a text with more is refused anyway. */
export type Most = Readonly<Record<'depth' | 'values' | 'keys' | 'ownKeys', number>>;

const unlimited: Most = { depth: Infinity, values: Infinity, keys: Infinity, ownKeys: Infinity };

const code = (char: string): number => char.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const comma = code(',');
const colon = code(':');
const leftBrace = code('{');
const rightBrace = code('}');
const leftBracket = code('[');
const rightBracket = code(']');
const minus = code('-');
const plus = code('+');
const point = code('.');
const zero = code('0');
const nine = code('9');
const lowerE = code('e');
const upperE = code('E');
const lowerU = code('u');
const slash = code('/');
const space = code(' ');

const isDigit = (char: number): boolean => char >= zero && char <= nine;

/** Larger exponents are all treated alike: no such number can be stored. */
const farExponent = 1_000_000;

/**
 * Measures a text. If it is no JSON, the counts are meaningless, and parsing refuses it.
 *
 * `jsonb` writes texts with decoded escapes, except for those that JSON requires, and numbers in full: 1.5e3 is 1500.
 */
export const scanJson = (text: string, members: readonly string[] = [], most = unlimited): ScannedJson =>
  new Scanner(text, members, most).scan();

/** A member whose value is being read, with the counts before it. */
interface OpenMember {
  readonly key: string;
  readonly start: number;
  readonly values: number;
  readonly storedBytes: number;
}

class Scanner {
  readonly #text: string;
  readonly #wanted: readonly string[];
  readonly #most: Most;
  readonly #members = new Map<string, JsonMember>();
  #open: OpenMember | undefined;
  /** Where the last string starts. */
  #lastString = 0;
  #at = 0;
  #level = 0;
  #depth = 0;
  /** A comma counts the value after it, and an opening bracket the first value inside. */
  #values = 1;
  #keys = 0;
  #ownMembers = 0;
  readonly #ownKeys = new Set<string>();
  #storedBytes = 0;
  /** The count for the current member, and the count for everything before it. */
  #decimals = 0;
  #decimalsBefore = 0;
  #unstorable = false;
  #unstorableBefore = false;

  constructor(text: string, wanted: readonly string[], most: Most) {
    this.#text = text;
    this.#wanted = wanted;
    this.#most = most;
  }

  scan(): ScannedJson {
    const text = this.#text;
    let before = 0;
    while (this.#at < text.length && !this.#isTooMuch()) {
      const char = text.charCodeAt(this.#at);
      // Spaces and line breaks belong to no value.
      if (char <= space) {
        this.#at += 1;
        continue;
      }
      if (char === quote) this.#string();
      else if (char === minus || isDigit(char)) this.#number();
      else {
        this.#symbol(char, before);
        this.#storedBytes += 1;
        this.#at += 1;
      }
      before = char;
    }
    return {
      depth: this.#depth,
      values: this.#values,
      keys: this.#keys,
      ownMembers: this.#ownMembers,
      ownKeys: this.#ownKeys.size,
      members: this.#members,
      storedBytes: this.#storedBytes,
      decimals: Math.max(this.#decimals, this.#decimalsBefore),
      hasUnstorableText: this.#unstorable || this.#unstorableBefore,
    };
  }

  #isTooMuch(): boolean {
    const { depth, values, keys, ownKeys } = this.#most;
    return this.#depth > depth || this.#values > values || this.#keys > keys || this.#ownKeys.size > ownKeys;
  }

  /** A separator, or a letter of `true`, `false` or `null`. */
  #symbol(char: number, before: number): void {
    if (char === comma) {
      this.#closeMember();
      this.#values += 1;
    } else if (char === colon) {
      this.#keys += 1;
      this.#openMember();
    } else if (char === leftBrace || char === leftBracket) {
      this.#level += 1;
      if (this.#level > this.#depth) this.#depth = this.#level;
      this.#values += 1;
    } else if (char === rightBrace || char === rightBracket) {
      if (before === leftBrace || before === leftBracket) this.#values -= 1; // it is empty
      this.#closeMember();
      this.#level -= 1;
    }
  }

  #openMember(): void {
    if (this.#level !== 1) return;
    const key = keyOf(this.#text.slice(this.#lastString, this.#at).trim());
    this.#ownMembers += 1;
    this.#ownKeys.add(key);
    if (!this.#wanted.includes(key)) return;
    this.#open = {
      key,
      start: this.#at + 1,
      values: this.#values,
      storedBytes: this.#storedBytes + 1,
    };
    this.#decimalsBefore = Math.max(this.#decimalsBefore, this.#decimals);
    this.#decimals = 0;
    this.#unstorableBefore ||= this.#unstorable;
    this.#unstorable = false;
  }

  #closeMember(): void {
    if (this.#level !== 1 || !this.#open) return;
    const { key, start, values, storedBytes } = this.#open;
    this.#open = undefined;
    this.#members.set(key, {
      text: this.#text.slice(start, this.#at).trim(),
      values: this.#values - values + 1,
      storedBytes: this.#storedBytes - storedBytes,
      decimals: this.#decimals,
      hasUnstorableText: this.#unstorable,
    });
  }

  /** `jsonb` keeps the escapes of quotes, backslashes and control characters, and writes everything else as UTF-8. */
  #string(): void {
    const text = this.#text;
    this.#lastString = this.#at;
    let bytes = 2;
    let at = this.#at + 1;
    for (; at < text.length; at += 1) {
      const char = text.charCodeAt(at);
      if (char === quote) break;
      if (char !== backslash) bytes += utf8Bytes(char);
      else if (text.charCodeAt(at + 1) === lowerU) {
        const unit = escapedUnit(text, at);
        bytes += storedEscape(unit);
        // The second half of a pair is handled with the first one and skipped here.
        if (isHighSurrogate(unit) && isLowSurrogate(escapedUnit(text, at + 6))) {
          bytes += utf8Bytes(unit);
          at += 6;
        } else if (unit === 0 || isHighSurrogate(unit) || isLowSurrogate(unit)) this.#unstorable = true;
        at += 5;
      } else {
        bytes += text.charCodeAt(at + 1) === slash ? 1 : 2;
        at += 1;
      }
    }
    this.#storedBytes += bytes;
    this.#at = at + 1;
  }

  #number(): void {
    const text = this.#text;
    const start = this.#at;
    let at = text.charCodeAt(start) === minus ? start + 1 : start;
    const wholeStart = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    const whole = at - wholeStart;
    let fraction = 0;
    if (text.charCodeAt(at) === point) {
      const pointAt = at;
      at += 1;
      while (isDigit(text.charCodeAt(at))) at += 1;
      fraction = at - pointAt - 1;
    }
    const mantissaEnd = at;
    let exponent = 0;
    if (text.charCodeAt(at) === lowerE || text.charCodeAt(at) === upperE) {
      at += 1;
      const sign = text.charCodeAt(at);
      if (sign === minus || sign === plus) at += 1;
      for (; isDigit(text.charCodeAt(at)); at += 1) {
        exponent = Math.min(farExponent, exponent * 10 + text.charCodeAt(at) - zero);
      }
      if (sign === minus) exponent = -exponent;
    }
    this.#at = at;

    const decimals = Math.max(0, fraction - exponent);
    if (decimals > this.#decimals) this.#decimals = decimals;
    const leading = text.charCodeAt(wholeStart);
    if (at === mantissaEnd && (leading !== zero || wholeStart === start)) {
      this.#storedBytes += at - start;
      return;
    }
    // Leading zeros and the sign of a zero are not written.
    let zeros = 0;
    for (let digit = wholeStart; digit < mantissaEnd; digit += 1) {
      const char = text.charCodeAt(digit);
      if (char === zero) zeros += 1;
      else if (char !== point) break;
    }
    const isZero = zeros === whole + fraction;
    const sign = wholeStart > start && !isZero ? 1 : 0;
    // PostgreSQL does not treat a zero with a very large exponent as zero.
    const before = isZero && exponent < farExponent / 10 ? 1 : Math.max(1, whole + exponent - (isZero ? 0 : zeros));
    this.#storedBytes += sign + before + (decimals > 0 ? 1 + decimals : 0);
  }
}

/** The UTF-16 unit of an escape `\u…`; NaN if there is no escape here. */
const escapedUnit = (text: string, at: number): number =>
  text.charCodeAt(at) === backslash && text.charCodeAt(at + 1) === lowerU
    ? Number.parseInt(text.slice(at + 2, at + 6), 16)
    : Number.NaN;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const keyOf = (text: string): string => {
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text; // no JSON: parsing refuses it
  }
};

/** The UTF-8 bytes of one UTF-16 unit; each half of a pair counts half. */
const utf8Bytes = (char: number): number => {
  if (char < 0x80) return 1;
  if (char < 0x800 || (char >= 0xd800 && char <= 0xdfff)) return 2;
  return 3;
};

const shortEscapes = new Set(['\b', '\t', '\n', '\f', '\r', '"', '\\'].map(code));

/** The bytes that `jsonb` stores for an escape `\u…`. */
const storedEscape = (char: number): number => {
  if (shortEscapes.has(char)) return 2;
  return char < 0x20 ? 6 : utf8Bytes(char);
};
