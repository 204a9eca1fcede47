import { nameOf, type Document } from '../openapi/document.ts';
import {
  inPascalCase,
  knownItems,
  nameOfResource,
  readOperations,
  treeOf,
  type Operation,
  type Resource,
} from './operations.ts';
import { TypeWriter, comment } from './write-types.ts';

const inCamelCase = (text: string): string => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A method of the client: its interface, what it does, and the type of its query if it has one. */
interface Method {
  name: string;
  said: string;
  signature: string;
  body: string;
  query?: string;
}

const methodsOf = (writer: TypeWriter, operation: Operation): Method[] => {
  const { name, verb, path, about, body, query: inQuery, answer, isExport, item, isFeed, many } = operation;
  const ids = operation.ids.map(inCamelCase);
  const isQueryRequired = inQuery.some((parameter) => parameter.required);
  const queryName = `${inPascalCase(name)}Query`;

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
  if (isExport) {
    const returned = `Export<${writer.type(answer, 'answer')}>`;
    const run = `rows(${place}, { ${passed.join(', ')} })`;
    return [method(name, { about, options: 'ExportOptions', returned, run })];
  }
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
    const returned = `Call<${writer.type(answer, 'answer')}>`;
    const run = `call('${verb}', ${place}, ${fields})`;
    return [method(name, { about, options, returned, run })];
  }
  const type = writer.type(item, 'answer');
  const entry = knownItems[type] ?? type;
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

const interfaceOf = ({ methods, resources }: Resource<Method>, parts: readonly string[] = []): string => {
  const inner = [...resources].map(([part, resource]) => interfaceOf(resource, [...parts, part]));
  const lines = [
    ...methods.map(({ name, said, signature }) => `${comment(said, '  ')}  ${name}${signature}\n`),
    ...[...resources.keys()].map((part) => `  readonly ${part}: ${nameOfResource([...parts, part])};\n`),
  ];
  return [...inner, `export interface ${nameOfResource(parts)} {\n${lines.join('')}}\n`].join('\n');
};

const objectOf = ({ methods, resources }: Resource<Method>): string =>
  `{\n${[
    ...methods.map(({ name, body }) => `${name}: ${body},`),
    ...[...resources].map(([part, resource]) => `${part}: ${objectOf(resource)},`),
  ].join('\n')}\n}`;

/** The client's methods: an interface for each resource, and the object that calls the API. */
export const writeResources = (document: Document): string => {
  const writer = new TypeWriter(document);
  const all = readOperations(document).flatMap((operation) => methodsOf(writer, operation));
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
  ...imports(['Export', 'ExportOptions'], '../export.ts'),
  ...imports(['List'], '../list.ts'),
  ...imports(['WebhookEvent'], '../webhooks.ts'),
  ...imports(Object.keys(document.components.schemas), './types.ts'),
].join('\n')}

${code}

export const resourcesOf = ({ ${['call', 'list', 'many', 'rows', 'stream'].filter((name) => all.some(({ body }) => body.includes(` ${name}(`))).join(', ')} }: Sender): Api => (${objectOf(tree)});
`;
};
