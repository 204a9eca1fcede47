import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The description of v1 that was accepted last, on which customers rely. */
export const baselineFile = join(import.meta.dirname, '..', '..', 'docs', 'openapi.v1.json');

/** The URL of the service in this description, in a domain that is reserved for examples. */
export const documentedUrl = 'https://team-customer-api.example';

// The parts of the description that the generators of the client and of the collection read.

type Simple = string | number | boolean;

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  const?: unknown;
  default?: Simple;
  example?: Simple;
  enum?: Simple[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: Simple;
  schema: Schema;
}

interface Content {
  schema?: Schema;
  /** The form of each line of a streamed answer. */
  'x-item-schema'?: Schema;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}

interface Response {
  $ref?: string;
  content?: Record<string, Content>;
}

export interface OperationObject {
  summary?: string;
  description?: string;
  tags?: string[];
  'x-required-scope'?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Response>;
}

export interface Document {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> } & Record<string, Record<string, unknown>>;
}

export const readDocument = async (): Promise<Document> => JSON.parse(await readFile(baselineFile, 'utf8'));

/** The last part of a reference: the name of a component. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Returns the component if the value is a reference to it. */
export const resolve = <T extends { $ref?: string }>(document: Document, value: T): T => {
  if (value.$ref === undefined) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  // The type of the component at the reference is the type expected in its place.
  const found = Object(document.components[kind])[name];
  if (found === undefined) throw new Error(`${value.$ref} leads nowhere`);
  return resolve(document, found);
};

const verbs = ['get', 'post', 'patch', 'delete'] as const;

/** Every operation of the API, as `GET /users`. */
export const operationsOf = (document: Document): [route: string, operation: OperationObject][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb): [string, OperationObject][] => {
      const operation = item[verb];
      return operation ? [[`${verb.toUpperCase()} ${path}`, operation]] : [];
    }),
  );
