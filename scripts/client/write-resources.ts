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
import { TypeWriter, comment } from './write-types.ts';

const inPascalCase = (text: string): string =>
  text.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());

const inCamelCase = (text: string): string => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Problems that every operation can answer with. The comments of the methods don't list them. */
const commonCodes = new Set([
  'unauthorized',
  'api_disabled',
  'validation_error',
  'rate_limited',
  'internal',
  'unavailable',
]);

/** A method of the client: its interface, what it does, and the type of its query if it has one. */
interface Method {
  name: string;
  said: string;
  signature: string;
  body: string;
  query?: string;
}

/** List items for which the client has a more exact type than the document. */
const knownItems: Readonly<Record<string, string>> = { Event: 'WebhookEvent' };

const codesOf = (document: Document, operation: OperationObject): string[] => {
  const codes = Object.values(operation.responses).flatMap((response) =>
    Object.values(resolve(document, response).content ?? {}).flatMap(({ examples = {} }) =>
      Object.values(examples).flatMap((example): unknown => Object(resolve(document, example).value).code ?? []),
    ),
  );
  return [...new Set(codes)].map(String).filter((code) => !commonCodes.has(code) && code !== 'bad_request');
};

const itemOf = (schema: Schema): Schema | undefined =>
  schema.properties?.['data']?.type === 'array' ? schema.properties['data'].items : undefined;

/** The items and results of an operation that creates several things. */
const manyOf = (document: Document, answer: Schema, body: Schema | undefined) => {
  const sent = body && resolve(document, body).properties?.['items'];
  const results = resolve(document, answer).properties?.['results']?.items;
  return sent?.items && sent.maxItems !== undefined && results
    ? { items: sent.items, results, max: sent.maxItems }
    : undefined;
};

const answerOf = (route: string, operation: OperationObject): Schema => {
  const [, response] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = response?.content?.['application/json']?.schema;
  if (!schema) throw new Error(`${route} has no answer`);
  return schema;
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

const methodsOf = (document: Document, writer: TypeWriter, route: string, operation: OperationObject): Method[] => {
  const name = methods[route];
  if (name === undefined) throw new Error(`${route} has no method: add one to scripts/client/methods.ts`);
  const [verb = '', path = ''] = route.split(' ');
  const parameters = (operation.parameters ?? []).map((parameter): Parameter => resolve(document, parameter));
  const ids = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => inCamelCase(parameter.name));
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const isQueryRequired = inQuery.some((parameter) => parameter.required);
  const queryName = `${inPascalCase(name)}Query`;
  const schema = answerOf(route, operation);
  const item = itemOf(resolve(document, schema));
  const body = operation.requestBody?.content['application/json']?.schema;

  const place = path.includes('{')
    ? `\`${path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => `\${id(${inCamelCase(parameter)})}`)}\``
    : `'${path}'`;
  const passed = [...(body ? ['body'] : []), ...(inQuery.length > 0 ? ['query'] : []), 'options'];
  const declared = [
    ...ids.map((parameter) => `${parameter}: string`),
    ...(body ? [`body: ${nameOf(body.$ref ?? '')}`] : []),
    ...(inQuery.length > 0 ? [`query${isQueryRequired ? '' : '?'}: ${queryName}`] : []),
  ];
  const query =
    inQuery.length > 0 ? writer.query(queryName, `The query parameters of \`api.${name}\`.`, inQuery) : undefined;
  const method = (
    name: string,
    { about, options, returned, run }: Record<'about' | 'options' | 'returned' | 'run', string>,
  ): Method => ({
    name,
    said: about,
    signature: `(${[...declared, `options?: ${options}`].join(', ')}): ${returned};`,
    body: `(${[...ids, ...passed].join(', ')}) => ${run}`,
    ...(query && { query }),
  });
  const about = aboutOf(document, route, operation);
  const many = manyOf(document, schema, body);
  if (many) {
    const [made, wanted] = [writer.type(many.results, 'answer'), writer.type(many.items, 'request')];
    return [
      {
        name,
        said: `${about}\n\nIt takes any number of items, and sends at most ${many.max} in a request. If a request fails, it throws. Call it again with the same items and an \`idempotencyKey\` of your own, and nothing is created twice.`,
        signature: `(items: readonly ${wanted}[], options?: PostOptions): Promise<${made}[]>;`,
        body: `(items, options) => many(${place}, { items, options })`,
      },
    ];
  }
  const options = verb === 'POST' ? 'PostOptions' : 'CallOptions';
  const fields = `{ ${passed.join(', ')} }`;
  if (!item) {
    const returned = `Call<${writer.type(schema, 'answer')}>`;
    const run = `call('${verb}', ${place}, ${fields})`;
    return [method(name, { about, options, returned, run })];
  }
  const type = writer.type(item, 'answer');
  const entry = knownItems[type] ?? type;
  const isFeed = resolve(document, schema).properties?.['has_more'] !== undefined;
  const returned = isFeed ? `List<${entry}, FeedPage<${entry}>>` : `List<${entry}>`;
  const list = method(name, { about, options, returned, run: `list(${place}, ${fields})` });
  if (!isFeed) return [list];
  const stream = method(name.replace(/\w+$/, 'stream'), {
    about:
      'Follows the feed: gives each event as soon as there is one, and goes on after failures of the network, until its signal is aborted.',
    options: 'StreamOptions',
    returned: `EventStream<${entry}>`,
    run: `stream(${place}, ${fields})`,
  });
  return [list, stream];
};

