import { canonicalEmail } from '../email-address.ts';
import { isObject } from './resource.ts';
import { refuse } from './refusal.ts';
import { attributeOf, withoutUrn, type Attribute, type ResourceSchema } from './schemas.ts';
import { filterLimits } from '../limits.ts';

// Filters (RFC 7644, 3.4.2.2): read once, in one pass over a text whose length was checked, then compared with resources.

/** How two texts, or two times in milliseconds, are compared. */
const comparisons = {
  eq: (one, other) => one === other,
  ne: (one, other) => one !== other,
  co: (one, other) => String(one).includes(String(other)),
  sw: (one, other) => String(one).startsWith(String(other)),
  ew: (one, other) => String(one).endsWith(String(other)),
  gt: (one, other) => one > other,
  ge: (one, other) => one >= other,
  lt: (one, other) => one < other,
  le: (one, other) => one <= other,
} as const satisfies Readonly<Record<string, (one: string | number, other: string | number) => boolean>>;
type Operator = keyof typeof comparisons;

const isOperator = (text: string): text is Operator => Object.hasOwn(comparisons, text);

export type Literal = string | number | boolean | null;

/** Names as they are declared, the outer one first: `['name', 'givenName']`. */
type Path = readonly string[];

export type Filter =
  | { readonly kind: 'and'; readonly filters: readonly Filter[] }
  | { readonly kind: 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'present'; readonly path: Path }
  | { readonly kind: 'compare'; readonly path: Path; readonly operator: Operator; readonly value: Literal }
  /** Says whether one value of a list fulfils a whole filter. */
  | { readonly kind: 'one'; readonly path: Path; readonly filter: Filter };

const invalid = (detail: string): never => refuse('invalidFilter', detail);

type Token =
  | { readonly kind: 'word' | 'mark'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string };

/** A bracket or parenthesis, a text in quotes (its closing quote may be missing), or a word. */
const tokenForm = /[()[\]]|"(?:[^"\\]|\\.)*"?|[^ \t()[\]"]+/gs;

const tokensOf = (text: string): Token[] =>
  (text.match(tokenForm) ?? []).map((found): Token => {
    if (found.startsWith('"')) return { kind: 'string', value: stringOf(found) };
    return { kind: '()[]'.includes(found) ? 'mark' : 'word', text: found };
  });

const textForm = /^"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"$/iu;

const stringOf = (quoted: string): string =>
  textForm.test(quoted)
    ? String(JSON.parse(quoted))
    : invalid('A text of the filter has no end, or is not written as in JSON.');

const numberForm = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/**
 * Finds the declared path of a name, whose case does not matter. Refuses a name that is not declared. `within`: the
 * attribute in whose brackets the name stands.
 */
type Resolve = (name: string, within: string | undefined) => Path;

class Parser {
  readonly #tokens: readonly Token[];
  readonly #resolve: Resolve;
  #at = 0;
  #within: string | undefined;

  constructor(tokens: readonly Token[], resolve: Resolve) {
    this.#tokens = tokens;
    this.#resolve = resolve;
  }

  /** Parses the whole filter. */
  parse(): Filter {
    const filter = this.#either(0);
    return this.#at === this.#tokens.length ? filter : invalid('The filter has something after its end.');
  }

  #take(text: string): boolean {
    const token = this.#tokens[this.#at];
    const isNext = token !== undefined && token.kind !== 'string' && token.text.toLowerCase() === text;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #expect(text: string): void {
    if (!this.#take(text)) invalid(`The filter lacks a ${text}.`);
  }

  #word(what: string): string {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token?.kind === 'word' ? token.text : invalid(`The filter lacks ${what}.`);
  }

  /** Parts with `or` between them, which binds less than `and`. */
  #either(depth: number): Filter {
    if (depth > filterLimits.depth) invalid(`The filter is nested deeper than ${filterLimits.depth} levels.`);
    return this.#chain('or', () => this.#chain('and', () => this.#part(depth)));
  }

  #chain(kind: 'and' | 'or', next: () => Filter): Filter {
    const filters = [next()];
    while (this.#take(kind)) filters.push(next());
    const [only] = filters;
    return only && filters.length === 1 ? only : { kind, filters };
  }

  #part(depth: number): Filter {
    if (this.#take('(')) return this.#upTo(')', depth);
    if (this.#take('not')) {
      this.#expect('(');
      return { kind: 'not', filter: this.#upTo(')', depth) };
    }
    const path = this.#resolve(this.#word('an attribute'), this.#within);
    if (!this.#take('[')) return this.#comparison(path);
    if (this.#within !== undefined) invalid('The filter has brackets within brackets.');
    const [list = ''] = path;
    this.#within = list;
    const filters = [this.#upTo(']', depth)];
    const after = this.#tokens[this.#at];
    if (after?.kind === 'word' && after.text.startsWith('.')) {
      // Microsoft Entra ID writes comparisons in this form: `emails[type eq "work"].value eq "…"`.
      this.#at += 1;
      filters.push(this.#comparison(this.#resolve(after.text.slice(1), list)));
    }
    this.#within = undefined;
    return { kind: 'one', path: [list], filter: { kind: 'and', filters } };
  }

  #upTo(end: ')' | ']', depth: number): Filter {
    const filter = this.#either(depth + 1);
    this.#expect(end);
    return filter;
  }

  #comparison(path: Path): Filter {
    const operator = this.#word('an operator').toLowerCase();
    if (operator === 'pr') return { kind: 'present', path };
    if (!isOperator(operator)) return invalid('The filter has an unknown operator.');
    const value = this.#literal();
    if (typeof value !== 'string' && operator !== 'eq' && operator !== 'ne') invalid(`${operator} compares texts.`);
    const name = path.join('.');
    if (name === 'active' && truthOf(value) === undefined) invalid('active is compared with true or false.');
    if (name === 'meta.lastModified' && Number.isNaN(timeOf(value))) {
      invalid('meta.lastModified is compared with a time, such as "2026-12-01T08:00:00Z".');
    }
    return { kind: 'compare', path, operator, value };
  }

  #literal(): Literal {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind === 'string') return token.value;
    const word = token?.kind === 'word' ? token.text.toLowerCase() : '';
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    return numberForm.test(word) ? Number(word) : invalid('The filter compares with something that is no JSON value.');
  }
}

const readFilter = (text: string, resolve: Resolve): Filter => {
  if (text.length > filterLimits.characters) {
    return invalid(`The filter has more than ${filterLimits.characters} characters.`);
  }
  return new Parser(tokensOf(text), resolve).parse();
};

const truthOf = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return word === 'true' ? true : word === 'false' ? false : undefined;
};

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);

