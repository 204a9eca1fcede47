import type { Language } from '../../core/language.ts';
import type { OperationAnswer, Field, OperationEntry, Tag } from './openapi.ts';
import { common, fence, table } from './words.ts';

// The reference as Markdown: a page for each resource, generated from the OpenAPI document, whose descriptions are in
// English.

const words = {
  needs: { de: 'Berechtigung', en: 'Scope' },
  anyKey: { de: 'jeder Schlüssel', en: 'any key' },
  with: { de: 'mit', en: 'with' },
  by: { de: 'je nach', en: 'depends on' },
  parameters: { de: 'Parameter', en: 'Parameters' },
  body: { de: 'Felder der Anfrage', en: 'Request fields' },
  answer: { de: 'Antwort', en: 'Response' },
  required: { de: 'erforderlich', en: 'required' },
  usual: { de: 'ohne Angabe', en: 'by default' },
  where: { de: 'Wo', en: 'In' },
  errors: { de: 'Fehler', en: 'Errors' },
  english: {
    de: 'Die Texte dieser Seite stammen aus der OpenAPI-Beschreibung und sind auf Englisch.',
    en: '',
  },
} as const;

/** Quotes a text for a shell. */
const quote = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;

const sharedParameters = ['Accept-Language', 'Idempotency-Key'];

const curl = ({ method, path, parameters, body }: OperationEntry, baseUrl: string): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example;
    return typeof example === 'string' ? example : whole;
  });
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = required.map(({ name, example }) => `${name}=${String(example)}`).join('&');
  const url = quote(`${baseUrl}${filled}${query && `?${query}`}`);
  const lines = [method === 'GET' || (method === 'POST' && body) ? `curl ${url}` : `curl -X ${method} ${url}`];
  lines.push('-H "Authorization: Bearer $API_KEY"');
  if (body) lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body.example ?? {}))}`);
  return lines.join(' \\\n  ');
};

/** The operation's own scope, and the scopes that are needed for certain values of a parameter. */
const scopesOf = ({ scope, further }: OperationEntry, language: Language): string => {
  const link = (name: string) => `[\`${name}\`](authentication.md#scopes)`;
  const needed = [
    ...(scope === undefined ? [] : [link(scope)]),
    ...further.map((one) => `${link(one.scope)} ${words.with[language]} \`${one.parameter}=${one.value}\``),
  ];
  return needed.length > 0 ? needed.join(', ') : words.anyKey[language];
};

/** The scope in the table of all operations. */
const shortScopeOf = ({ scope, further: [first] }: OperationEntry, language: Language): string => {
  if (scope !== undefined) return `\`${scope}\``;
  return first ? `${words.by[language]} \`${first.parameter}\`` : '';
};

const bounds = ({ min, max, default: usual }: Field, language: Language): string =>
  [
    ...(min !== undefined && max !== undefined ? [`${min}–${max}`] : []),
    ...(usual === undefined ? [] : [`${words.usual[language]} \`${usual}\``]),
  ].join(', ');

const describe = (field: Field, language: Language): string => {
  const { description, example } = field;
  const shown = typeof example === 'string' && !description.includes(example) ? `\`${example}\`` : '';
  const limits = bounds(field, language);
  return [description, shown, limits && `${limits}.`].filter(Boolean).join(' ');
};

const nameOf = ({ name, required }: Field, language: Language): string =>
  required ? `\`${name}\` *${words.required[language]}*` : `\`${name}\``;

const fieldTable = (fields: readonly Field[], language: Language): string =>
  table(
    [common.field[language], common.type[language], common.description[language]],
    fields.map((field) => [nameOf(field, language), field.type, describe(field, language)]),
  );

/** Lines of JSON stay as they are. */
const shown = (example: unknown): string =>
  typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);

/** Fields of an answer are not marked as required, because an answer has all of them. */
const successSection = ({ status, fields, example }: OperationAnswer, language: Language): string[] => [
  `### ${words.answer[language]} ${status}`,
  ...(fields.length > 0
    ? [
        fieldTable(
          fields.map((field) => ({ ...field, required: false })),
          language,
        ),
      ]
    : []),
  ...(example === undefined ? [] : [fence('json', shown(example))]),
];

const operationSection = (operation: OperationEntry, baseUrl: string, language: Language): string => {
  const { method, path, summary, description, parameters, body, answers } = operation;
  const own = parameters.filter(({ name }) => !sharedParameters.includes(name));
  const codes = [...new Set(answers.flatMap((answer) => answer.codes))];
  return [
    `## ${summary} {#${operation.id}}`,
    `\`${method} ${path}\` · ${words.needs[language]}: ${scopesOf(operation, language)}`,
    description,
    fence('sh', curl(operation, baseUrl), `try ${method} ${path}`),
    ...(own.length > 0
      ? [
          `### ${words.parameters[language]}`,
          table(
            ['Name', words.where[language], common.type[language], common.description[language]],
            own.map((field) => [nameOf(field, language), field.in, field.type, describe(field, language)]),
          ),
        ]
      : []),
    ...(body ? [`### ${words.body[language]}`, fieldTable(body.fields, language)] : []),
    ...answers.filter(({ status }) => status.startsWith('2')).flatMap((answer) => successSection(answer, language)),
    `**${words.errors[language]}**: ${codes.map((code) => `[\`${code}\`](errors.md#${code})`).join(', ')}`,
  ].join('\n\n');
};

/** The German titles of the pages. A test finds a resource without one. */
const germanTitles: Readonly<Record<string, string>> = {
  me: 'Schlüssel',
  users: 'Mitglieder',
  trainings: 'Trainings',
  evaluations: 'Bewertungen',
  assignments: 'Aufgaben',
  cases: 'Fälle',
  catalog: 'Katalog',
  analytics: 'Teamauswertung',
  'webhook-endpoints': 'Webhook-Endpunkte',
  'webhook-deliveries': 'Zustellungen',
  events: 'Ereignisse',
  deletions: 'Löschungen',
  exports: 'Exports',
  'audit-entries': 'Protokoll',
  crm: 'CRM',
};

/** In English, `webhook-endpoints` is `Webhook endpoints`. */
export const titleOf = ({ name }: Tag, language: Language): string => {
  const german = language === 'de' ? germanTitles[name] : undefined;
  if (german !== undefined) return german;
  return name === 'crm' ? 'CRM' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('-', ' ');
};

export const tagPage = (tag: Tag, baseUrl: string, language: Language): string =>
  [
    `# ${titleOf(tag, language)}`,
    tag.description,
    ...(words.english[language] === '' ? [] : [words.english[language]]),
    ...tag.operations.map((operation) => operationSection(operation, baseUrl, language)),
  ].join('\n\n');

/** All operations in one table, with links to their sections. */
export const operationTable = (tags: readonly Tag[], language: Language): string =>
  table(
    [common.route[language], common.description[language], common.scope[language]],
    tags.flatMap(({ name, operations }) =>
      operations.map((operation) => [
        `\`${operation.method} ${operation.path}\``,
        `[${operation.summary}](reference/${name}.md#${operation.id})`,
        shortScopeOf(operation, language),
      ]),
    ),
  );
