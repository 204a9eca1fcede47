import { readdirSync, readFileSync } from 'node:fs';
import {
  assistantLimits,
  auditLimits,
  companyLimits,
  crmLimits,
  deliveryLimits,
  documentLimits,
  endpointLimits,
  exportLimits,
  feedLimits,
  filterLimits,
  httpLimits,
  limits,
  listExportLimits,
  mailLimits,
  patchLimits,
  signInLimits,
  storageQuotas,
  webhookLimits,
} from '../../core/limits.ts';
import type { Language, Texts } from '../../core/language.ts';
import { problemCodes, problems } from '../../core/problem.ts';
import { basePath, monthsInParallel, type Retirement } from '../../core/product.ts';
import { allScopes, keyTemplates, allKeyTemplates, scopeTexts, templateTexts } from '../../core/scopes.ts';
import { probeNames, staleMinutes, trickle } from '../../modules/webhooks/probes.ts';
import type { Document } from '../rest/openapi-shared.ts';
import { shortDuration } from '../rest/openapi-webhooks.ts';
import { apiVersion } from '../../deliveries/message.ts';
import { wheelName } from './client-package.ts';
import { deliveryHeaders, envelope, eventCatalogue, eventExample, eventList } from './events.ts';
import type { Tag } from './openapi.ts';
import { operationTable } from './reference.ts';
import { toolArguments, type DescribedTool } from './tool-arguments.ts';
import { bytesIn, common, durationIn, fence, listIn, numberIn, table, timeIn } from './words.ts';

// The placeholders of pages, `{{name}}` or `{{name argument}}`. Their values come from the code, so the pages can't
// contradict it.

/** The facts of this installation. */
export interface Surroundings {
  readonly publicUrl: string;
  /** The announced end of v1. */
  readonly retirement: Retirement | undefined;
  /** The configured pauses between attempts. */
  readonly retrySeconds: readonly number[];
  readonly attemptsPerEndpoint: number;
  /** Requests a minute and address without a valid key. */
  readonly anonymousPerMinute: number;
  /** For how many days events are kept. */
  readonly retentionDays: number;
  /** Days after the end of a team until its data is deleted. */
  readonly teamDeletionDays: number;
  /** Where security flaws are reported; empty if the operator has named nobody. */
  readonly securityContacts: readonly string[];
  /** The addresses and ranges from which webhooks come; null if the operator has set none. */
  readonly webhookSources: readonly string[] | null;
  /** The OpenAPI document of v1, generated at the first use. */
  readonly document: () => Document;
  /** The tools for assistants. */
  readonly tools: readonly DescribedTool[];
}

export type Expand = (markdown: string, language: Language) => string;

type Fact = (language: Language, argument: string) => string;

const counted = {
  limits: { ...limits, ...httpLimits },
  webhooks: { ...webhookLimits, ...deliveryLimits, ...endpointLimits },
  receiverCheck: {
    requests: probeNames.length,
    completedWithinSeconds: endpointLimits.checkMinutes * 60,
    slowBodySeconds: trickle.ms / 1000,
    staleSeconds: staleMinutes * 60,
  },
  feed: feedLimits,
  companyAccount: companyLimits,
  directory: { ...filterLimits, ...patchLimits },
  signIns: signInLimits,
  audit: auditLimits,
  assistants: { ...assistantLimits, documentBytes: documentLimits.bytes, documentCache: documentLimits.cacheSeconds },
  crm: crmLimits,
  exports: exportLimits,
  listExports: listExportLimits,
  storage: storageQuotas,
  mails: mailLimits,
};

/** A number of the code by its name: `limits.pageSize.max`. */
const numberOf = (name: string, more: Record<string, unknown>): number => {
  let found: unknown = { ...counted, ...more };
  for (const part of name.split('.'))
    found =
      typeof found === 'object' && found !== null
        ? Object.entries(found).find(([key]) => key === part)?.[1]
        : undefined;
  if (typeof found !== 'number') throw new Error(`There is no number ${name}`);
  return found;
};

const languagesOfCode: Readonly<Record<string, string>> = {
  '.json': 'json',
  '.mjs': 'js',
  '.mts': 'ts',
  '.py': 'python',
  '.php': 'php',
  '.go': 'go',
  '.sh': 'sh',
  '.sql': 'sql',
};

/** Examples that are files elsewhere in the project, where they are tested or used. */
const elsewhere: Readonly<Record<string, string>> = {
  'webhook-test-vectors.json': '../../../docs/webhook-test-vectors.json',
  'team-customer-api.postman_collection.json': '../../../docs/team-customer-api.postman_collection.json',
  'workflows.arazzo.yaml': '../../../docs/workflows.arazzo.yaml',
};

