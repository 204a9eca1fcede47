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
  if (depthOf(text) > limits.bodyDepth) refuse('too_deep', `The body nests deeper than ${limits.bodyDepth} levels`);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('invalid_type', 'The body must be a JSON object');
  }
  const flaw = flawOfValue(value);
  if (flaw) fail('validation_error', { errors: [flaw] });
  return Object.fromEntries(Object.entries(value));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('invalid_json', 'The body is not JSON');
  }
};

/** Counted on the text: parsing must not be the one to find out that a body nests too deep. */
const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, (depth += 1));
    else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
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
