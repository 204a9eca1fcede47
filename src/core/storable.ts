import { limits } from './limits.ts';
import { fieldMessages } from './messages/fields.ts';
import type { Message } from './language.ts';
import { flawsShown } from './flaws.ts';
import type { SpokenFlaw } from './problem.ts';

type Path = SpokenFlaw['path'];

const unstorable = (text: string): Message | undefined => {
  if (text.includes('\0')) return fieldMessages.nul;
  return text.isWellFormed() ? undefined : fieldMessages.notUnicode;
};

/** Whether PostgreSQL can store a text and UTF-8 can encode it. */
export const isStorable = (text: string): boolean => unstorable(text) === undefined;

/** A text from another program in a form that can be stored: without NUL, and with U+FFFD for each lone surrogate. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '');

/** Thrown when a flaw concerns the whole value, so that the search ends. */
class TooMany extends Error {
  readonly told: Message;

  constructor(told: Message) {
    super();
    this.told = told;
  }
}

/**
 * The flaws of a value that JSON or JavaScript allows but this service does not: text that PostgreSQL can't store or
 * UTF-8 can't encode, numbers beyond a double, the key `__proto__`, nesting that could exhaust the stack, and so many
 * values that examining them would delay other requests. The list ends at the number of flaws that an answer names.
 */
export const flawsOfValue = (value: unknown, path: Path = []): SpokenFlaw[] => {
  const flaws: SpokenFlaw[] = [];
  /** The path to the value that is being examined. It is copied only for a flaw. */
  const way = [...path];
  let values = 0;
  let keys = 0;

  const note = (code: string, message: Message): void => {
    if (flaws.length < flawsShown) flaws.push({ path: [...way], code, message });
  };
  const lookInside = (member: unknown, key: string | number): void => {
    way.push(key);
    lookAt(member);
    way.pop();
  };

  const lookAt = (one: unknown): void => {
    values += 1;
    if (values > limits.bodyValues) throw new TooMany(fieldMessages.tooManyValues(limits.bodyValues));
    if (typeof one === 'number' && !Number.isFinite(one)) note('invalid_number', fieldMessages.numberTooLarge);
    if (typeof one === 'string') {
      const reason = unstorable(one);
      if (reason !== undefined) note('invalid_text', reason);
    }
    if (typeof one !== 'object' || one === null) return;
    if (way.length >= limits.bodyDepth) note('too_deep', fieldMessages.tooDeep(limits.bodyDepth));
    else if (Array.isArray(one)) lookAtList(one);
    else lookAtObject(one);
  };

  const lookAtList = (list: readonly unknown[]): void => {
    // Deeper lists are free-form; the number of all values limits them.
    if (way.length === 1 && list.length > limits.listElements) {
      note('too_many', fieldMessages.maxItems(limits.listElements));
      return;
    }
    for (const [at, element] of list.entries()) lookInside(element, at);
  };

  const lookAtObject = (object: object): void => {
    const names = Object.keys(object);
    keys += names.length;
    if (way.length === 0 && names.length > limits.ownKeys) throw new TooMany(fieldMessages.tooManyKeys(limits.ownKeys));
    if (keys > limits.bodyKeys) throw new TooMany(fieldMessages.tooManyKeys(limits.bodyKeys));
    for (const name of names) {
      const reason = unstorable(name);
      // The message does not repeat an invalid key.
      if (reason !== undefined) note('invalid_text', reason);
      else if (name === '__proto__') {
        way.push(name);
        note('unrecognized_keys', fieldMessages.unknown);
        way.pop();
      } else lookInside(Reflect.get(object, name), name);
    }
  };

  try {
    lookAt(value);
    return flaws;
  } catch (error) {
    if (error instanceof TooMany) return [{ path, code: 'too_many', message: error.told }];
    throw error;
  }
};

/** The first flaw of a value. */
export const flawOfValue = (value: unknown, path: Path = []): SpokenFlaw | undefined => flawsOfValue(value, path)[0];
