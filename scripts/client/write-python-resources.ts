import { nameOf, resolve, type Document, type Parameter } from '../openapi/document.ts';
import { knownItems, nameOfResource, readOperations, treeOf, type Operation, type Resource } from './operations.ts';
import { PythonTypes, docstring, importOf, inSnakeCase, isPythonName, typingNames } from './write-python-types.ts';

// The methods of the client for Python: a class for each resource.

interface Method {
  name: string;
  code: string;
}

/**
 * The options of a call are arguments by name, beside the parameters of the query. An export has no `on_answer`,
 * because its rows are not answers.
 */
const optionsOf = (answer: string | undefined) => [
  ['language', 'Optional[str] = None'] as const,
  ['timeout', 'Optional[float] = None'] as const,
  ['retries', 'Optional[int] = None'] as const,
  ...(answer === undefined ? [] : [['on_answer', `OnAnswer[${answer}] = None`] as const]),
];

const indent = '        ';

/** The type of a parameter in the query. Times and days may also be objects of Python. */
const typeOf = (document: Document, types: PythonTypes, parameter: Parameter): string => {
  const { format } = resolve(document, parameter.schema);
  if (format === 'date-time') return 'Union[str, datetime]';
  if (format === 'date') return 'Union[str, date]';
  return types.type(parameter.schema, 'request');
};

const methodsOf = (document: Document, types: PythonTypes, operation: Operation): Method[] => {
  const { route, verb, path, about, ids, body, query, answer, isExport, item, isFeed, many } = operation;
  const name = inSnakeCase(operation.name);
  const place = `${ids.length > 0 ? 'f' : ''}"${path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `{segment(${id})}`)}"`;
  const inQuery = query.map((parameter) => {
    if (!isPythonName(parameter.name)) throw new Error(`${route}: ${parameter.name} can't be an argument`);
    const type = typeOf(document, types, parameter);
    return {
      name: parameter.name,
      declared: parameter.required ? type : `Optional[${type}] = None`,
      said: parameter.description ?? resolve(document, parameter.schema).description,
    };
  });
  const sent = `{${inQuery.map((one) => `"${one.name}": ${one.name}`).join(', ')}}`;

  const method = (
    name: string,
    {
      about,
      returned,
      page,
      run,
      given = [],
      more = [],
    }: {
      about: string;
      returned: string;
      /** The type of a page, for `on_answer`. An export has none. */
      page?: string;
      run: (options: string) => string;
      given?: readonly string[];
      more?: readonly (readonly [string, string])[];
    },
  ): Method => {
    const options = [...optionsOf(page), ...more];
    const names = [...inQuery.map((one) => one.name), ...options.map(([option]) => option), ...ids, 'body', 'items'];
    if (new Set(names).size < names.length) throw new Error(`${route} has two arguments with one name`);
    const parameters = [
      'self',
      ...ids.map((id) => `${id}: str`),
      ...given,
      '*',
      ...inQuery.map((one) => `${one.name}: ${one.declared}`),
      ...options.map(([option, type]) => `${option}: ${type}`),
    ];
    const described = inQuery.flatMap(({ name, said }) => (said ? [`- ${name}: ${said}`] : []));
    const said = [about, ...(described.length > 0 ? [described.join('\n')] : [])].join('\n\n');
    const answered = page === undefined ? '' : ', on_answer';
    const keyed = more.some(([option]) => option === 'idempotency_key') ? ', idempotency_key' : '';
    return {
      name,
      code: [
        `    def ${name.replace(/^.*\./, '')}(\n${parameters.map((parameter) => `${indent}${parameter},\n`).join('')}    ) -> ${returned}:`,
        docstring(said, indent).trimEnd(),
        `${indent}return ${run(`Options[${page ?? 'Any'}](language, timeout, retries${answered}${keyed})`)}\n`,
      ].join('\n'),
    };
  };

  const key = verb === 'POST' ? [['idempotency_key', 'Optional[str] = None'] as const] : [];
  if (many) {
    const [made, wanted] = [types.type(many.results, 'answer'), types.type(many.items, 'request')];
    return [
      method(name, {
        about: `${about}\n\nIt takes any number of items, and sends at most ${many.max} in a request. If a request fails, it raises. Call it again with the same items and an \`idempotency_key\` of your own, and nothing is created twice.`,
        returned: `List[${made}]`,
        page: types.type(answer, 'answer'),
        given: [`items: Sequence[${wanted}]`],
        more: key,
        run: (options) => `self._sender.many(${place}, items, ${options})`,
      }),
    ];
  }
  const given = body ? [`body: ${nameOf(body.$ref ?? '')}`] : [];
  const page = types.type(answer, 'answer');
  const asked = inQuery.length > 0 ? `, query=${sent}` : '';
  if (isExport) {
    return [
      method(name, {
        about,
        returned: `Export[${page}]`,
        more: [['on_retry', 'OnRetry = None']],
        run: (options) => `self._sender.rows(${place}, ${options}${asked}, on_retry=on_retry)`,
      }),
    ];
  }
  if (!item) {
    const run = (options: string) =>
      `self._sender.call("${verb}", ${place}, ${options}${body ? ', body=body' : ''}${asked})`;
    return [method(name, { about, returned: page, page, given, more: key, run })];
  }
  const type = types.type(item, 'answer');
  const entry = knownItems[type] ?? type;
  const pageOf = isFeed ? 'FeedPage' : page;
  const list = method(name, {
    about,
    returned: `Entries[${entry}, ${pageOf}]`,
    page: pageOf,
    run: (options) => `self._sender.entries(${place}, ${options}${asked})`,
  });
  if (!isFeed) return [list];
  const stream = method(name.replace(/\w+$/, 'stream'), {
    about:
      'Follows the feed: gives each event as soon as there is one, and goes on after failures of the network, until `stop` is set. A request that waits for an event is not interrupted: it ends after `wait` seconds at the latest.',
    returned: 'EventStream',
    page: pageOf,
    more: [
      ['stop', 'Optional[threading.Event] = None'],
      ['on_retry', 'OnRetry = None'],
    ],
    run: (options) => `self._sender.stream(${place}, ${options}${asked}, stop=stop, on_retry=on_retry)`,
  });
  return [list, stream];
};

