import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { RawJson } from '../core/raw-json.ts';
import { scanJson } from '../core/json-text.ts';
import type { Most, ScannedJson } from '../core/json-text.ts';
import { flawOfValue } from '../core/storable.ts';
import { needStorable } from '../platform/free-form.ts';
import type { FreeFormRules } from '../platform/free-form.ts';

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

/**
 * The values of a body, which must be a JSON object. What JSON allows but no value here may hold is refused as well, and so is a
 * body that holds too much: by its text, before it is parsed. The values named in `freeForm` are passed on as the text that they
 * are, where they are objects: parsed, their numbers would lose digits.
 */
export const readJson = (
  type: string | undefined,
  body: Buffer,
  freeForm: ReadonlyMap<string, FreeFormRules> = noFreeForm,
): Record<string, unknown> => {
  if (body.length > 0 && !isJson(type)) {
    fail('bad_request', { status: 415, detail: 'The body must be application/json in UTF-8.' });
  }
  const text = decode(body);
  const scanned = scanJson(text, [...freeForm.keys()], most);
  refuseTooMuch(scanned);
  for (const [field, rules] of freeForm) {
    const size = scanned.members.get(field);
    if (size) needStorable(field, size, rules);
  }
  const value = parse(text);
  if (!isObject(value)) return refuse('invalid_type', 'The body must be a JSON object');
  const flaw = flawOfValue(value);
  if (flaw) fail('validation_error', { errors: [flaw] });
  for (const [field, member] of scanned.members) {
    if (!isObject(value[field])) continue;
    // A value behind an equal key is not in the parsed object, but the database reads it in the text.
    if (member.hasUnstorableText) {
      const message = 'A text must not contain NUL and must be well-formed Unicode';
      fail('validation_error', { errors: [{ path: [field], code: 'invalid_text', message }] });
    }
    value[field] = new RawJson(member.text);
  }
  return value;
};

const noFreeForm: ReadonlyMap<string, FreeFormRules> = new Map();

const decode = (body: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return refuse('invalid_json', 'The body is not UTF-8');
  }
};

const { bodyDepth, bodyValues, bodyKeys, ownKeys, nestedValues } = limits;
const most: Most = { depth: bodyDepth, values: bodyValues, keys: bodyKeys, ownKeys };

const refuseTooMuch = (scanned: ScannedJson): void => {
  const tooMany = (what: string) => refuse('too_many', `The body has more than ${what}`);
  if (scanned.depth > bodyDepth) refuse('too_deep', `The body nests deeper than ${bodyDepth} levels`);
  if (scanned.values > bodyValues) tooMany(`${bodyValues} values in all`);
  if (scanned.keys > bodyKeys) tooMany(`${bodyKeys} keys in all`);
  if (scanned.ownKeys > ownKeys) tooMany(`${ownKeys} keys of its own`);
  // The body and its members are values too.
  let nested = scanned.values - scanned.ownMembers - 1;
  for (const member of scanned.members.values()) nested -= member.values - 1;
  if (nested > nestedValues) tooMany(`${nestedValues} values inside of fields that are not free-form`);
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
