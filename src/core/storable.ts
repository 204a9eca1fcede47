import { limits } from './limits.ts';
import { flawsShown } from './problem.ts';
import type { Flaw } from './problem.ts';

type Path = Flaw['path'];

const unstorable = (text: string): string | undefined => {
  if (text.includes('\0')) return 'A text must not contain NUL';
  return text.isWellFormed() ? undefined : 'A text must be well-formed Unicode';
};

type FlawOfAll = Pick<Flaw, 'code' | 'message'>;

/** A flaw whose path is still incomplete. The search adds keys as it returns, so that a search without a flaw builds no paths. */
interface Found extends FlawOfAll {
  /** The path in reverse order: from the flaw to the outermost value. */
  readonly way: (string | number)[];
}

const tooMany = (what: string): FlawOfAll => ({ code: 'too_many', message: `It has more than ${what}` });

/**
 * The things in a value that JSON or JavaScript allows but this service does not: text that PostgreSQL can't store or UTF-8 can't
 * encode, numbers beyond a double, the key `__proto__`, nesting that could exhaust the stack, and so many values that examining them
 * would delay other requests. At most as many as an answer names.
 */
export const flawsOfValue = (value: unknown, path: Path = []): Flaw[] => {
  const search = new Search();
  const ofAll = search.lookAt(value, path.length);
  if (ofAll) return [{ path, ...ofAll }];
  return search.flaws.map(({ code, message, way }) => ({ path: [...path, ...way.toReversed()], code, message }));
};

/** The first of them. */
export const flawOfValue = (value: unknown, path: Path = []): Flaw | undefined => flawsOfValue(value, path)[0];

class Search {
  readonly flaws: Found[] = [];
  #values = 0;
  #keys = 0;

  /** Returns a flaw that ends the search, because it concerns the whole value. */
  lookAt(value: unknown, level: number): FlawOfAll | undefined {
    this.#values += 1;
    if (this.#values > limits.bodyValues) return tooMany(`${limits.bodyValues} values in all`);
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) this.#note('invalid_number', 'The number is too large');
    } else if (typeof value === 'string') {
      const reason = unstorable(value);
      if (reason !== undefined) this.#note('invalid_text', reason);
    } else if (typeof value === 'object' && value !== null) {
      if (level >= limits.bodyDepth) this.#note('too_deep', `It nests deeper than ${limits.bodyDepth} levels`);
      else return Array.isArray(value) ? this.#lookAtList(value, level) : this.#lookAtObject(value, level);
    }
    return undefined;
  }

  #note(code: string, message: string, ...way: (string | number)[]): void {
    if (this.flaws.length < flawsShown) this.flaws.push({ code, message, way });
  }

  /** Looks at a member, and adds its key to the ways of the flaws found there. */
  #lookInside(value: unknown, key: string | number, level: number): FlawOfAll | undefined {
    const before = this.flaws.length;
    const ofAll = this.lookAt(value, level);
    for (let at = before; at < this.flaws.length; at += 1) this.flaws[at]?.way.push(key);
    return ofAll;
  }

  #lookAtList(list: readonly unknown[], level: number): FlawOfAll | undefined {
    // Deeper lists are free-form; the number of all values limits them.
    if (level === 1 && list.length > limits.listElements) {
      const { code, message } = tooMany(`${limits.listElements} elements`);
      this.#note(code, message);
      return undefined;
    }
    for (let at = 0; at < list.length; at += 1) {
      const ofAll = this.#lookInside(list[at], at, level + 1);
      if (ofAll) return ofAll;
    }
    return undefined;
  }

  #lookAtObject(object: object, level: number): FlawOfAll | undefined {
    const keys = Object.keys(object);
    this.#keys += keys.length;
    if (level === 0 && keys.length > limits.ownKeys) return tooMany(`${limits.ownKeys} keys`);
    if (this.#keys > limits.bodyKeys) return tooMany(`${limits.bodyKeys} keys in all`);
    for (const key of keys) {
      const reason = unstorable(key);
      // The message does not repeat a key that is no valid text.
      if (reason !== undefined) this.#note('invalid_text', reason);
      else if (key === '__proto__') this.#note('unrecognized_keys', 'Unknown key', key);
      else {
        const ofAll = this.#lookInside(Reflect.get(object, key), key, level + 1);
        if (ofAll) return ofAll;
      }
    }
    return undefined;
  }
}
