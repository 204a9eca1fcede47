import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ConfigError } from './core/config-error.ts';
import { readInstant } from './core/clock.ts';
import { webhookLimits, workerConnections } from './core/limits.ts';
import { percentDecoded } from './core/percent.ts';
import { assignmentPlaceholder } from './core/practice.ts';
import { hostUrls } from './db/hosts.ts';
import { earliestSunset, monthsInParallel, type Retirement } from './core/product.ts';

export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

const whole = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);
const port = whole.pipe(z.number().max(65_535));
/** The maximum of PostgreSQL's integer and of Node's timers. */
const count = whole.pipe(z.number().min(1).max(2_147_483_647));
const upTo = (max: number) => whole.pipe(z.number().min(1).max(max));
const seconds = upTo(3_600);
const secondsOrNone = whole.pipe(z.number().max(3_600));

/** `false`, a number of trusted proxies, or the addresses and ranges of the trusted ones. */
const trustProxy = z.string().transform((text, context): boolean | number | string[] => {
  if (text === 'false') return false;
  if (/^\d+$/.test(text)) return Number(text);
  const proxies = text.split(',').map((part) => part.trim());
  const isProxy = (part: string) => ['loopback', 'linklocal', 'uniquelocal'].includes(part) || isNetwork(part);
  if (proxies.every(isProxy)) return proxies;
  context.addIssue({
    code: 'custom',
    message: 'is neither false, a number of proxies, nor a list of addresses and ranges',
  });
  return z.NEVER;
});

/** A network of everybody (`/0`) is refused, because Express refuses it. `TRUST_PROXY=true` has this meaning. */
const isNetwork = (text: string): boolean => ipaddr.isValid(text) || (ipaddr.isValidCIDR(text) && !text.endsWith('/0'));

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const networks = list.pipe(z.array(z.string().refine(isNetwork, 'must be an IP address or a range')).min(1));

/** At most 20 retries, and at most 30 days before each. */
const retrySeconds = list.pipe(
  z
    .array(whole.pipe(z.number().min(1).max(2_592_000)))
    .min(1)
    .max(20),
);

const hostAndPort = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+):\d{1,5}$/i;

const targets = list.pipe(
  z.array(
    z.string().refine((text) => ipaddr.isValidCIDR(text) || hostAndPort.test(text), 'is neither host:port nor a range'),
  ),
);

/** An IPv4 or IPv6 address, with or without a port: `9.9.9.9`, `127.0.0.1:5353`, `[::1]:5353`. */
const isNameServer = (text: string): boolean => {
  const [, bracketed, plain] = /^\[([^\]]+)\](?::\d{1,5})?$|^([\d.]+)(?::\d{1,5})?$/.exec(text) ?? [];
  return ipaddr.isValid(text) || ipaddr.isValid(bracketed ?? plain ?? '');
};

const dnsServers = list.pipe(z.array(z.string().refine(isNameServer, 'must be the address of a DNS server')).min(1));

const secrets = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.tuple([z.string().min(32)], z.string().min(32)));

