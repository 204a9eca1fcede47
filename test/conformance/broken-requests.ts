import type { DescribedApi, DescribedOperation } from './described-api.ts';
import { flawsOf, unstorable } from './flaws.ts';
import { writePath, writeQuery, writeRequest, type PlannedRequest, type WrittenRequest } from './request.ts';
import type { Validator } from './validator.ts';

export interface BrokenRequest {
  readonly flaw: string;
  readonly request: WrittenRequest;
  /** The expected refusal; `of an item`: it is in the results of the items, because only they are flawed. */
  readonly status: number | 'of an item';
}

/** Whether the items of a body are all that may be flawed in it. */
const hasItems = ({ path }: DescribedOperation, body: unknown): boolean => {
  if (!path.endsWith('/bulk') || typeof body !== 'object' || body === null) return false;
  const [[key, items] = [], ...others] = Object.entries(body);
  return others.length === 0 && key === 'items' && Array.isArray(items) && items.length > 0 && items.length <= 100;
};

type Breaking = (planned: PlannedRequest) => BrokenRequest[];

/** The ways to break a request of this operation, by the part of it that is broken. */
export const breakingsOf = (operation: DescribedOperation, api: DescribedApi, validator: Validator): Breaking[] => {
  const { body, inQuery, inPath, inHeader, path } = operation;

  const refused = (flaw: string, request: WrittenRequest, status: BrokenRequest['status'] = 422): BrokenRequest => ({
    flaw,
    request,
    status,
  });
  const refusedBody = (flaw: string, planned: PlannedRequest, value: unknown): BrokenRequest =>
    refused(
      `body: ${flaw}`,
      writeRequest(operation, { ...planned, body: value }),
      hasItems(operation, value) ? 'of an item' : 422,
    );
  const withBody = (planned: PlannedRequest, text: string | Uint8Array, headers: [string, string][] = []) => {
    const written = writeRequest(operation, planned);
    const replaced = new Set(headers.map(([name]) => name));
    return {
      ...written,
      body: text,
      headers: [...written.headers.filter(([name]) => !replaced.has(name)), ...headers],
    };
  };

  const inBody: Breaking = (planned) =>
    [...flawsOf(body ?? {}, planned.body, api.resolve)]
      .filter(({ value }) => !validator.allowsBody(operation, value))
      .map(({ flaw, value }) => refusedBody(flaw, planned, value));

  const bodyTexts: Breaking = (planned) => [
    ...[...unstorable(planned.body)].map(({ flaw, value }) => refusedBody(flaw, planned, value)),
    ...brokenTexts(JSON.stringify(planned.body)).map(([flaw, text]) =>
      refused(`body: ${flaw}`, withBody(planned, text)),
    ),
    ...unreadable.map(([flaw, header]) =>
      refused(`body: ${flaw}`, withBody(planned, JSON.stringify(planned.body), [header]), 415),
    ),
    refused('body: over 256 KiB', withBody(planned, `${JSON.stringify(planned.body)}${' '.repeat(256 * 1024)}`), 413),
  ];

  const withQuery = (planned: PlannedRequest, query: string): WrittenRequest => ({
    ...writeRequest(operation, planned),
    target: `${writePath(path, planned.path)}?${query}`,
  });

  const queryTexts: Breaking = (planned) => {
    const own = writeQuery(planned.query);
    const add = (more: string) => withQuery(planned, own === '' ? more : `${own}&${more}`);
    const [anyName = 'x'] = [...Object.keys(planned.query), ...inQuery.map(({ name }) => name)];
    const again = Object.hasOwn(planned.query, anyName) ? '' : `&${anyName}=1`;
    return [
      ...['statu=x', 'Limit=5', 'limit[]=5', 'constructor=1', '__proto__=1', 'x', '=', 'tenant_id=1'].map((more) =>
        refused(`query: unknown ${more}`, add(more)),
      ),
      ...inPath.map(({ name }) => refused(`query: ${name} is of the path`, add(`${name}=1`))),
      ...Object.keys(api.resolve(body ?? {}).properties ?? {}).map((name) =>
        refused(`query: ${name} is of the body`, add(`${name}=1`)),
      ),
      refused(`query: ${anyName} twice`, add(`${anyName}=1${again}`)),
      ...['%zz', '%', '%c0%af', '%ff'].map((coded) => refused(`query: ${coded}`, add(`x=${coded}`))),
    ];
  };

  const queryValues: Breaking = (planned) =>
    inQuery.flatMap((parameter) => {
      const given = planned.query[parameter.name];
      const texts = new Set([
        ...[...flawsOf(parameter.schema, given, api.resolve)].flatMap(({ value }) =>
          typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
        ),
        ...notPlainIntegers,
      ]);
      const flawed = [...texts].filter((text) => !validator.allowsText(parameter, text));
      return [...flawed, 'a\0b'].map((text) =>
        refused(
          `query: ${parameter.name}=${JSON.stringify(text)}`,
          withQuery(planned, writeQuery({ ...planned.query, [parameter.name]: text })),
        ),
      );
    });

  // A text that can't be decoded is no id.
  const pathTexts: Breaking = (planned) =>
    ['%', '%zz', '%c0%af', 'a%ffb', '%ed%a0%80'].map((coded) => {
      const written = writeRequest(operation, planned);
      return refused(
        `path: ${coded}`,
        { ...written, target: path.replace(/\{\w+\}/, coded).replaceAll(/\{\w+\}/g, 'x') },
        404,
      );
    });

  const repeatable: Breaking = (planned) =>
    ['', 'x'.repeat(101)].map((key) => {
      const written = writeRequest(operation, planned);
      const others = written.headers.filter(([name]) => name !== 'Idempotency-Key');
      return refused(`header: a key of ${key.length}`, { ...written, headers: [...others, ['Idempotency-Key', key]] });
    });

  return [
    ...(body ? [inBody, inBody, bodyTexts] : []),
    ...(inQuery.length > 0 ? [queryValues, queryValues] : []),
    queryTexts,
    ...(inPath.length > 0 ? [pathTexts] : []),
    ...(inHeader.some(({ name }) => name === 'Idempotency-Key') ? [repeatable] : []),
  ];
};

