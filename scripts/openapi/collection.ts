import { operationsOf, resolve, type Document, type OperationObject, type Parameter } from './document.ts';

// The collection for Postman, which Bruno, Insomnia and Hoppscotch import too: a folder for each tag, a request for
// each operation.

export const collectionFile = new URL('../../docs/team-customer-api.postman_collection.json', import.meta.url);

/** A parameter in the URL, with an example as its value. */
const placed = (document: Document, parameter: Parameter) => {
  const schema = resolve(document, parameter.schema);
  const value = parameter.example ?? schema.example ?? schema.default ?? schema.enum?.[0] ?? '';
  return {
    key: parameter.name,
    value: String(value),
    description: parameter.description ?? schema.description,
  };
};

const requestOf = (document: Document, route: string, operation: OperationObject) => {
  const [method, path = ''] = route.split(' ');
  const { summary, description, requestBody } = operation;
  const scope = operation['x-required-scope'];
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const required = inQuery
    .filter((parameter) => parameter.required)
    .map((parameter) => `${parameter.name}=${placed(document, parameter).value}`);
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const example = requestBody?.content['application/json']?.examples?.['example'];
  const body = example && resolve(document, example).value;
  return {
    name: summary,
    request: {
      method,
      description: scope === undefined ? description : `${description}\n\nNeeds the scope \`${scope}\`.`,
      header: [
        { key: 'Accept-Language', value: '{{language}}' },
        // `{{$guid}}`: Postman generates a new key for each request.
        ...(method === 'POST' ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
      ],
      ...(body !== undefined && {
        body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
      }),
      url: {
        raw: `{{baseUrl}}/${segments}${required.length > 0 ? `?${required.join('&')}` : ''}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        // Optional filters are disabled until the user enables them.
        ...(inQuery.length > 0 && {
          query: inQuery.map((parameter) => ({
            ...placed(document, parameter),
            ...(!parameter.required && { disabled: true }),
          })),
        }),
        ...(inPath.length > 0 && { variable: inPath.map((parameter) => placed(document, parameter)) }),
      },
    },
    response: [],
  };
};

/** The collection of an OpenAPI document's operations. */
export const collectionOf = (document: Document) => {
  const { info, servers, tags } = document;
  return {
    info: {
      name: info.title,
      description: `${info.description}\n\nSet the variables \`baseUrl\` and \`apiKey\`.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: servers[0]?.url },
      { key: 'apiKey', value: '' },
      { key: 'language', value: 'en' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operationsOf(document)
        .filter(([, operation]) => operation.tags?.[0] === name)
        .map(([route, operation]) => requestOf(document, route, operation)),
    })),
  };
};