/** A PostgreSQL, on one host or on several of which one accepts writes. */
const databaseUrl = z.string().superRefine((text, context) => {
  try {
    hostUrls(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

const origin = z
  .url({ protocol: /^https?$/, abort: true })
  .refine(
    (text) => [new URL(text).origin, `${new URL(text).origin}/`].includes(text),
    'must have only scheme, host and port',
  )
  .transform((text) => new URL(text).origin);

const instant = z.string().transform((text, context): Date => {
  const time = readInstant(text);
  if (time) return time;
  context.addIssue({ code: 'custom', message: 'must be a time like 2027-01-31T00:00:00Z' });
  return z.NEVER;
});

const hasDecodableUser = (url: string): boolean => {
  const { username, password } = new URL(url);
  return [username, password].every((part) => percentDecoded(part) !== undefined);
};

/** In a `Link` header the address is between `<` and `>`, which the URL parser escapes. */
const webAddress = z.url({ protocol: /^https?$/ }).transform((text) => new URL(text).href);

/**
 * Only the path, the query and the fragment may have the placeholder: in the host it would change where the link leads.
 * Any other placeholder is a mistake.
 */
const isPracticeUrl = (text: string): boolean => {
  const { origin, username, password } = new URL(text);
  const known = text.replaceAll(assignmentPlaceholder, '');
  return !/[{}]/.test(origin + known) && username === '' && password === '';
};

const practiceUrl = z
  .url({ protocol: /^https$/, abort: true })
  .refine(
    isPracticeUrl,
    `must have no user, and no placeholder but ${assignmentPlaceholder} in its path, query or fragment`,
  );

/** A `Contact` of security.txt: web addresses have https (RFC 9116). */
const isContact = (text: string): boolean => {
  if (text.startsWith('mailto:')) return z.email().safeParse(text.slice('mailto:'.length)).success;
  if (!z.url({ protocol: /^https$/ }).safeParse(text).success) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
};

/** The URL parser escapes the characters that would end the line, and removes line breaks. */
const contacts = list.pipe(
  z
    .array(
      z
        .string()
        .refine(isContact, 'must be mailto:… or https://…, several comma-separated')
        .transform((text) => new URL(text).href),
    )
    .min(1),
);

/** Every variable that the service reads, each with its description in docs/operations.md. */
export const settings = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .describe('`production` refuses defaults for secrets and refuses the demo'),
  PORT: port.default(3000).describe('where REST and app listen; 0 takes a free one'),
  HOST: z.string().min(1).default('127.0.0.1').describe('the address to listen on'),
  DATABASE_URL: databaseUrl
    .optional()
    .describe('PostgreSQL, on one host or several; without it the project runs its own embedded one'),
  DATABASE_DIRECT_URL: databaseUrl
    .optional()
    .describe(
      'PostgreSQL without a connection pooler, for workers, migrations and commands if API processes use one; by default `DATABASE_URL`',
    ),
  ROW_SECURITY: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(true)
    .describe('`false` switches off PostgreSQL’s row level security, the second wall between teams'),
  DATABASE_POOL: count
    .default(10)
    .describe(
      `how many connections to PostgreSQL a process has at most, besides one that checks whether it answers; a worker process has up to ${workerConnections.all} more for its queues and deliveries`,
    ),
  DATA_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('where the embedded PostgreSQL and the demo’s keys are kept; by default `.data` in the project'),
  APP_SECRET: secrets
    .optional()
    .describe(
      'encrypts and signs; at least 32 characters; several, comma-separated: the first is used, all are understood',
    ),
  PUBLIC_URL: origin
    .optional()
    .describe('the address that people and clients use, without a path; by default `http://localhost:PORT`'),
  TRUST_PROXY: trustProxy
    .default(false)
    .describe('the proxies whose `X-Forwarded-For` is trusted: their number, or a list of addresses and ranges'),
  MAX_CONNECTIONS: upTo(1_000_000).default(5_000).describe('connections that the API process keeps open at most'),
  PRACTICE_URL: practiceUrl
    .optional()
    .describe(
      `where members practise, \`https://…\`: their assignments and the mails about them link to it; \`${assignmentPlaceholder}\` in it is replaced by the assignment’s id`,
    ),
  SECURITY_CONTACT: contacts
    .optional()
    .describe(
      'where security flaws are reported, `mailto:…` or `https://…`, several comma-separated: `/.well-known/security.txt` names it',
    ),
  MAIL_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('`smtp://user:password@host:port`; without it mails are kept and `cli mail list` shows them'),
  MAIL_FROM: z.string().min(3).default('Team Customer API <no-reply@localhost>').describe('the sender of mails'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('how much is logged'),
  ANON_RATE_PER_MIN: count.default(60).describe('requests a minute and address without a valid key'),
  SIGN_IN_RATE_PER_MIN: count.default(30).describe('tries to sign in a minute and address'),
  WEBHOOK_RETRY_SECONDS: retrySeconds
    .default(webhookLimits.retrySeconds)
    .describe('seconds between the attempts of a delivery, comma-separated'),
  WEBHOOK_PAUSE_AFTER_SECONDS: count
    .default(webhookLimits.pauseAfterSeconds)
    .describe('how long an endpoint may go without a successful delivery before it is paused'),
  WEBHOOK_CONCURRENCY: upTo(2_000).default(384).describe('attempts that each worker process makes at once'),
  WEBHOOK_ENDPOINT_CONCURRENCY: upTo(2_000)
    .default(8)
    .describe('attempts that all workers together make at once to one endpoint'),
  WEBHOOK_ALLOW_TARGETS: targets
    .optional()
    .describe(
      '`host:port` or ranges of private addresses to which events and CRM syncs may be sent; not in production',
    ),
  WEBHOOK_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('a PEM file of certificate authorities to trust in addition to the usual ones'),
  WEBHOOK_DNS_SERVERS: dnsServers
    .optional()
    .describe('DNS servers that look up receivers, `address` or `address:port`; by default those of the system'),
  WEBHOOK_SOURCE_ADDRESSES: networks
    .optional()
    .describe('the addresses or ranges from which requests to receivers come; customers see them and can allow them'),
  WEBHOOK_PROXY_URL: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(hasDecodableUser, 'a % in its user name or password must be written as %25')
    .optional()
    .describe('an HTTP proxy through which all events and CRM syncs go, `http://user:password@host:port`'),
  RETENTION_DAYS: upTo(3_650)
    .default(30)
    .describe('days that events, deliveries, attempts, deletions and request logs are kept'),
  TEAM_DELETION_DAYS: upTo(3_650)
    .default(30)
    .describe('days after the end of a team until its data is deleted; until then it can be resumed and exported'),
  API_V1_DEPRECATED_AT: instant
    .optional()
    .describe('announces the end of v1: when it is or was deprecated, like `2027-01-31T00:00:00Z`'),
  API_V1_SUNSET_AT: instant
    .optional()
    .describe('when v1 may stop answering, at least twelve months after `API_V1_DEPRECATED_AT`'),
  API_V1_SUCCESSOR_URL: webAddress.optional().describe('the address of the version that replaces v1'),
  WORKER_PORT: port
    .optional()
    .describe('where a worker answers `/healthz` and `/readyz`; by default only on its `METRICS_PORT`'),
  METRICS_PORT: port.optional().describe('serves Prometheus metrics on this port only'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('sends traces of requests and deliveries there (OpenTelemetry, OTLP over HTTP)'),
  SHUTDOWN_DELAY_SECONDS: secondsOrNone
    .optional()
    .describe(
      'how long an API continues to serve after a stop signal, with `/readyz` 503, so that proxies notice; by default 5 in production, else 0',
    ),
  SHUTDOWN_SECONDS: seconds.default(30).describe('how long running requests may take to finish after a stop signal'),
});

export type Config = z.output<typeof settings>;

const neededInProduction = ['DATABASE_URL', 'APP_SECRET', 'PUBLIC_URL'] as const;

const announced = settings.superRefine((config, context) => {
  if (config.DATABASE_DIRECT_URL !== undefined && config.DATABASE_URL === undefined)
    context.addIssue({ code: 'custom', path: ['DATABASE_DIRECT_URL'], message: 'needs DATABASE_URL' });
  const { API_V1_DEPRECATED_AT: deprecatedAt, API_V1_SUNSET_AT: sunsetAt } = config;
  for (const name of ['API_V1_SUNSET_AT', 'API_V1_SUCCESSOR_URL'] as const) {
    if (config[name] !== undefined && deprecatedAt === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'needs API_V1_DEPRECATED_AT' });
  }
  if (deprecatedAt && sunsetAt && sunsetAt < earliestSunset(deprecatedAt)) {
    const message = `is less than ${monthsInParallel} months after API_V1_DEPRECATED_AT`;
    context.addIssue({ code: 'custom', path: ['API_V1_SUNSET_AT'], message });
  }
});

const inProduction = announced.superRefine((config, context) => {
  if (config.NODE_ENV !== 'production') return;
  for (const name of neededInProduction) {
    if (config[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'is needed in production' });
  }
  if (config.WEBHOOK_ALLOW_TARGETS !== undefined)
    context.addIssue({ code: 'custom', path: ['WEBHOOK_ALLOW_TARGETS'], message: 'is not for production' });
});

/**
 * The service's configuration. All settings are read here. An empty variable counts as not given.
 */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const read = inProduction.safeParse(given);
  if (read.success) return read.data;
  const lines = read.error.issues.map((issue) => `  ${issue.path[0]?.toString() ?? '?'}: ${issue.message}`);
  throw new ConfigError(`Bad configuration:\n${lines.join('\n')}`);
};

/** Where all processes except API processes find PostgreSQL; undefined for the embedded one. */
export const directUrlOf = ({ DATABASE_URL, DATABASE_DIRECT_URL }: Config): string | undefined =>
  DATABASE_DIRECT_URL ?? DATABASE_URL;

/** The address that people and clients use. */
export const publicUrlOf = ({ PUBLIC_URL, PORT }: Config): string => PUBLIC_URL ?? `http://localhost:${PORT}`;

/** How many seconds an API continues to serve after a stop signal. */
export const shutdownDelayOf = ({ SHUTDOWN_DELAY_SECONDS, NODE_ENV }: Config): number =>
  SHUTDOWN_DELAY_SECONDS ?? (NODE_ENV === 'production' ? 5 : 0);

/** The announced end of v1; undefined while there is none. */
export const retirementOf = (config: Config): Retirement | undefined => {
  const { API_V1_DEPRECATED_AT: deprecatedAt, API_V1_SUNSET_AT: sunsetAt, API_V1_SUCCESSOR_URL: successorUrl } = config;
  return deprecatedAt && { deprecatedAt, sunsetAt, successorUrl };
};