/** Texts that are no plain decimal integers. */
const notPlainIntegers = [
  '',
  ' ',
  '5 ',
  '+5',
  '05',
  '5.0',
  '1e1',
  '0x5',
  '５',
  '-0',
  'NaN',
  'null',
  'true',
  '9'.repeat(30),
];

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const brokenTexts = (json: string): [flaw: string, text: string | Uint8Array][] => [
  ['empty', ''],
  ['cut short', json.slice(0, -1)],
  ['more behind it', `${json},`],
  ['single quotes', json.replaceAll('"', "'")],
  ['in a list', `[${json}]`],
  ['null', 'null'],
  ['a text', '"x"'],
  ['a number', '1'],
  ['too deep', json.replace(/^\{/, () => `{"deep":${deep(40)}${json === '{}' ? '' : ','}`)],
  ['very deep', deep(50_000)],
  ['a number beyond a double', json.replace(/^\{/, () => `{"number":1e999${json === '{}' ? '' : ','}`)],
  [
    'no UTF-8',
    Buffer.concat([
      Buffer.from(json.slice(0, -1)),
      Buffer.from(',"a":"'),
      Uint8Array.of(0xff, 0xfe),
      Buffer.from('"}'),
    ]),
  ],
];

const unreadable: [flaw: string, header: [string, string]][] = [
  ['text/plain', ['Content-Type', 'text/plain']],
  ['a form', ['Content-Type', 'application/x-www-form-urlencoded']],
  ['XML', ['Content-Type', 'application/xml']],
  ['UTF-16', ['Content-Type', 'application/json; charset=utf-16']],
  ['compressed', ['Content-Encoding', 'gzip']],
];
