import { limits } from './limits.ts';
import type { Flaw } from './problem.ts';

type Path = Flaw['path'];

const unstorable = (text: string): string | undefined => {
  if (text.includes('\0')) return 'A text must not contain NUL';
  return text.isWellFormed() ? undefined : 'A text must be well-formed Unicode';
};

/** A flaw whose path is still incomplete. The search adds keys as it returns, so that a search without a flaw builds no paths. */
interface Found {
  readonly code: string;
  readonly message: string;
  /** The path in reverse order: from the flaw to the outermost value. */
  readonly way: (string | number)[];
  /** The flaw concerns the whole value, wherever it was found. */
  readonly ofAll?: true;
}

const found = (code: string, message: string, ...way: (string | number)[]): Found => ({ code, message, way });
const tooMany = (what: string): Found => found('too_many', `It has more than ${what}`);

/**
 * The first thing in a value that JSON or JavaScript allows but this service does not: text that PostgreSQL can't store or UTF-8 can't
 * encode, numbers beyond a double, the key `__proto__`, nesting that could exhaust the stack, and so many values that examining them
 * would delay other requests.
 */
export const flawOfValue = (value: unknown, path: Path = []): Flaw | undefined => {
  const flaw = new Search().lookAt(value, path.length);
  if (!flaw) return undefined;
  const { code, message, way, ofAll } = flaw;
  return { path: ofAll ? path : [...path, ...way.toReversed()], code, message };
};

class Search {
  #values = 0;
  #keys = 0;

  lookAt(value: unknown, level: number): Found | undefined {
    this.#values += 1;
    if (this.#values > limits.bodyValues) return { ...tooMany(`${limits.bodyValues} values in all`), ofAll: true };
    if (typeof value === 'number') {
      return Number.isFinite(value) ? undefined : found('invalid_number', 'The number is too large');
    }
    if (typeof value === 'string') {
      const reason = unstorable(value);
      return reason === undefined ? undefined : found('invalid_text', reason);
    }
    if (typeof value !== 'object' || value === null) return undefined;
    if (level >= limits.bodyDepth) return found('too_deep', `It nests deeper than ${limits.bodyDepth} levels`);
    return Array.isArray(value) ? this.#lookAtList(value, level) : this.#lookAtObject(value, level);
  }

  #lookAtList(list: readonly unknown[], level: number): Found | undefined {
    // Deeper lists are free-form; the number of all values limits them.
    if (level === 1 && list.length > limits.listElements) return tooMany(`${limits.listElements} elements`);
    for (let at = 0; at < list.length; at += 1) {
      const flaw = this.lookAt(list[at], level + 1);
      if (flaw) {
        flaw.way.push(at);
        return flaw;
      }
    }
    return undefined;
  }

  #lookAtObject(object: object, level: number): Found | undefined {
    const keys = Object.keys(object);
    this.#keys += keys.length;
    if (level === 0 && keys.length > limits.ownKeys) return tooMany(`${limits.ownKeys} keys`);
    if (this.#keys > limits.bodyKeys) return { ...tooMany(`${limits.bodyKeys} keys in all`), ofAll: true };
    for (const key of keys) {
      const reason = unstorable(key);
      // The message does not repeat a key that is no valid text.
      if (reason !== undefined) return found('invalid_text', reason);
      if (key === '__proto__') return found('unrecognized_keys', 'Unknown key', key);
      const flaw = this.lookAt(Reflect.get(object, key), level + 1);
      if (flaw) {
        flaw.way.push(key);
        return flaw;
      }
    }
    return undefined;
  }
}