const classesOf = ({ methods, resources }: Resource<Method>, parts: readonly string[] = []): string[] => {
  const inner = [...resources].flatMap(([part, resource]) => classesOf(resource, [...parts, part]));
  const fields = [...resources.keys()].map(
    (part) => `${indent}self.${part} = ${nameOfResource([...parts, part])}(sender)\n`,
  );
  const made = `    def __init__(self, sender: Sender) -> None:\n${indent}self._sender = sender\n${fields.join('')}`;
  return [...inner, `class ${nameOfResource(parts)}:\n${[made, ...methods.map(({ code }) => code)].join('\n')}`];
};

/** The client's methods: a class for each resource. */
export const writePythonResources = (document: Document): string => {
  const types = new PythonTypes(document);
  const all = readOperations(document).flatMap((operation) => methodsOf(document, types, operation));
  const code = classesOf(treeOf(all)).join('\n\n');
  return [
    '"""The methods of the client. Made from docs/openapi.v1.json by `npm run openapi`."""\n',
    'from __future__ import annotations\n',
    'import threading',
    importOf(code, 'datetime', ['date', 'datetime']) + importOf(code, 'typing', typingNames),
    importOf(code, '._answer', ['OnAnswer', 'Options']) +
      importOf(code, '._entries', ['Entries']) +
      importOf(code, '._events', ['EventStream', 'FeedPage', 'OnRetry']) +
      importOf(code, '._export', ['Export']) +
      importOf(code, '._send', ['Sender', 'segment']) +
      importOf(code, '.types', Object.keys(document.components.schemas)) +
      importOf(code, '.webhooks', ['WebhookEvent']),
    '',
    code,
  ].join('\n');
};