/** Methods by their resource: `webhooks.endpoints` holds `list`, `create` and so on. */
interface Resource {
  methods: Method[];
  resources: Map<string, Resource>;
}

const treeOf = (all: readonly Method[]): Resource => {
  const root: Resource = { methods: [], resources: new Map() };
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

/** `WebhooksEndpointsResource`: a schema may have the name alone. */
const nameOfResource = (parts: readonly string[]): string =>
  parts.length === 0 ? 'Api' : `${parts.map(inPascalCase).join('')}Resource`;

const interfaceOf = ({ methods, resources }: Resource, parts: readonly string[] = []): string => {
  const inner = [...resources].map(([part, resource]) => interfaceOf(resource, [...parts, part]));
  const lines = [
    ...methods.map(({ name, said, signature }) => `${comment(said, '  ')}  ${name}${signature}\n`),
    ...[...resources.keys()].map((part) => `  readonly ${part}: ${nameOfResource([...parts, part])};\n`),
  ];
  return [...inner, `export interface ${nameOfResource(parts)} {\n${lines.join('')}}\n`].join('\n');
};

const objectOf = ({ methods, resources }: Resource): string =>
  `{\n${[
    ...methods.map(({ name, body }) => `${name}: ${body},`),
    ...[...resources].map(([part, resource]) => `${part}: ${objectOf(resource)},`),
  ].join('\n')}\n}`;

/** The client's methods: an interface for each resource, and the object that calls the API. */
export const writeResources = (document: Document): string => {
  const writer = new TypeWriter(document);
  const operations = new Map(operationsOf(document));
  const places = Object.keys(methods);
  const all = [...operations]
    .toSorted(([a], [b]) => places.indexOf(a) - places.indexOf(b))
    .flatMap(([route, operation]) => methodsOf(document, writer, route, operation));
  const tree = treeOf(all);
  // The list and the stream of a feed have the same query.
  const queries = new Set(all.flatMap(({ query }) => query ?? []));
  const code = [...queries, interfaceOf(tree)].join('\n');
  const words = new Set(code.replaceAll(/\/\*\*.*?\*\//gs, '').match(/\b[A-Z]\w+/g));
  const usedOf = (names: readonly string[]) => names.filter((name) => words.has(name)).toSorted();
  const imports = (names: readonly string[], from: string) => {
    const used = usedOf(names);
    return used.length > 0 ? [`import type { ${used.join(', ')} } from '${from}';`] : [];
  };
  return `// Made from docs/openapi.v1.json by \`npm run openapi\`.

${[
  `import { id, ${[...usedOf(['CallOptions', 'PostOptions']), 'Sender'].map((name) => `type ${name}`).join(', ')} } from '../send.ts';`,
  ...imports(['Call'], '../call.ts'),
  ...imports(['EventStream', 'FeedPage', 'StreamOptions'], '../event-stream.ts'),
  ...imports(['List'], '../list.ts'),
  ...imports(['WebhookEvent'], '../webhooks.ts'),
  ...imports(Object.keys(document.components.schemas), './types.ts'),
].join('\n')}

${code}

export const resourcesOf = ({ ${['call', 'list', 'many', 'stream'].filter((name) => all.some(({ body }) => body.includes(` ${name}(`))).join(', ')} }: Sender): Api => (${objectOf(tree)});
`;
};
