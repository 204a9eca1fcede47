import { randomBytes } from 'node:crypto';

/**
 * A placeholder in JSON for a text that is inserted later. It is random, so no client can guess it, and JSON never
 * escapes it.
 */
const mark = randomBytes(24).toString('base64url');
const placeholder = `"${mark}"`;

/** The raw texts of the value that `stringify` is writing. */
let texts: string[] | undefined;

/**
 * A JSON value that this process passes on as text, without parsing it. This is cheap for values of any size, and
 * numbers keep all their digits. `Value` is the type that a reader of the JSON sees.
 */
export class RawJson<Value = unknown> {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Called only by `JSON.stringify`. It returns a placeholder, which `stringify` and `putIn` replace with the text. Its
   * declared type is that of the value, so that derived types describe the final JSON.
   */
  toJSON(): Value;
  toJSON(): unknown {
    if (!texts) return `${mark}${this.text}${mark}`;
    texts.push(this.text);
    return mark;
  }
}

/** The type that a reader of a value's JSON sees. */
export type AsJson<Value> =
  Value extends RawJson<infer Inner>
    ? Inner
    : Value extends readonly (infer Item)[]
      ? AsJson<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: AsJson<Value[Key]> }
        : Value;

/** The JSON of a value; its raw parts are inserted as they are. */
export const stringify = (value: unknown): string => {
  const found: string[] = [];
  texts = found;
  let frame: string;
  try {
    frame = JSON.stringify(value);
  } finally {
    texts = undefined;
  }
  if (found.length === 0) return frame;
  return frame
    .split(placeholder)
    .map((part, index) => part + (found[index] ?? ''))
    .join('');
};

/** Inserts the raw parts into JSON that another caller of `JSON.stringify` wrote, such as Express or tRPC. */
export const putIn = (json: string): string => {
  let start = json.indexOf(`"${mark}`);
  if (start < 0) return json;
  const parts: string[] = [];
  let at = 0;
  while (start >= 0) {
    const from = start + mark.length + 1;
    const to = json.indexOf(placeholder.slice(1), from);
    parts.push(json.slice(at, start), String(JSON.parse(`"${json.slice(from, to)}"`)));
    at = to + mark.length + 1;
    start = json.indexOf(`"${mark}`, at);
  }
  parts.push(json.slice(at));
  return parts.join('');
};

const rawKey = '$raw';

/** The JSON of a value. `unpack` makes the value from it again, with its raw parts. */
export const pack = (value: unknown): string =>
  JSON.stringify(value, function (this: Record<string, unknown>, key, written: unknown) {
    // `written` is the placeholder of a raw part, so the original is needed.
    const original = this[key];
    return original instanceof RawJson ? { [rawKey]: original.text } : written;
  });

const isPacked = (value: unknown): value is Record<typeof rawKey, string> =>
  typeof value === 'object' &&
  value !== null &&
  rawKey in value &&
  typeof value[rawKey] === 'string' &&
  Object.keys(value).length === 1;

export const unpack = (json: string): unknown =>
  JSON.parse(json, (_key, value: unknown) => (isPacked(value) ? new RawJson(value[rawKey]) : value));

/** A value as a reader of its JSON sees it. */
export const asJson = <Value>(value: Value): AsJson<Value> => JSON.parse(stringify(value));

/** Whether a value is an object (or an array), so that its fields can be read. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

interface JsonSize {
  /** Nested levels of objects and lists. */
  readonly depth: number;
  /** Values on all levels. An object or list counts as one value, too. */
  readonly values: number;
  /** Keys of all objects. Equal keys are counted each time. */
  readonly keys: number;
}

const endOfString = (text: string, start: number): number => {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
};

/**
 * Measures a JSON text without parsing it, so that a text that is built to keep the process busy is refused before it
 * is parsed. If the text is not JSON, the numbers are meaningless, and parsing refuses it.
 */
export const sizeOfJson = (text: string): JsonSize => {
  let [level, depth, values, keys] = [0, 0, 1, 0];
  let before = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char <= ' ') continue;
    if (char === '"') at = endOfString(text, at);
    else if (char === ',') values += 1;
    else if (char === ':') keys += 1;
    else if (char === '{' || char === '[') {
      level += 1;
      depth = Math.max(depth, level);
      values += 1;
    } else if (char === '}' || char === ']') {
      level -= 1;
      if (before === '{' || before === '[') values -= 1; // the object or list is empty
    }
    before = char;
  }
  return { depth, values, keys };
};

/** The JSON of a value as if a client had sent it. The value is already parsed, or the service has created it. */
export const rawOfValue = (value: unknown): RawJson<Record<string, unknown>> => new RawJson(JSON.stringify(value));

/** A stored value, as the JSON text that was stored. */
export const rawOf = <Value extends object>(text: string | null): RawJson<Value> | null =>
  text === null ? null : new RawJson(text);
