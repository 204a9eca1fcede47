import { z } from 'zod';

/**
 * The part of JSON Schema that the document uses for inputs. Reading fails on any other keyword, because the tests must
 * not ignore one.
 */
export const JsonSchema = z.strictObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  get items() {
    return JsonSchema.optional();
  },
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  get properties() {
    return z.record(z.string(), JsonSchema).optional();
  },
  required: z.array(z.string()).optional(),
  maxProperties: z.number().optional(),
  get propertyNames() {
    return JsonSchema.optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), JsonSchema]).optional();
  },
  get anyOf() {
    return z.array(JsonSchema).optional();
  },
  get oneOf() {
    return z.array(JsonSchema).optional();
  },
  // Keywords without any effect on which values are valid.
  id: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  example: z.unknown().optional(),
  examples: z.unknown().optional(),
});
export type JsonSchema = z.output<typeof JsonSchema>;

const Parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: JsonSchema,
});
export type Parameter = z.output<typeof Parameter>;

const Reference = z.strictObject({ $ref: z.string() });
const Examples = z.looseObject({ examples: z.record(z.string(), z.unknown()) });

/** A reference to a shared response, with the description of its place. */
const ResponseReference = Reference.extend({ description: z.string().optional() });
const ResponseObject = z.looseObject({ content: z.record(z.string(), Examples) });
/** The answers of a webhook's receiver have no content. */
const SharedResponse = ResponseObject.extend({ content: ResponseObject.shape.content.default({}) });

const OperationObject = z.looseObject({
  parameters: z.array(z.union([Reference, Parameter])).default([]),
  requestBody: z.looseObject({ content: z.record(z.string(), z.looseObject({ schema: JsonSchema })) }).optional(),
  responses: z.record(z.string(), z.union([ResponseReference, ResponseObject])),
});

const Document = z.looseObject({
  servers: z.array(z.looseObject({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), OperationObject)),
  components: z.looseObject({
    schemas: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), Parameter),
    responses: z.record(z.string(), SharedResponse),
  }),
});

/** An operation as the document describes it. */
export interface DescribedOperation {
  readonly route: string;
  readonly method: string;
  /** The path's template. */
  readonly path: string;
  readonly inPath: readonly Parameter[];
  readonly inQuery: readonly Parameter[];
  readonly inHeader: readonly Parameter[];
  readonly body: JsonSchema | undefined;
  /** The codes of its problems. */
  readonly codes: readonly string[];
}

export interface DescribedApi {
  readonly operations: readonly DescribedOperation[];
  /** The target of `$ref`, if any. */
  resolve(schema: JsonSchema): JsonSchema;
  /** The document itself, for a validator. */
  readonly json: Record<string, unknown>;
}

const nameIn = (reference: string, section: string): string => {
  const start = `#/components/${section}/`;
  if (!reference.startsWith(start)) throw new Error(`${reference} points elsewhere than to ${section}`);
  return reference.slice(start.length);
};

const known = <Value>(values: Readonly<Record<string, Value>>, name: string): Value => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new Error(`the document has no ${name}`);
  return value;
};

/** Replaces references to shared responses by the responses, because the validator finds a schema by its path. */
const withResponses = (document: z.output<typeof Document>): void => {
  for (const { responses } of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    for (const [status, response] of Object.entries(responses)) {
      if (!('$ref' in response)) continue;
      responses[status] = known(document.components.responses, nameIn(String(response.$ref), 'responses'));
    }
  }
};

/** Reads the served document. */
export const readDescribedApi = (text: string): DescribedApi => {
  const json = Document.parse(JSON.parse(text));
  withResponses(json);
  const { paths, components } = json;

  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, object]): DescribedOperation => {
      const parameters = object.parameters.map((parameter) =>
        '$ref' in parameter ? known(components.parameters, nameIn(String(parameter.$ref), 'parameters')) : parameter,
      );
      const placed = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
      return {
        route: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        inPath: placed('path'),
        inQuery: placed('query'),
        inHeader: placed('header'),
        body: object.requestBody && known(object.requestBody.content, 'application/json').schema,
        codes: Object.values(object.responses).flatMap((response) =>
          'content' in response ? Object.keys(response.content['application/problem+json']?.examples ?? {}) : [],
        ),
      };
    }),
  );

  // The generators resolve the same few schemas for every request.
  const read = new Map<string, JsonSchema>();
  const resolve = (schema: JsonSchema): JsonSchema => {
    const { $ref } = schema;
    if ($ref === undefined) return schema;
    const target = read.get($ref) ?? resolve(JsonSchema.parse(known(components.schemas, nameIn($ref, 'schemas'))));
    read.set($ref, target);
    return target;
  };
  return { operations, resolve, json };
};
