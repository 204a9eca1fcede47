import { nameOf, resolve, type Document, type Schema } from '../openapi/document.ts';
import { inPascalCase, knownEvents, requestSchemas } from './operations.ts';
import type { Direction } from './write-types.ts';

// The types of the client for Python: a TypedDict for each object of the document, and an alias for everything else. They run on
// Python 3.9, which has no `X | None` and no `NotRequired`: optional fields are in a class of their own, from which that of the
// required fields inherits.

const lineLength = 110;

/** Words that can't be the name of a field in a class, or of an argument. */
const reserved = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

export const isPythonName = (text: string): boolean => /^[A-Za-z]\w*$/.test(text) && !reserved.has(text);

export const inSnakeCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const wrapped = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let present = '';
  for (const word of line.split(' ')) {
    if (present && present.length + word.length >= width) {
      lines.push(present);
      present = word;
    } else present = present ? `${present} ${word}` : word;
  }
  return [...lines, present];
};

/** A docstring below what it describes. */
export const docstring = (text: string | undefined, indent = ''): string => {
  if (!text) return '';
  const lines = text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"""', String.raw`\"\"\"`)
    .split('\n')
    .flatMap((line) => wrapped(line, lineLength - indent.length));
  const [first = ''] = lines;
  if (lines.length === 1 && !first.endsWith('"')) return `${indent}"""${first}"""\n`;
  return `${indent}"""\n${lines.map((line) => `${indent}${line}`.trimEnd()).join('\n')}\n${indent}"""\n`;
};

const literal = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);

const literals = (values: readonly unknown[]): string => `Literal[${values.map(literal).join(', ')}]`;

const simple: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Writes the types of the document's schemas. */
export class PythonTypes {
  readonly #document: Document;
  /** The classes of objects within other objects, which are written before the class that has them. */
  readonly #inner: string[] = [];
  constructor(document: Document) {
    this.#document = document;
  }

  /** The type of a schema. An object without a name of its own gets `name`. */
  type(schema: Schema, direction: Direction, name = ''): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (schema.const !== undefined) return literals([schema.const]);
    if (schema.enum) return this.#union([literals(schema.enum), ...(direction === 'answer' ? ['str'] : [])]);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return this.#union(alternatives.map((one) => this.type(one, direction, name)));
    if (schema.allOf) throw new Error(`${name}: the client for Python has no types for allOf`);
    if (Array.isArray(schema.type)) {
      return this.#union(schema.type.map((type) => this.type({ ...schema, type }, direction, name)));
    }
    if (schema.type === 'array') return `List[${this.type(schema.items ?? {}, direction, `${name}Item`)}]`;
    if (schema.type === 'object') return this.#object(schema, direction, name);
    return simple[schema.type ?? ''] ?? 'Any';
  }

  #union(types: readonly string[]): string {
    const parts = [...new Set(types)];
    if (parts.includes('Any')) return 'Any';
    const others = parts.filter((part) => part !== 'None');
    const union = others.length > 1 ? `Union[${others.join(', ')}]` : (others[0] ?? 'None');
    return others.length < parts.length && others.length > 0 ? `Optional[${union}]` : union;
  }

  #object(schema: Schema, direction: Direction, name: string): string {
    if (Object.keys(schema.properties ?? {}).length === 0) {
      const { additionalProperties: values } = schema;
      return `Dict[str, ${typeof values === 'object' ? this.type(values, direction, `${name}Value`) : 'Any'}]`;
    }
    if (name === '') throw new Error('An object within a list of arguments has no name');
    this.#inner.push(this.#classes(name, schema, direction));
    return name;
  }

  #classes(name: string, schema: Schema, direction: Direction): string {
    const required = new Set(schema.required);
    const fields = Object.entries(schema.properties ?? {}).map(([field, property]) => ({
      field,
      type: this.type(property, direction, `${name}${inPascalCase(field)}`),
      said: property.description ?? resolve(this.#document, property).description,
    }));
    const written = (head: string, body: readonly (typeof fields)[number][], about?: string) => {
      const lines = body.map(({ field, type, said }) => `    ${field}: ${type}\n${docstring(said, '    ')}`);
      return `${head}\n${[docstring(about, '    '), ...lines].filter(Boolean).join('\n')}`;
    };
    // A field with a reserved word as its name can't be declared in a class.
    const odd = fields.filter(({ field }) => !isPythonName(field));
    const oddBase = `_${name}Odd`;
    const oddClass = (total: boolean) =>
      `${oddBase} = TypedDict("${oddBase}", {${odd.map(({ field, type }) => `"${field}": "${type}"`).join(', ')}}${total ? '' : ', total=False'})\n`;
    if (odd.length > 0 && new Set(odd.map(({ field }) => required.has(field))).size > 1)
      throw new Error(`${name} has required and optional fields with reserved names`);
    const plain = fields.filter(({ field }) => isPythonName(field));
    const must = plain.filter(({ field }) => required.has(field));
    const may = plain.filter(({ field }) => !required.has(field));
    const first = odd.length > 0 ? oddBase : 'TypedDict';
    const optional = `_${name}Optional`;
    const classes =
      must.length === 0
        ? [written(`class ${name}(${first}, total=False):`, may, schema.description)]
        : [
            ...(may.length > 0 ? [written(`class ${optional}(${first}, total=False):`, may)] : []),
            written(`class ${name}(${may.length > 0 ? optional : first}):`, must, schema.description),
          ];
    return [...(odd.length > 0 ? [oddClass(required.has(odd[0]?.field ?? ''))] : []), ...classes].join('\n\n');
  }

  /** The declaration of a schema, after those of the objects within it. */
  declaration(name: string, schema: Schema, direction: Direction): string {
    const isClass = Object.keys(schema.properties ?? {}).length > 0;
    // A named enum has only the known values. Answers add `str` where they refer to it.
    const written = isClass
      ? this.#classes(name, schema, direction)
      : `${name} = ${this.type(schema, schema.enum ? 'request' : direction, name)}\n${docstring(schema.description)}`;
    return [...this.#inner.splice(0), written].join('\n\n');
  }
}

/** The names in a schema's references, which an alias evaluates when it is declared. */
const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        key === '$ref' && typeof inner === 'string' ? [nameOf(inner)] : namesIn(inner),
      )
    : [];

/** The schemas in such an order that an alias comes after what it refers to. */
const inOrder = (schemas: Readonly<Record<string, Schema>>): [string, Schema][] => {
  const done = new Map<string, Schema>();
  const add = (name: string): void => {
    const schema = schemas[name];
    if (!schema || done.has(name)) return;
    // Classes refer to others by texts, also to later ones.
    if (Object.keys(schema.properties ?? {}).length === 0) for (const needed of namesIn(schema)) add(needed);
    done.set(name, schema);
  };
  for (const name of Object.keys(schemas)) add(name);
  return [...done];
};

const usedNames = (code: string, names: readonly string[]): string[] => {
  const words = new Set(code.replaceAll(/"""[^]*?"""/g, '').match(/\b\w+/g));
  return names.filter((name) => words.has(name));
};

/** `from … import …` of those names that the code uses. */
export const importOf = (code: string, from: string, names: readonly string[]): string => {
  const used = usedNames(code, names).toSorted();
  if (used.length === 0) return '';
  const line = `from ${from} import ${used.join(', ')}\n`;
  return line.length <= lineLength
    ? line
    : `from ${from} import (\n${used.map((name) => `    ${name},\n`).join('')})\n`;
};

export const typingNames = ['Any', 'Dict', 'List', 'Literal', 'Optional', 'Sequence', 'TypedDict', 'Union'];

/** All types: one for each schema of the document. */
export const writePythonTypes = (document: Document): string => {
  const types = new PythonTypes(document);
  const inRequests = requestSchemas(document);
  const code = [
    ...inOrder(document.components.schemas).map(([name, schema]) =>
      types.declaration(name, schema, inRequests.has(name) ? 'request' : 'answer'),
    ),
    `KnownEvent = Union[${knownEvents(document).join(', ')}]\n${docstring('The events that the service sends today.')}`,
  ].join('\n\n');
  return [
    '"""The types of requests and answers. Made from docs/openapi.v1.json by `npm run openapi`."""\n',
    'from __future__ import annotations\n',
    importOf(code, 'typing', typingNames),
    '',
    code,
  ].join('\n');
};
