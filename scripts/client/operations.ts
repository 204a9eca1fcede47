import {
  nameOf,
  operationsOf,
  resolve,
  type Document,
  type OperationObject,
  type Parameter,
  type Schema,
} from '../openapi/document.ts';
import { methods } from './methods.ts';

// The operations of the document, as the clients of all languages need them.

/** An operation of the API with the client's method for it. */
export interface Operation {
  /** `GET /users/{member_id}` */
  route: string;
  verb: string;
  path: string;
  /** The method: `webhooks.endpoints.list`. */
  name: string;
  /** What it does, the scope that it needs, and its own problems. In Markdown. */
  about: string;
  /** The names of the parameters in the path. */
  ids: readonly string[];
  query: readonly Parameter[];
  body: Schema | undefined;
  /** The answer, or a row of an export. */
  answer: Schema;
  isExport: boolean;
  /** The entries of a list. */
  item: Schema | undefined;
  /** Whether the list is a feed, which never ends. */
  isFeed: boolean;
  /** The items and results of an operation that creates several things. */
  many: { items: Schema; results: Schema; max: number } | undefined;
}

/** List items for which the clients have a more exact type than the document. */
export const knownItems: Readonly<Record<string, string>> = { Event: 'WebhookEvent' };

export const inPascalCase = (text: string): string =>
  text.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Problems that every operation can answer with. The comments of the methods don't list them. */
const commonCodes = new Set([
  'unauthorized',
  'api_disabled',
  'validation_error',
  'rate_limited',
  'internal',
  'unavailable',
]);

const codesOf = (document: Document, operation: OperationObject): string[] => {
  const codes = Object.values(operation.responses).flatMap((response) =>
    Object.values(resolve(document, response).content ?? {}).flatMap(({ examples = {} }) =>
      Object.values(examples).flatMap((example): unknown => Object(resolve(document, example).value).code ?? []),
    ),
  );
  return [...new Set(codes)].map(String).filter((code) => !commonCodes.has(code) && code !== 'bad_request');
};

const manyOf = (document: Document, answer: Schema, body: Schema | undefined): Operation['many'] => {
  const sent = body && resolve(document, body).properties?.['items'];
  const results = resolve(document, answer).properties?.['results']?.items;
  return sent?.items && sent.maxItems !== undefined && results
    ? { items: sent.items, results, max: sent.maxItems }
    : undefined;
};

const answerOf = (route: string, { responses }: OperationObject): Pick<Operation, 'answer' | 'isExport'> => {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const row = response?.content?.['application/x-ndjson']?.['x-item-schema']?.anyOf?.[0];
  const answer = row ?? response?.content?.['application/json']?.schema;
  if (!answer) throw new Error(`${route} has no answer`);
  return { answer, isExport: row !== undefined };
};

const aboutOf = (document: Document, route: string, operation: OperationObject): string => {
  const scope = operation.security?.flatMap((one) => Object.values(one).flat())[0];
  const codes = codesOf(document, operation).map((code) => `\`${code}\``);
  const needs = scope === undefined ? '' : ` Needs the scope \`${scope}\`.`;
  const problems = codes.length === 0 ? '' : ` Problems besides the common ones: ${codes.join(', ')}.`;
  return [
    `${operation.summary ?? route}.`,
    ...(operation.description === undefined ? [] : [operation.description]),
    `\`${route}\`.${needs}${problems}`,
  ].join('\n\n');
};

/** All operations, in the order in which the clients show them. */
export const readOperations = (document: Document): Operation[] => {
  const places = Object.keys(methods);
  return operationsOf(document)
    .toSorted(([a], [b]) => places.indexOf(a) - places.indexOf(b))
    .map(([route, operation]) => {
      const name = methods[route];
      if (name === undefined) throw new Error(`${route} has no method: add one to scripts/client/methods.ts`);
      const [verb = '', path = ''] = route.split(' ');
      const parameters = (operation.parameters ?? []).map((parameter): Parameter => resolve(document, parameter));
      const { answer, isExport } = answerOf(route, operation);
      const { properties } = resolve(document, answer);
      const body = operation.requestBody?.content['application/json']?.schema;
      return {
        route,
        verb,
        path,
        name,
        about: aboutOf(document, route, operation),
        ids: parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
        query: parameters.filter((parameter) => parameter.in === 'query'),
        body,
        answer,
        isExport,
        item: properties?.['data']?.type === 'array' ? properties['data'].items : undefined,
        isFeed: properties?.['has_more'] !== undefined,
        many: manyOf(document, answer, body),
      };
    });
};

/** Methods by their resource: `webhooks.endpoints` holds `list`, `create` and so on. */
export interface Resource<M> {
  methods: M[];
  resources: Map<string, Resource<M>>;
}

export const treeOf = <M extends { name: string }>(all: readonly M[]): Resource<M> => {
  const root: Resource<M> = { methods: [], resources: new Map() };
  for (const method of all) {
    const parts = method.name.split('.');
    let place = root;
    for (const part of parts.slice(0, -1)) {
      const next = place.resources.get(part) ?? { methods: [], resources: new Map() };
      place.resources.set(part, next);
      place = next;
    }
    place.methods.push({ ...method, name: parts.at(-1) ?? '' });
  }
  return root;
};

/** `WebhooksEndpointsResource`. It ends so because a schema may have the name without this ending. */
export const nameOfResource = (parts: readonly string[]): string =>
  parts.length === 0 ? 'Api' : `${parts.map(inPascalCase).join('')}Resource`;

/** The names of all schemas that requests refer to. */
export const requestSchemas = (document: Document): ReadonlySet<string> => {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const name = key === '$ref' && typeof inner === 'string' ? nameOf(inner) : undefined;
      if (name === undefined) walk(inner);
      else if (!found.has(name)) {
        found.add(name);
        walk(document.components.schemas[name]);
      }
    }
  };
  for (const [, { requestBody }] of operationsOf(document)) walk(requestBody);
  return found;
};

/** The names of the events that the service sends today. */
export const knownEvents = (document: Document): string[] =>
  Object.values(document.webhooks).map((item) => {
    const schema = item['post']?.requestBody?.content['application/json']?.schema;
    return nameOf(schema?.$ref ?? '');
  });