const unknown = (name: string): never => invalid(`${name.slice(0, 200)} can't be filtered by.`);

/** The attributes that a filter may name, besides all attributes within `name`. */
const filterable = new Set([
  'id',
  'externalId',
  'userName',
  'displayName',
  'active',
  'emails',
  'members',
  'name',
  'meta',
]);

const common: readonly Attribute[] = [
  { name: 'id', type: 'string', description: '' },
  { name: 'meta', type: 'complex', description: '', sub: [{ name: 'lastModified', type: 'string', description: '' }] },
];

/** The filter of a request for people or groups. */
export const readResourceFilter = (schema: ResourceSchema, text: string): Filter =>
  readFilter(text, (name, within) => {
    const found = within === undefined ? withoutUrn(schema, name) : { path: `${within}.${name}`, extended: false };
    const [first = '', sub, ...more] = found?.extended === false ? found.path.split('.') : [];
    const attribute = attributeOf([...common, ...schema.attributes], first) ?? unknown(name);
    if (!filterable.has(attribute.name) || more.length > 0) unknown(name);
    if (!attribute.sub) return sub === undefined ? [attribute.name] : unknown(name);
    const inner = attributeOf(attribute.sub, sub ?? (attribute.many ? 'value' : '')) ?? unknown(name);
    // Within brackets one value is compared. Its `type` can be compared, too.
    if (within !== undefined) return [inner.name];
    return attribute.many && inner.name !== 'value' ? unknown(name) : [attribute.name, inner.name];
  });

/** The filter in the brackets of a path: `type eq "work"`. Its names are attributes of one value. */
export const readValueFilter = ({ sub = [] }: Attribute, text: string): Filter =>
  readFilter(text, (name, within) => [
    (within === undefined ? attributeOf(sub, name)?.name : undefined) ?? unknown(name),
  ]);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** The values at a path. A list has several values. */
const valuesAt = (resource: unknown, path: Path): unknown[] => {
  if (Array.isArray(resource)) return resource.flatMap((one: unknown) => valuesAt(one, path));
  const [name, ...rest] = path;
  if (name === undefined) return isEmpty(resource) ? [] : [resource];
  return isObject(resource) && Object.hasOwn(resource, name) ? valuesAt(resource[name], rest) : [];
};

/** Addresses are compared as they are stored. */
const addressForm = (value: string): string => canonicalEmail(value) ?? value.toLowerCase();

const compare = (path: Path, operator: Operator, given: unknown, value: Literal): boolean => {
  if (typeof given === 'boolean') return given === truthOf(value);
  if (typeof given !== 'string' || typeof value !== 'string') return given === value;
  const test = comparisons[operator];
  if (path.at(-1) === 'lastModified') return test(timeOf(given), timeOf(value));
  if (path[0] === 'externalId') return test(given, value);
  const isAddress = operator === 'eq' && given.includes('@') && value.includes('@');
  return test(given.toLowerCase(), value.toLowerCase()) || (isAddress && addressForm(given) === addressForm(value));
};

/** Whether a resource, or one value of an attribute, fulfils a filter. */
export const matches = (filter: Filter, resource: unknown): boolean => {
  if (filter.kind === 'and') return filter.filters.every((one) => matches(one, resource));
  if (filter.kind === 'or') return filter.filters.some((one) => matches(one, resource));
  if (filter.kind === 'not') return !matches(filter.filter, resource);
  const { path } = filter;
  const values = valuesAt(resource, path);
  if (filter.kind === 'present') return values.length > 0;
  if (filter.kind === 'one') return values.some((one) => matches(filter.filter, one));
  const { operator, value } = filter;
  const test = operator === 'ne' ? 'eq' : operator;
  const holds = value === null ? values.length === 0 : values.some((one) => compare(path, test, one, value));
  return operator === 'ne' ? !holds : holds;
};

/**
 * The values that a resource must have to fulfil a filter: those that the filter compares by `eq`, alone or joined by
 * `and`.
 */
export const demandedBy = (filter: Filter): ReadonlyMap<string, Literal> => {
  if (filter.kind === 'and') return new Map(filter.filters.flatMap((one) => [...demandedBy(one)]));
  return new Map(filter.kind === 'compare' && filter.operator === 'eq' ? [[filter.path.join('.'), filter.value]] : []);
};