/** The names of all examples. */
export const examples: ReadonlySet<string> = new Set([
  ...readdirSync(new URL('./examples/', import.meta.url)),
  ...Object.keys(elsewhere),
]);

export const exampleFile = (name: string): string =>
  readFileSync(new URL(elsewhere[name] ?? `./examples/${name}`, import.meta.url), 'utf8');

/** A tested example, unchanged. */
const example: Fact = (_language, name) => {
  const extension = /\.\w+$/.exec(name)?.[0] ?? '';
  const language = languagesOfCode[extension];
  if (language === undefined) throw new Error(`There is no language for ${name}`);
  return fence(language, exampleFile(name), name);
};

const scopeTable: Fact = (language) =>
  table(
    [common.scope[language], common.description[language]],
    allScopes.map((scope) => [`\`${scope}\``, `${scopeTexts[scope][language]}.`]),
  );

const templates: Fact = (language) =>
  allKeyTemplates
    .map((template) => {
      const { name, about } = templateTexts[template];
      const scopes = keyTemplates[template].length;
      const count = { de: `${scopes} Berechtigungen`, en: `${scopes} scopes` }[language];
      return `- **${name[language]}** (${count}): ${about[language]}`;
    })
    .join('\n');

const problemList: Fact = (language) =>
  problemCodes
    .map((code) => {
      const { status, title, advice } = problems[code];
      return `### \`${code}\` ${status} {#${code}}\n\n**${title[language]}**\n\n${advice[language]}`;
    })
    .join('\n\n');

/** Routes whose answers depend on the team's privacy switch, according to the document. */
const restrictedRoutes = (tags: readonly Tag[]): string =>
  tags
    .flatMap(({ name, operations }) => operations.map((operation) => ({ name, ...operation })))
    .filter(({ answers }) => answers.some(({ codes }) => codes.includes('privacy_restricted')))
    .map(({ name, method, path, id }) => `- [\`${method} ${path}\`](reference/${name}.md#${id})`)
    .join('\n');

const filterWords = { de: ['Liste', 'Filter'], en: ['List', 'Filters'] } as const;
const notFilters = ['cursor', 'limit', 'include', 'start', 'wait'];

/** Lists with pages, and their filters. */
const pagedLists = (tags: readonly Tag[], language: Language): string =>
  table(
    filterWords[language],
    tags.flatMap(({ name, operations }) =>
      operations
        .filter(({ tag, parameters }) => tag !== 'exports' && parameters.some(({ name }) => name === 'cursor'))
        .map(({ path, id, parameters }) => {
          const filters = parameters.filter(
            (parameter) => parameter.in === 'query' && !notFilters.includes(parameter.name),
          );
          return [
            `[\`GET ${path}\`](reference/${name}.md#${id})`,
            filters.map((filter) => `\`${filter.name}\``).join(', ') || '–',
          ];
        }),
    ),
  );

const noEnd: Texts = {
  de: 'Aktuell ist `v1`. Ein Ende ist nicht angekündigt.',
  en: 'The current version is `v1`. No end is announced.',
};

/** The state of v1, for the page to which the headers of a deprecated version link. */
const announcement = (language: Language, retirement: Retirement | undefined): string => {
  if (!retirement) return noEnd[language];
  const { deprecatedAt, sunsetAt, successorUrl } = retirement;
  const since = timeIn(language, deprecatedAt);
  const lines: Texts[] = [
    { de: `\`v1\` gilt ab dem ${since} als veraltet.`, en: `\`v1\` is deprecated as of ${since}.` },
  ];
  if (sunsetAt) {
    const end = timeIn(language, sunsetAt);
    lines.push({
      de: `Ab dem ${end} antwortet sie möglicherweise nicht mehr.`,
      en: `It may stop answering on ${end}.`,
    });
  }
  if (successorUrl !== undefined) {
    lines.push({ de: `Ersetzt wird sie durch <${successorUrl}>.`, en: `It is replaced by <${successorUrl}>.` });
  }
  return lines.map((line) => line[language]).join(' ');
};

/**
 * The file with the addresses from which webhooks come, for programs that configure firewalls. Its path never changes.
 */
export const sourcesPath = '/developers/webhook-source-addresses.json';

