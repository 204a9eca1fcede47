import { join } from 'node:path';
import { z } from 'zod';
import { withoutReferences } from './breaking-changes.ts';

// The collection for Postman, which Bruno, Insomnia and Hoppscotch import too: a folder for each tag, a request for each operation.

export const collectionFile = join(
  import.meta.dirname,
  '..',
  '..',
  'docs',
  'team-customer-api.postman_collection.json',
);

const Example = z.union([z.string(), z.number(), z.boolean()]).optional();

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  description: z.string().optional(),
  example: Example,
  schema: z.object({
    default: Example,
    example: Example,
    description: z.string().optional(),
    enum: z.array(z.string()).optional(),
  }),
});
type Parameter = z.output<typeof Parameter>;

const Operation = z.object({
  summary: z.string(),
  description: z.string(),
  tags: z.tuple([z.string()]),
  'x-required-scope': z.string().optional(),
  parameters: z.array(Parameter),
  requestBody: z
    .object({
      content: z.object({
        'application/json': z.object({ examples: z.object({ example: z.object({ value: z.unknown() }) }) }),
      }),
    })
    .optional(),
});
type Operation = z.output<typeof Operation>;

const Document = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  servers: z.tuple([z.object({ url: z.string() })]),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

const exampleOf = ({ example, schema }: Parameter): string =>
  String(example ?? schema.example ?? schema.default ?? schema.enum?.[0] ?? '');

const requestOf = (path: string, method: string, operation: Operation) => {
  const { summary, description, parameters, requestBody } = operation;
  const scope = operation['x-required-scope'];
  const placed = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const body = requestBody?.content['application/json'].examples.example.value;
  const isPost = method === 'post';
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description: scope === undefined ? description : `${description}\n\nNeeds the scope \`${scope}\`.`,
      header: [
        { key: 'Accept-Language', value: '{{language}}' },
        // `{{$guid}}`: Postman generates a new key for each request.
        ...(isPost ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
      ],
      ...(body !== undefined && {
        body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
      }),
      url: {
        raw: `{{baseUrl}}/${segments}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        // Filters are disabled until the user enables them.
        ...(placed('query').length > 0 && {
          query: placed('query').map((parameter) => ({
            key: parameter.name,
            value: exampleOf(parameter),
            description: parameter.description ?? parameter.schema.description,
            disabled: true,
          })),
        }),
        ...(placed('path').length > 0 && {
          variable: placed('path').map((parameter) => ({
            key: parameter.name,
            value: exampleOf(parameter),
            description: parameter.description ?? parameter.schema.description,
          })),
        }),
      },
    },
    response: [],
  };
};

/** The collection of an OpenAPI document's operations. */
export const collectionOf = (document: unknown) => {
  const { info, servers, tags, paths } = Document.parse(withoutReferences(document));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return {
    info: {
      name: info.title,
      description: `${info.description}\n\nSet the variables \`baseUrl\` and \`apiKey\`.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: servers[0].url },
      { key: 'apiKey', value: '' },
      { key: 'language', value: 'en' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => requestOf(path, method, operation)),
    })),
  };
};
