import { nameOf, resolve, type Document, type Parameter, type Schema } from '../openapi/document.ts';
import { knownEvents, requestSchemas } from './operations.ts';

/**
 * Request types allow only the values that the service accepts. Answer types also allow values that a later version may
 * add.
 */
export type Direction = 'request' | 'answer';

/** A comment above a declaration. Descriptions are Markdown, which editors render. */
export const comment = (text: string | undefined, indent = ''): string => {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines.join('')} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
};

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

const open = '(string & {})';

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Writes the types of the document's schemas. */
export class TypeWriter {
  readonly #document: Document;
  constructor(document: Document) {
    this.#document = document;
  }

  type(schema: Schema, direction: Direction): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum) return this.#union([...schema.enum.map(literal), ...(direction === 'answer' ? [open] : [])]);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return this.#union(alternatives.map((one) => this.type(one, direction)));
    if (schema.allOf) return schema.allOf.map((one) => this.type(one, direction)).join(' & ');
    if (Array.isArray(schema.type)) {
      return this.#union(schema.type.map((type) => this.type({ ...schema, type }, direction)));
    }
    if (schema.type === 'array') {
      const item = this.type(schema.items ?? {}, direction);
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    if (schema.type === 'object') return this.#object(schema, direction);
    return simple[schema.type ?? ''] ?? 'unknown';
  }

  #union(types: readonly string[]): string {
    const parts = [...new Set(types)];
    const isText = (part: string) =>
      part.startsWith("'") || this.#document.components.schemas[part]?.enum !== undefined;
    // In a union with `string`, TypeScript drops the known texts and editors no longer propose them.
    const hasTexts = parts.some(isText);
    return parts.map((part) => (part === 'string' && hasTexts ? open : part)).join(' | ');
  }

  #object(schema: Schema, direction: Direction): string {
    const properties = Object.entries(schema.properties ?? {});
    if (properties.length === 0) {
      const { additionalProperties: values } = schema;
      return `Record<string, ${typeof values === 'object' ? this.type(values, direction) : 'unknown'}>`;
    }
    return `{\n${properties.map(([name, property]) => this.#property(name, property, schema, direction)).join('')}}`;
  }

  #property(name: string, property: Schema, { required = [] }: Schema, direction: Direction): string {
    const type = this.type(property, direction);
    const said = comment(property.description ?? resolve(this.#document, property).description);
    if (required.includes(name)) return `${said}${name}: ${type};\n`;
    // A request may set an optional field to undefined, also under `exactOptionalPropertyTypes`, because JSON omits it.
    return `${said}${name}?: ${type}${direction === 'request' ? ' | undefined' : ''};\n`;
  }

  declaration(name: string, schema: Schema, direction: Direction): string {
    const said = comment(schema.description);
    if (Object.keys(schema.properties ?? {}).length > 0)
      return `${said}export interface ${name} ${this.#object(schema, direction)}\n`;
    // A named enum has only the known values. Answers add `string` where they refer to it.
    return `${said}export type ${name} = ${this.type(schema, schema.enum ? 'request' : direction)};\n`;
  }

  /** The parameters of a query. Times may also be `Date`s. */
  query(name: string, about: string, parameters: readonly Parameter[]): string {
    const fields = parameters.map((parameter) => {
      const schema = resolve(this.#document, parameter.schema);
      const type = schema.format === 'date-time' ? 'string | Date' : this.type(parameter.schema, 'request');
      const optional = parameter.required ? '' : '?';
      return `${comment(parameter.description ?? schema.description)}${parameter.name}${optional}: ${type}${optional && ' | undefined'};\n`;
    });
    return `${comment(about)}export interface ${name} {\n${fields.join('')}}\n`;
  }
}

/** All types: one for each schema of the document, and the lists whose item type the client uses by name. */
export const writeTypes = (document: Document): string => {
  const writer = new TypeWriter(document);
  const inRequests = requestSchemas(document);
  const { schemas } = document.components;
  const declarations = Object.entries(schemas).map(([name, schema]) =>
    writer.declaration(name, schema, inRequests.has(name) ? 'request' : 'answer'),
  );
  return [
    '// Made from docs/openapi.v1.json by `npm run openapi`.\n',
    ...declarations,
    `${comment('The events that the service sends today.')}export type KnownEvent = ${knownEvents(document).join(' | ')};\n`,
  ].join('\n');
};
