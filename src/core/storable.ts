import { limits } from './limits.ts';
import type { Flaw } from './problem.ts';

type Path = Flaw['path'];

const flawOfText = (text: string, path: Path): Flaw | undefined => {
  if (text.includes('\0')) return { path, code: 'invalid_text', message: 'A text must not contain NUL' };
  if (!text.isWellFormed()) return { path, code: 'invalid_text', message: 'A text must be well-formed Unicode' };
  return undefined;
};

const flawOfEntry = ([key, value]: [string | number, unknown], path: Path): Flaw | undefined => {
  const here = [...path, key];
  if (key === '__proto__') return { path: here, code: 'unrecognized_keys', message: 'Unknown key' };
  // A key that no text can be is not told again.
  return (typeof key === 'string' ? flawOfText(key, path) : undefined) ?? flawOfValue(value, here);
};

const entriesOf = (value: object): [string | number, unknown][] =>
  Array.isArray(value) ? [...value.entries()] : Object.entries(value);

/**
 * The first thing in a value that no value here may hold, though JSON or JavaScript allows it: text that PostgreSQL can't store
 * or UTF-8 can't carry, numbers beyond a double, the key that rewrites prototypes, and nesting that could exhaust a stack.
 */
export const flawOfValue = (value: unknown, path: Path = []): Flaw | undefined => {
  if (typeof value === 'string') return flawOfText(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { path, code: 'invalid_number', message: 'The number is too large' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= limits.bodyDepth) {
    return { path, code: 'too_deep', message: `It nests deeper than ${limits.bodyDepth} levels` };
  }
  for (const entry of entriesOf(value)) {
    const flaw = flawOfEntry(entry, path);
    if (flaw) return flaw;
  }
  return undefined;
};
