import type { RawJson } from './json.ts';

// The two spellings of names: `userId` in code, `user_id` outside: in the API, in messages and in the columns of the
// database. Procedures convert one into the other at the edge of a module: the input by `toCamel`, and the answer by
// `toSnake`.
//
// Only the names of plain objects are converted, including objects inside of lists and other objects. A record whose
// keys are data, not names, is a `Map` or a `RawJson` in code; the types refuse any other.

type CamelName<
  Name extends string,
  Done extends string = '',
> = Name extends `${infer Head}_${infer Letter}${infer Rest}`
  ? Letter extends Uppercase<Letter>
    ? CamelName<`${Letter}${Rest}`, `${Done}${Head}_`>
    : CamelName<Rest, `${Done}${Head}${Uppercase<Letter>}`>
  : `${Done}${Name}`;

type SnakeName<Name extends string, Done extends string = ''> = Name extends `${infer Letter}${infer Rest}`
  ? Letter extends Lowercase<Letter>
    ? SnakeName<Rest, `${Done}${Letter}`>
    : SnakeName<Rest, `${Done}_${Lowercase<Letter>}`>
  : `${Done}${Name}`;

declare const keysAreData: unique symbol;
/** Replaces, within a type, a record whose keys are data, so that the type fits no schema. */
interface KeysAreData {
  readonly [keysAreData]: true;
}

type Untouched = RawJson | Uint8Array | Date | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

/** The type of a value after its names were converted to camelCase. */
export type Camel<Value> = Value extends object
  ? Value extends Untouched
    ? Value
    : Value extends readonly unknown[]
      ? { [At in keyof Value]: Camel<Value[At]> }
      : string extends keyof Value
        ? KeysAreData
        : { [Name in keyof Value as Name extends string ? CamelName<Name> : Name]: Camel<Value[Name]> }
  : Value;

/** The type of a value in the form that answers have: with names in snake_case, and times as texts. */
export type Snake<Value> = Value extends object
  ? Value extends Date
    ? string
    : Value extends ReadonlyMap<infer Key extends string, infer Item>
      ? Record<Key, Snake<Item>>
      : Value extends Untouched
        ? Value
        : Value extends readonly unknown[]
          ? { [At in keyof Value]: Snake<Value[At]> }
          : string extends keyof Value
            ? KeysAreData
            : { [Name in keyof Value as Name extends string ? SnakeName<Name> : Name]: Snake<Value[Name]> }
  : Value;

/** More names than the code declares. The limit keeps names from outside from filling the memory. */
const maxNames = 5_000;

const remembering = (respell: (name: string) => string): ((name: string) => string) => {
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const spelled = respell(name);
    if (known.size < maxNames) known.set(name, spelled);
    return spelled;
  };
};

/** `user_id` becomes `userId`. */
export const camelName = remembering((name) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
);

/** `userId` becomes `user_id`. */
export const snakeName = remembering((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const isPlain = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Instances of classes are passed to `ofInstance`. Their names stay as they are. */
const speller = (nameOf: (name: string) => string, ofInstance: (value: object) => unknown) => {
  const spell = (value: object): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => (isObject(item) ? spell(item) : item));
    if (!isPlain(value)) return ofInstance(value);
    const spelled: Record<string, unknown> = {};
    // A page has hundreds of values. `for in` takes two thirds of the time of `Object.entries`.
    for (const name in value) {
      const inner = value[name];
      spelled[nameOf(name)] = isObject(inner) ? spell(inner) : inner;
    }
    return spelled;
  };
  return (value: unknown): unknown => (isObject(value) ? spell(value) : value);
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const camelOf = speller(camelName, (value) => value);

const snakeOf = speller(snakeName, (value) => {
  if (value instanceof Date) return value.toISOString();
  if (!(value instanceof Map)) return value;
  const entries = [...value].map(([key, item]: [string, unknown]) => [key, snakeOf(item)]);
  return Object.fromEntries(entries);
});

/** For the input of a procedure. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- the type says what the mapping does
export const toCamel = <Value>(value: Value): Camel<Value> => camelOf(value) as Camel<Value>;

/** For the answer of a procedure. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- the type says what the mapping does
export const toSnake = <Value>(value: Value): Snake<Value> => snakeOf(value) as Snake<Value>;

/** The answer of a procedure, once the service has returned its value. */
export const answer = <Value>(result: Promise<Value>): Promise<Snake<Value>> => result.then((value) => toSnake(value));
