import { isRecord } from '../../core/json.ts';
import type { Document } from '../rest/openapi-shared.ts';

// Reads the OpenAPI document as plain JSON, so that the pages show only the content of the published document.

type Json = Readonly<Record<string, unknown>>;

const record = (value: unknown): Json => (isRecord(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export interface Field {
  name: string;
  in: string;
  type: string;
  required: boolean;
  description: string;
  example: unknown;
  /** The limits of a number. */
  min?: number;
  max?: number;
  default?: string | number;
}

export interface OperationAnswer {
  status: string;
  description: string;
  /** The possible codes of the problem. */
  codes: string[];
  fields: Field[];
  example: unknown;
}

export interface OperationEntry {
  method: string;
  path: string;
  id: string;
  tag: string;
  summary: string;
  description: string;
  scope: string | undefined;
  /** The scopes that are needed in addition for certain values of a parameter. */
  further: { parameter: string; value: string; scope: string }[];
  parameters: Field[];
  body: { fields: Field[]; example: unknown } | undefined;
  answers: OperationAnswer[];
}

export interface Tag {
  name: string;
  description: string;
  operations: OperationEntry[];
}

const methods = ['get', 'post', 'patch', 'put', 'delete'];

type Resolve = (value: unknown) => Json;

/** Returns the function that follows a reference within the document. Any other value stays as it is. */
const resolverOf = (root: Json): Resolve => {
  const resolve = (value: unknown): Json => {
    const { $ref: ref } = record(value);
    if (typeof ref !== 'string') return record(value);
    let found: unknown = root;
    for (const part of ref.slice(2).split('/')) found = record(found)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    return resolve(found);
  };
  return resolve;
};

const typeOf = (resolve: Resolve, given: unknown): string => {
  const { $ref: ref } = record(given);
  const schema = resolve(given);
  const { anyOf, oneOf, allOf, enum: values, const: only, format, type, items } = schema;
  const variants = listOf(anyOf ?? oneOf);
  if (variants.length > 0) return [...new Set(variants.map((one) => typeOf(resolve, one)))].join(' | ');
  if (only !== undefined) return `\`${JSON.stringify(only).replaceAll('"', '')}\``;
  if (values !== undefined)
    return listOf(values)
      .map((value) => `\`${String(value)}\``)
      .join(', ');
  if (items !== undefined) {
    const item = typeOf(resolve, items);
    return /[,|]/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (typeof ref === 'string' && ref.includes('/schemas/') && schema['properties']) return text(ref.split('/').at(-1));
  if (allOf !== undefined) return 'object';
  return text(format) || [type ?? 'any'].flat().map(String).join(' | ');
};

/** The fields of an object, and of the objects in it, by their paths: `privacy.member_detail_enabled`. */
const fieldsOf = (resolve: Resolve, given: unknown, prefix = '', depth = 0): Field[] => {
  const schema = resolve(given);
  const required = listOf(schema['required']);
  const own = Object.entries(record(schema['properties'])).flatMap(([name, property]) => {
    const shown = resolve(property);
    const path = `${prefix}${name}`;
    const variant = [property, ...listOf(shown['anyOf'])].find((one) => resolve(one)['properties']);
    const inner = resolve(variant ?? shown['items'])['properties'] ? (variant ?? shown['items']) : undefined;
    const suffix = variant === undefined ? '[].' : '.';
    return [
      {
        name: path,
        in: 'body',
        type: typeOf(resolve, property),
        required: required.includes(name),
        description: text(record(property)['description']) || text(shown['description']),
        example: shown['example'],
      },
      ...(inner && depth < 3 ? fieldsOf(resolve, inner, `${path}${suffix}`, depth + 1) : []),
    ];
  });
  return [...own, ...listOf(schema['allOf']).flatMap((part) => fieldsOf(resolve, part, prefix, depth))];
};

const exampleOf = (resolve: Resolve, media: Json): unknown => {
  const [first] = Object.values(record(media['examples']));
  return resolve(first)['value'] ?? media['example'];
};

const mediaOf = (content: unknown): Json => record(Object.values(record(content))[0]);

const codesOf = (media: Json): string[] =>
  [...JSON.stringify(Object.keys(record(media['examples']))).matchAll(/"([a-z_]+)"/g)].flatMap(
    ([, code]) => code ?? [],
  );

const answerOf = (resolve: Resolve, status: string, given: unknown): OperationAnswer => {
  const answer = resolve(given);
  const media = mediaOf(answer['content']);
  const isProblem = Object.keys(record(answer['content'])).includes('application/problem+json');
  return {
    status,
    description: text(answer['description']),
    codes: isProblem ? codesOf(media) : [],
    fields: isProblem ? [] : fieldsOf(resolve, listOf(record(media['x-item-schema'])['anyOf'])[0] ?? media['schema']),
    example: exampleOf(resolve, media),
  };
};

const boundsOf = ({ minimum, maximum, default: usual }: Json): Pick<Field, 'min' | 'max' | 'default'> => ({
  ...(typeof minimum === 'number' && { min: minimum }),
  ...(typeof maximum === 'number' && { max: maximum }),
  ...((typeof usual === 'number' || typeof usual === 'string') && { default: usual }),
});

const parameterOf = (resolve: Resolve, given: unknown): Field => {
  const parameter = resolve(given);
  const schema = resolve(parameter['schema']);
  return {
    name: text(parameter['name']),
    in: text(parameter['in']),
    type: typeOf(resolve, parameter['schema']),
    required: parameter['required'] === true,
    description: text(parameter['description']) || text(schema['description']),
    example: parameter['example'] ?? schema['example'],
    ...boundsOf(schema),
  };
};

const operationOf = (resolve: Resolve, path: string, method: string, given: unknown): OperationEntry => {
  const operation = record(given);
  const body =
    operation['requestBody'] === undefined ? undefined : mediaOf(resolve(operation['requestBody'])['content']);
  return {
    method: method.toUpperCase(),
    path,
    id: text(operation['operationId']),
    tag: text(listOf(operation['tags'])[0]),
    summary: text(operation['summary']),
    description: text(operation['description']),
    scope: text(operation['x-required-scope']) || undefined,
    further: Object.entries(record(operation['x-required-scope-by-parameter'])).flatMap(([parameter, scopes]) =>
      Object.entries(record(scopes)).map(([value, scope]) => ({ parameter, value, scope: text(scope) })),
    ),
    parameters: listOf(operation['parameters']).map((one) => parameterOf(resolve, one)),
    body: body && { fields: fieldsOf(resolve, body['schema']), example: exampleOf(resolve, body) },
    answers: Object.entries(record(operation['responses'])).map(([status, answer]) =>
      answerOf(resolve, status, answer),
    ),
  };
};

export const tagsOf = (document: Document): Tag[] => {
  const root = record(JSON.parse(JSON.stringify(document)));
  const resolve = resolverOf(root);
  const operations = Object.entries(record(root['paths'])).flatMap(([path, item]) =>
    Object.entries(record(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, given]) => operationOf(resolve, path, method, given)),
  );
  return listOf(root['tags']).map((given) => {
    const tag = record(given);
    return {
      name: text(tag['name']),
      description: text(tag['description']),
      operations: operations.filter((operation) => operation.tag === tag['name']),
    };
  });
};