const sources = (language: Language, publicUrl: string, addresses: readonly string[] | null): string => {
  const file = `[${sourcesPath}](${publicUrl}${sourcesPath})`;
  const texts: Texts =
    addresses === null
      ? {
          de: `Der Betreiber dieses Dienstes hat keine festen Adressen angegeben: Anfragen können von jeder Adresse kommen. Verlassen Sie sich auf die Signatur. Gibt er später welche an, stehen sie hier und als JSON unter ${file}, das bis dahin \`{"addresses":null}\` enthält.`,
          en: `The operator of this service has given no fixed addresses: requests may come from any address. Rely on the signature. If addresses are given later, they are here and as JSON at ${file}, which has \`{"addresses":null}\` until then.`,
        }
      : {
          de: `Anfragen kommen von diesen Adressen: ${addresses.map((one) => `\`${one}\``).join(', ')}. Dieselbe Liste gibt es als JSON unter ${file}: Lesen Sie sie regelmäßig, denn sie kann sich ändern. Andere senden vielleicht von denselben Adressen, verlassen Sie sich deshalb auf die Signatur.`,
          en: `Requests come from these addresses: ${addresses.map((one) => `\`${one}\``).join(', ')}. The same list is JSON at ${file}: read it regularly, because it may change. Others may send from the same addresses, so rely on the signature.`,
        };
  return texts[language];
};

const contacts = (language: Language, publicUrl: string, given: readonly string[]): string => {
  const file = `[/.well-known/security.txt](${publicUrl}/.well-known/security.txt)`;
  const list = given.map((contact) => `<${contact}>`).join(', ');
  const texts: Texts =
    given.length === 0
      ? {
          de: 'Der Betreiber dieses Dienstes hat keine eigene Adresse dafür angegeben: Wenden Sie sich an seinen Support.',
          en: 'The operator of this service has named no address for this: write to their support.',
        }
      : {
          de: `Schreiben Sie dem Betreiber dieses Dienstes: ${list}. Dasselbe steht in ${file}.`,
          en: `Write to the operator of this service: ${list}. The same is in ${file}.`,
        };
  return texts[language];
};

export const factsOf = (surroundings: Surroundings, tags: () => readonly Tag[]): Expand => {
  const {
    publicUrl,
    retirement,
    retrySeconds,
    attemptsPerEndpoint,
    anonymousPerMinute,
    retentionDays,
    teamDeletionDays,
    securityContacts,
    tools,
    webhookSources,
  } = surroundings;
  const baseUrl = `${publicUrl}${basePath}`;
  const attempts = retrySeconds.length + 1;
  const own = {
    settings: { retentionDays, teamDeletionDays, attemptsPerEndpoint, anonymousPerMinute, attempts, monthsInParallel },
  };
  const facts: Readonly<Record<string, Fact>> = {
    public_url: () => publicUrl,
    base_url: () => baseUrl,
    base_path: () => basePath,
    client_wheel: () => wheelName,
    event_version: () => apiVersion,
    number: (language, name) => numberIn(language, numberOf(name, own)),
    bytes: (language, name) => bytesIn(language, numberOf(name, own)),
    duration: (language, name) => durationIn(language, numberOf(name, own)),
    minutes: (language, name) => numberIn(language, numberOf(name, own) / 60),
    example,
    scopes: scopeTable,
    key_templates: templates,
    errors: problemList,
    events: eventCatalogue,
    event_list: eventList,
    event_envelope: envelope,
    event_example: (_language, type) => eventExample(type),
    delivery_headers: deliveryHeaders,
    security_contacts: (language) => contacts(language, publicUrl, securityContacts),
    webhook_sources: (language) => sources(language, publicUrl, webhookSources),
    retry_schedule: (language) => listIn(language, retrySeconds.map(shortDuration)),
    retry_total: (language) => {
      const hours = Math.round(retrySeconds.reduce((sum, pause) => sum + pause, 0) / 3600);
      return { de: `etwa ${hours} Stunden`, en: `about ${hours} hours` }[language];
    },
    crm_waits: (language) =>
      listIn(
        language,
        crmLimits.pausesBetweenTries.map((pause) => `${pause} s`),
      ),
    percent: (language, name) => `${numberIn(language, numberOf(name, own) * 100)} %`,
    version_announcement: (language) => announcement(language, retirement),
    operations: (language) => operationTable(tags(), language),
    restricted_routes: () => restrictedRoutes(tags()),
    tool_arguments: (language) => toolArguments(tools, language),
    paged_lists: (language) => pagedLists(tags(), language),
  };
  return (markdown, language) =>
    markdown.replaceAll(/\{\{([a-z_]+)(?: ([^{}]+))?\}\}/g, (_whole, name: string, argument = '') => {
      const fact = facts[name];
      if (fact === undefined) throw new Error(`There is no fact {{${name}}}`);
      return fact(language, String(argument));
    });
};
