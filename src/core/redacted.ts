// Removes secrets from texts that people read. A text may repeat a secret in another form: an echo service writes it as
// JSON, an error page as HTML, and credentials are base64. So the text is decoded in each way that may hide a secret.
// If a decoded text contains a secret, its place in the original text is replaced. Each step takes time in proportion
// to the text.

/** Replaces a secret in texts that people read. */
export const redactedMark = '[redacted]';

/** Shorter secrets stay: ordinary texts have them by chance. */
const shortestRemoved = 8;

/** A decoded text. For each of its characters: where it starts and ends in the original text. */
interface DecodedText {
  text: string;
  readonly starts: number[];
  readonly ends: number[];
}

type Decode = (reading: DecodedText) => DecodedText;

const asItIs = (text: string): DecodedText => {
  const starts = Array.from({ length: text.length }, (_, at) => at);
  return { text, starts, ends: starts.map((at) => at + 1) };
};

// Escapes

/** An escape: its character, and the length of the escape itself. `cut`: the text ends within the escape. */
type Escape = { character: string; length: number } | 'cut' | undefined;

/** Decodes the escapes that start with a sign. Without such escapes, the decoded text is the original. */
const decodeEscapes =
  (sign: string, escapeAt: (text: string, at: number) => Escape): Decode =>
  (reading) => {
    const { text, starts, ends } = reading;
    if (!text.includes(sign)) return reading;
    const decoded: DecodedText = { text: '', starts: [], ends: [] };
    for (let at = 0; at < text.length;) {
      const character = text.charAt(at);
      const escape = character === sign ? escapeAt(text, at) : undefined;
      if (escape === 'cut') break;
      const step = escape ?? { character, length: 1 };
      decoded.text += step.character;
      decoded.starts.push(starts[at] ?? 0);
      decoded.ends.push(ends[at + step.length - 1] ?? 0);
      at += step.length;
    }
    return decoded;
  };

/** A number of hexadecimal digits after a prefix. */
const hexEscape = (text: string, at: number, { prefix, digits }: { prefix: number; digits: number }): Escape => {
  const written = text.slice(at + prefix, at + prefix + digits);
  if (!/^[0-9a-f]*$/i.test(written)) return undefined;
  const character = String.fromCharCode(Number.parseInt(written, 16));
  return written.length < digits ? 'cut' : { character, length: prefix + digits };
};

