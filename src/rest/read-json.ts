import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { flawOfValue } from '../core/storable.ts';

const refuse = (code: string, message: string): never =>
  fail('validation_error', { errors: [{ path: [], code, message }] });

const charsets = new Set(['utf-8', 'utf8', 'us-ascii']);

/** Whether a content type says JSON, in the one encoding that JSON has; saying nothing is taken for it. */
const isJson = (type = ''): boolean => {
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  return (
    (media === '' || /^application\/(json|[\w.-]+\+json)$/.test(media)) &&
    (charset === undefined || charsets.has(charset))
  );
};

/** A JSON object out of a body. What JSON allows but no value here may hold is refused as well, before anything looks at it. */
export const readJson = (type: string | undefined, body: Buffer): Record<string, unknown> => {
  if (body.length > 0 && !isJson(type)) {
    fail('bad_request', { status: 415, detail: 'The body must be application/json in UTF-8.' });
  }
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    refuse('invalid_json', 'The body is not UTF-8');
  }
  const { depth, values, keys } = sizeOf(text);
  if (depth > limits.bodyDepth) refuse('too_deep', `The body nests deeper than ${limits.bodyDepth} levels`);
  if (values > limits.bodyValues) refuse('too_many', `The body has more than ${limits.bodyValues} values in all`);
  if (keys > limits.bodyKeys) refuse('too_many', `The body has more than ${limits.bodyKeys} keys in all`);
  const value = parse(text);
  if (!isObject(value)) return refuse('invalid_type', 'The body must be a JSON object');
  const flaw = flawOfValue(value);
  if (flaw) fail('validation_error', { errors: [flaw] });
  return value;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('invalid_json', 'The body is not JSON');
  }
};

const [quote, backslash, comma, colon] = ['"', '\\', ',', ':'].map((char) => char.charCodeAt(0));
const [leftBrace, rightBrace, leftBracket, rightBracket] = ['{', '}', '[', ']'].map((char) => char.charCodeAt(0));

/**
 * How deep a body nests, and how many values and keys it has. Counted on the text: parsing must not be the one to find out that
 * there are too many.
 */
const sizeOf = (text: string): { depth: number; values: number; keys: number } => {
  let level = 0;
  let depth = 0;
  let values = 1;
  let keys = 0;
  let inString = false;
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === backslash) at += 1;
      else if (char === quote) inString = false;
    } else if (char === quote) inString = true;
    else if (char === comma) values += 1;
    else if (char === colon) keys += 1;
    else if (char === leftBrace || char === leftBracket) {
      level += 1;
      if (level > depth) depth = level;
      values += 1;
    } else if (char === rightBrace || char === rightBracket) {
      level -= 1;
      if (before === leftBrace || before === leftBracket) values -= 1; // it is empty
    }
    before = char;
  }
  return { depth, values, keys };
};

/** Where the string ends that begins here, behind its quote. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
};

/**
 * The texts of some of an object's values, as they are written; of equal keys the last counts. The text must be JSON of an object:
 * `readJson` has found that it is.
 */
export const textsOf = (text: string, wanted: readonly string[]): Map<string, string> => {
  const found = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && key === undefined) {
        key = String(JSON.parse(text.slice(at, end)));
        start = text.indexOf(':', end) + 1;
        at = start - 1;
      } else at = end - 1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']' || char === ',') {
      if (depth === 1 && key !== undefined) {
        if (wanted.includes(key)) found.set(key, text.slice(start, at).trim());
        key = undefined;
      }
      if (char !== ',') depth -= 1;
    }
  }
  return found;
};
