import { limits } from './limits.ts';
import type { Flaw } from './problem.ts';

type Path = Flaw['path'];

const unstorable = (text: string): string | undefined => {
  if (text.includes('\0')) return 'A text must not contain NUL';
  return text.isWellFormed() ? undefined : 'A text must be well-formed Unicode';
};

/**
 * The first thing in a value that no value here may hold, though JSON or JavaScript allows it: text that PostgreSQL can't store
 * or UTF-8 can't carry, numbers beyond a double, the key that rewrites prototypes, nesting that could exhaust a stack, and so
 * many values that looking at them would keep everybody else waiting. It stops at the first flaw, and writes no path before.
 */
export const flawOfValue = (value: unknown, path: Path = []): Flaw | undefined => {
  /** Leads to the value that is looked at. */
  const trail = [...path];
  let values = 0;
  let keysInAll = 0;

  const flaw = (code: string, message: string): Flaw => ({ path: [...trail], code, message });
  const tooMany = (what: string) => flaw('too_many', `It has more than ${what}`);

  const lookAt = (inner: unknown): Flaw | undefined => {
    values += 1;
    if (values > limits.bodyValues) return { ...tooMany(`${limits.bodyValues} values in all`), path };
    if (typeof inner === 'string') {
      const reason = unstorable(inner);
      return reason === undefined ? undefined : flaw('invalid_text', reason);
    }
    if (typeof inner === 'number') {
      return Number.isFinite(inner) ? undefined : flaw('invalid_number', 'The number is too large');
    }
    if (typeof inner !== 'object' || inner === null) return undefined;
    if (trail.length >= limits.bodyDepth) return flaw('too_deep', `It nests deeper than ${limits.bodyDepth} levels`);
    return Array.isArray(inner) ? lookAtList(inner) : lookAtObject(inner);
  };

  const lookInside = (key: string | number, inner: unknown): Flaw | undefined => {
    trail.push(key);
    const found = lookAt(inner);
    trail.pop();
    return found;
  };

  const lookAtList = (list: readonly unknown[]): Flaw | undefined => {
    // Further inside it is free-form, and bounded by the number of all values.
    if (trail.length === 1 && list.length > limits.listElements) return tooMany(`${limits.listElements} elements`);
    for (let at = 0; at < list.length; at += 1) {
      const found = lookInside(at, list[at]);
      if (found) return found;
    }
    return undefined;
  };

  const lookAtObject = (object: object): Flaw | undefined => {
    const keys = Object.keys(object);
    keysInAll += keys.length;
    if (trail.length === 0 && keys.length > limits.ownKeys) return tooMany(`${limits.ownKeys} keys`);
    if (keysInAll > limits.bodyKeys) return { ...tooMany(`${limits.bodyKeys} keys in all`), path };
    for (const key of keys) {
      const reason = unstorable(key);
      // A key that no text can be is not told again.
      if (reason !== undefined) return flaw('invalid_text', reason);
      if (key === '__proto__') return { path: [...trail, key], code: 'unrecognized_keys', message: 'Unknown key' };
      const found = lookInside(key, Reflect.get(object, key));
      if (found) return found;
    }
    return undefined;
  };

  return lookAt(value);
};
