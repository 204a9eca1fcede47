// What a JSON text holds, counted without parsing it: a text that is built to keep the process busy must be found out before
// anything is made of it. It takes one pass over the characters.

/** How much there is in a JSON text, or in a part of it. */
export interface JsonSize {
  /** Values, however they nest; an object or list is one too. */
  readonly values: number;
  /** Bytes that PostgreSQL's `jsonb` writes for it, without the spaces that separate values; of equal keys each counts. */
  readonly storedBytes: number;
  /** Digits behind the point of the number that has most of them, as `jsonb` writes it. */
  readonly decimals: number;
  /**
   * A text or key has an escape that PostgreSQL can't store: NUL, or half of a surrogate pair. Of equal keys each counts, where
   * parsing would show only the last value.
   */
  readonly hasUnstorableText: boolean;
}

/** A value right inside the outermost object. */
export interface JsonMember extends JsonSize {
  readonly text: string;
}

export interface ScannedJson extends JsonSize {
  /** Levels of objects and lists. */
  readonly depth: number;
  readonly keys: number;
  /** Members of the outermost object, and how many different keys they have. */
  readonly ownMembers: number;
  readonly ownKeys: number;
  /** The members that were asked for, by key; of equal keys the last counts. */
  readonly members: ReadonlyMap<string, JsonMember>;
}

/** Where counting stops: a text that holds more is refused, whatever else is in it. */
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

/** No larger exponent is told apart: nothing can store such a number. */
const farExponent = 1_000_000;

/**
 * Counts what a text holds. It need not be JSON, nor an object: of one that is not, the counts mean nothing, and parsing refuses it.
 *
 * `jsonb` writes a text with its escapes decoded, except for those that JSON can't do without, and numbers in full: 1.5e3 is 1500.
 */
export const scanJson = (text: string, members: readonly string[] = [], most = unlimited): ScannedJson =>
  new Scanner(text, members, most).scan();

/** A member whose value is being read, with the counts from before it. */
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
  /** Where the last string began. */
  #lastString = 0;
  #at = 0;
  #level = 0;
  #depth = 0;
  /** A comma counts the value behind it, a bracket the first one inside. */
  #values = 1;
  #keys = 0;
  #ownMembers = 0;
  readonly #ownKeys = new Set<string>();
  #storedBytes = 0;
  /** Of the member that is open, and of everything before it. */
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
      // Spaces and ends of lines belong to no value.
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

  /** What separates values, or a letter of `true`, `false` and `null`. */
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

  /** Of its escapes `jsonb` keeps those of quotes, backslashes and control characters; all else is written as UTF-8. */
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
        // The second half of a pair is judged with the first, and is passed over here.
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
    // Zeros in front are not written, nor is the sign of a zero.
    let zeros = 0;
    for (let digit = wholeStart; digit < mantissaEnd; digit += 1) {
      const char = text.charCodeAt(digit);
      if (char === zero) zeros += 1;
      else if (char !== point) break;
    }
    const isZero = zeros === whole + fraction;
    const sign = wholeStart > start && !isZero ? 1 : 0;
    // A zero with a far exponent is a zero too, but not to PostgreSQL.
    const before = isZero && exponent < farExponent / 10 ? 1 : Math.max(1, whole + exponent - (isZero ? 0 : zeros));
    this.#storedBytes += sign + before + (decimals > 0 ? 1 + decimals : 0);
  }
}

/** The UTF-16 unit that `\u` and four digits write; NaN where no such escape begins. */
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

/** Of one unit of UTF-16; each half of a pair counts for half. */
const utf8Bytes = (char: number): number => {
  if (char < 0x80) return 1;
  if (char < 0x800 || (char >= 0xd800 && char <= 0xdfff)) return 2;
  return 3;
};

const shortEscapes = new Set(['\b', '\t', '\n', '\f', '\r', '"', '\\'].map(code));

/** What is kept of `\u` and four digits. */
const storedEscape = (char: number): number => {
  if (shortEscapes.has(char)) return 2;
  return char < 0x20 ? 6 : utf8Bytes(char);
};
