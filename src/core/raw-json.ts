import { randomBytes } from 'node:crypto';

/** Stands in JSON for a text that is put in afterwards. Nobody outside of this process can know it, and JSON never escapes it. */
const mark = randomBytes(24).toString('base64url');
const placeholder = `"${mark}"`;
const markAsBytes = Buffer.from(mark);

/** The texts of the value that is being written. */
let texts: string[] | undefined;

/**
 * A JSON value that this process passes on as the text that it is, without parsing it: it costs next to nothing however large it
 * is, and its numbers keep every digit. `Value` is what a reader of the JSON sees.
 */
export class RawJson<Value = unknown> {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * For `JSON.stringify` alone. It gives a placeholder, for which `stringify` or `putIn` put in the text; its type is that of the
   * value, so that types derived from it say what is read in the end.
   */
  toJSON(): Value;
  toJSON(): unknown {
    if (!texts) return `${mark}${this.text}${mark}`;
    texts.push(this.text);
    return mark;
  }
}

/** What a reader of the JSON of a value sees. */
export type AsJson<Value> =
  Value extends RawJson<infer Inner>
    ? Inner
    : Value extends readonly (infer Item)[]
      ? AsJson<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: AsJson<Value[Key]> }
        : Value;

/** The JSON of a value, with every raw part of it as its own text. */
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

/** Puts the raw parts into JSON that somebody else's `JSON.stringify` wrote. */
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

/** The same for bytes. JSON without raw parts is passed on as it is. */
export const putInBytes = (json: Buffer): Buffer =>
  json.includes(markAsBytes) ? Buffer.from(putIn(json.toString())) : json;

const rawKey = '$raw';

/** JSON of a value that `unpack` makes again, its raw parts included. */
export const pack = (value: unknown): string =>
  JSON.stringify(value, function (this: Record<string, unknown>, key, written: unknown) {
    // What `toJSON` made of a raw part is of no use here.
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

/** A value as a reader of its JSON has it. */
export const asJson = <Value>(value: Value): AsJson<Value> => JSON.parse(stringify(value));
