import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { flawOfValue } from '../core/storable.ts';

const refuse = (path: string[], code: string, message: string): never =>
  fail('validation_error', { errors: [{ path, code, message }] });

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return refuse([], 'invalid_encoding', 'The query is not percent-encoded UTF-8');
  }
};

/** The query's parameters, each given once and decoded strictly. */
export const readQuery = (url: string): Map<string, string> => {
  const parameters = new Map<string, string>();
  const start = url.indexOf('?');
  if (start < 0) return parameters;
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue;
    const [name = '', ...value] = part.split('=');
    const key = decode(name);
    if (parameters.has(key)) refuse([key], 'duplicate', 'Given more than once');
    if (parameters.size >= limits.queryParameters)
      refuse([], 'too_many', `The query has more than ${limits.queryParameters} parameters`);
    const text = decode(value.join('='));
    const flaw = flawOfValue(key) ?? flawOfValue(text, [key]);
    if (flaw) fail('validation_error', { errors: [flaw] });
    parameters.set(key, text);
  }
  return parameters;
};