const controls = new Map(Object.entries({ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' }));

/** Escapes of JSON and of programming languages: `\"`, `\u0022`, `\x22`. */
const backslashes = decodeEscapes('\\', (text, at) => {
  const next = text.charAt(at + 1);
  if (next === '') return 'cut';
  if (next === 'u') return hexEscape(text, at, { prefix: 2, digits: 4 });
  if (next === 'x') return hexEscape(text, at, { prefix: 2, digits: 2 });
  return { character: controls.get(next) ?? next, length: 2 };
});

/** Escapes of URLs: `%22`. */
const percents = decodeEscapes('%', (text, at) => hexEscape(text, at, { prefix: 1, digits: 2 }));

/** Escapes of forms, used together with `percents`. */
const plusSigns = decodeEscapes('+', () => ({ character: ' ', length: 1 }));

const entities = new Map(Object.entries({ quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' }));
/** `&#x0022;` */
const longestEntity = 8;

/** Escapes of HTML: `&quot;`, `&#34;`, `&#x22;`. */
const htmlEntities = decodeEscapes('&', (text, at) => {
  const written = text.slice(at + 1, at + longestEntity);
  const end = written.indexOf(';');
  if (end < 0) return at + longestEntity > text.length && /^#?[0-9a-z]*$/i.test(written) ? 'cut' : undefined;
  const name = written.slice(0, end).toLowerCase();
  const [, decimal, hex] = /^#(?:([0-9]+)|x([0-9a-f]+))$/.exec(name) ?? [];
  const number = decimal ?? (hex === undefined ? undefined : `0x${hex}`);
  const character = number === undefined ? entities.get(name) : String.fromCharCode(Number(number));
  return character === undefined ? undefined : { character, length: end + 2 };
});

// Encodings of bytes

/** A character between two runs of digits. No secret contains it. */
const gap = '\0';

/**
 * Decodes each run of digits; a digit stands for `bits` bits. The first `skipped` digits of a run are left out, because
 * the encoded bytes may begin at any digit: a word may stand directly before them. A line break does not end a run.
 */
const decodeBytes =
  (digits: ReadonlyMap<string, number>, bits: number, skipped: number): Decode =>
  ({ text, starts, ends }) => {
    const decoded: DecodedText = { text: '', starts: [], ends: [] };
    const add = (character: string, from: number, to: number): void => {
      decoded.text += character;
      decoded.starts.push(starts[from] ?? 0);
      decoded.ends.push(ends[to] ?? 0);
    };
    let ofRun = 0;
    let former = 0;
    let known = 0;
    let value = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at);
      const digit = digits.get(character);
      if (digit === undefined) {
        if (character === '\r' || character === '\n') continue;
        if (ofRun > 0) add(gap, at, at);
        ofRun = known = value = 0;
        continue;
      }
      ofRun += 1;
      if (ofRun <= skipped) continue;
      value = (value << bits) | digit;
      known += bits;
      if (known >= 8) {
        known -= 8;
        add(String.fromCharCode(value >> known), former, at);
        value &= (1 << known) - 1;
      }
      former = at;
    }
    return decoded;
  };

const upperCaseLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lowerCaseLetters = upperCaseLetters.toLowerCase();
const valuesOf = (digits: string): [digit: string, value: number][] =>
  [...digits].map((digit, value) => [digit, value]);

const base64Digits = new Map(
  ['+/', '-_'].flatMap((last) => valuesOf(`${upperCaseLetters}${lowerCaseLetters}0123456789${last}`)),
);
const hexDigits = new Map(['0123456789abcdef', '0123456789ABCDEF'].flatMap(valuesOf));

// All readings

/** Encodings that may surround a secret. The secret inside is plain text or an encoding of bytes. */
const escapes: readonly Decode[] = [(reading) => reading, backslashes, percents, htmlEntities];
/** Two encodings, one in the other, around a secret in plain text. JSON in HTML and HTML in JSON are decoded alike. */
const doubleEscapes: readonly (readonly [Decode, Decode])[] = [
  [backslashes, backslashes],
  [percents, percents],
  [plusSigns, percents],
  [backslashes, htmlEntities],
];
const encodings: readonly Decode[] = [
  ...[0, 1, 2, 3].map((skipped) => decodeBytes(base64Digits, 6, skipped)),
  ...[0, 1].map((skipped) => decodeBytes(hexDigits, 4, skipped)),
];

/**
 * All decoded texts that are searched, and the original. A decoded text that is the same as the original is left out.
 */
const readingsOf = (text: string): Iterable<DecodedText> => {
  const start = asItIs(text);
  const once = new Set(escapes.map((decode) => decode(start)));
  const twice = doubleEscapes.map(([outer, inner]) => inner(outer(start)));
  const bytes = [...once].flatMap((reading) => encodings.map((decode) => decode(reading)));
  return new Set([...once, ...twice, ...bytes]);
};

// The search, by Knuth, Morris and Pratt. It is linear, and at the end of a text that was cut it finds the beginning of
// a secret.

/** Changes only ASCII letters, so that the length stays the same. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

interface SecretPattern {
  text: string;
  /** For each beginning of the secret: the length of the longest shorter beginning that also stands at its end. */
  borders: readonly number[];
}

const patternOf = (secret: string): SecretPattern => {
  const text = inLowerCase(secret);
  const borders = [0];
  for (let at = 1, length = 0; at < text.length; at += 1) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length += 1;
    borders.push(length);
  }
  return { text, borders };
};

type SecretPlace = readonly [start: number, end: number];

/** Where a decoded text has a secret, and where it ends with the beginning of one. */
const placesOf = (
  { text: secret, borders }: SecretPattern,
  { text, starts, ends }: DecodedText,
  end: number,
): SecretPlace[] => {
  const found: SecretPlace[] = [];
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (length === secret.length) length = borders[length - 1] ?? 0;
    while (length > 0 && text[at] !== secret[length]) length = borders[length - 1] ?? 0;
    if (text[at] === secret[length]) length += 1;
    if (length === secret.length) found.push([starts[at + 1 - length] ?? 0, ends[at] ?? end]);
  }
  if (length >= shortestRemoved) found.push([starts[text.length - length] ?? 0, end]);
  return found;
};

/** A secret, and the credentials in it without their scheme, because receivers often repeat only these. */
const partsOf = (secret: string): string[] => {
  const space = secret.indexOf(' ');
  return space < 0 ? [secret] : [secret, secret.slice(space).trimStart()];
};

/**
 * Makes a function that removes secrets of visible ASCII characters from texts. It finds them in upper and lower case,
 * escaped as in JSON, URLs, forms or HTML, and in base64 or hex, also within a longer text. At the end of a text, which
 * may have been cut, it also removes the beginning of a secret.
 */
export const makeRedactor = (secrets: Iterable<string>): ((text: string) => string) => {
  const patterns = [...secrets]
    .flatMap(partsOf)
    .filter(({ length }) => length >= shortestRemoved)
    .map(patternOf);

  return (text) => {
    if (patterns.length === 0 || text.length < shortestRemoved) return text;
    const places: SecretPlace[] = [];
    for (const reading of readingsOf(text)) {
      const searched = { ...reading, text: inLowerCase(reading.text) };
      for (const pattern of patterns) {
        // Most texts have no secret, and this is quicker than the search.
        if (!searched.text.includes(pattern.text.slice(0, shortestRemoved))) continue;
        places.push(...placesOf(pattern, searched, text.length));
      }
    }
    let left = '';
    let done = 0;
    for (const [start, end] of places.toSorted(([one], [other]) => one - other)) {
      if (start >= done) left += text.slice(done, start) + redactedMark;
      done = Math.max(done, end);
    }
    return left + text.slice(done);
  };
};
