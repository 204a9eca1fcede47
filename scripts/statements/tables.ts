import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The module that a table belongs to. */
export const owners: Readonly<Record<string, string>> = {
  team: 'teams',
  team_usage: 'storage',
  person: 'people',
  team_user: 'people',
  credential: 'people',
  session: 'sign-ins',
  verification: 'sign-ins',
  two_factor: 'sign-ins',
  passkey: 'sign-ins',
  assistant_connection: 'assistants',
  member: 'membership',
  invitation: 'members',
  waiting_invitation: 'members',
  company_sign_in: 'company-sign-in',
  company_domain: 'company-sign-in',
  directory_user: 'directory',
  api_key: 'keys',
  api_key_prefix: 'keys',
  api_key_day: 'requests',
  request_budget: 'keys',
  rate_window: 'windows',
  request_log_entry: 'requests',
  request_quarter_hour: 'requests',
  idempotency_record: 'idempotency',
  mail: 'mail',
  maintenance: 'maintenance',
  version_notice: 'versions',
  audit_entry: 'audit',
  erasure: 'erasure',
  catalog_item: 'catalog',
  catalog_rule: 'catalog',
  team_policy_block: 'catalog',
  member_policy_block: 'catalog',
  training: 'trainings',
  evaluation: 'trainings',
  assignment: 'assignments',
  case: 'cases',
  deletion: 'deletions',
  crm_connection: 'crm',
  crm_run: 'crm',
  crm_deal: 'crm',
  crm_objection: 'crm',
  webhook_endpoint: 'webhooks',
  webhook_event: 'webhooks',
  webhook_delivery: 'webhooks',
  webhook_waiting: 'webhooks',
  webhook_attempt: 'webhooks',
  webhook_team_day: 'webhooks',
  webhook_endpoint_day: 'webhooks',
  webhook_quarter_hour: 'webhooks',
  event_feed: 'events',
  event_feed_entry: 'events',
  webhook_check: 'webhooks',
};

const schema = readFileSync(join(import.meta.dirname, '..', '..', 'prisma', 'schema.prisma'), 'utf8');

/** The tables of schema.prisma by the name of their property in Prisma's client: `apiKey` is `api_key`. */
export const tableOfDelegate: ReadonlyMap<string, string> = new Map(
  [...schema.matchAll(/^model (\w+) \{$([\s\S]*?)^\}$/gm)].map(([, model = '', body = '']) => {
    const [, table = model] = /@@map\("(\w+)"\)/.exec(body) ?? [];
    return [model.charAt(0).toLowerCase() + model.slice(1), table];
  }),
);

const operations =
  'findMany|findUnique|findUniqueOrThrow|findFirst|findFirstOrThrow|create|createMany|createManyAndReturn|update|updateMany|updateManyAndReturn|upsert|delete|deleteMany|count|aggregate|groupBy';
const prismaCall = new RegExp(`\\.(\\w+)\\s*\\.(?:${operations})\\(`, 'g');

/** The tables on which a file calls Prisma, one for each call. */
export const prismaCallsIn = (source: string): string[] =>
  [...source.matchAll(prismaCall)].flatMap(([, delegate = '']) => tableOfDelegate.get(delegate) ?? []);

/**
 * The texts of a file that may be SQL: its strings and templates. Comments and code are skipped, because they mention
 * tables too.
 */
const textsIn = (source: string): string[] =>
  [...source.matchAll(/`(?:[^`\\]|\\[\s\S])*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g)].map(([literal]) => literal);

const inSql =
  /\b(?:from|join|into|update|using|table)\s+(?:only\s+)?((?:"?[a-z_]+"?(?:\s+(?:as\s+)?[a-z_]+)?\s*,\s*)*"?[a-z_]+"?)/gi;

/** The tables that the SQL in a file names. */
const tablesInSql = (source: string): string[] =>
  textsIn(source).flatMap((literal) =>
    [...literal.matchAll(inSql)].flatMap(([, list = '']) =>
      list.split(',').map((part) => part.trim().split(/\s/)[0]?.replaceAll('"', '').toLowerCase() ?? ''),
    ),
  );

/** Every table that a file touches, through Prisma or in SQL. */
export const tablesIn = (source: string): string[] =>
  [...new Set([...prismaCallsIn(source), ...tablesInSql(source)])]
    .filter((table) => Object.hasOwn(owners, table))
    .toSorted();

/**
 * Tables of other modules that a store's named queries join, because a separate read would cost a round trip. These are
 * reads only, except that the outbox writes the feed's entries: each module writes its own tables.
 */
export const joins: Readonly<Record<string, readonly string[]>> = {
  'src/modules/analytics/store.ts': ['evaluation', 'member', 'training'],
  'src/modules/assignments/store.ts': ['member'],
  'src/modules/crm/deal-store.ts': ['catalog_item', 'member', 'person', 'team_user'],
  'src/modules/directory/store.ts': ['member', 'person', 'team_user'],
  'src/modules/events/store.ts': ['webhook_event'],
  'src/modules/keys/store.ts': ['api_key_day'],
  'src/modules/mail/store.ts': ['team'],
  'src/modules/members/list-store.ts': [
    'assignment',
    'directory_user',
    'evaluation',
    'member',
    'person',
    'team_user',
    'training',
  ],
  'src/modules/membership/store.ts': ['person', 'team_user'],
  // The INSERTs take the team from its row.
  'src/modules/requests/store.ts': ['api_key', 'team'],
  'src/modules/storage/store.ts': ['team'],
  'src/modules/trainings/app-list-store.ts': ['member', 'person', 'team_user'],
  // It locks the rows of teams and reads them, for all modules.
  'src/platform/team-row.ts': ['team'],
  // The gate is asked on the node of the key's team, so the team is found before.
  'src/db/cells/cells.ts': ['api_key_prefix'],
  'src/deliveries/claim.ts': ['team'],
  // The INSERTs take the team from its row.
  'src/deliveries/outcomes.ts': ['team'],
  // Raising an event also enters it in the feed. An entry of the audit log is an event only while the team has the API.
  'src/deliveries/outbox.ts': ['event_feed_entry', 'team'],
  // The sandbox is no part of a running service. It reads the due deliveries and syncs, and the events that it raised.
  'src/packages/sandbox/database.ts': ['webhook_endpoint'],
  'src/packages/sandbox/move-clock.ts': ['crm_connection', 'crm_run', 'webhook_endpoint', 'webhook_waiting'],
  'src/packages/sandbox/triggers.ts': ['webhook_endpoint', 'webhook_event'],
};

/** The further stores of modules with many tables. */
const furtherStores: Readonly<Record<string, string | readonly string[]>> = {
  crm: ['src/modules/crm/run-store.ts', 'src/modules/crm/deal-store.ts'],
  members: 'src/modules/members/list-store.ts',
  trainings: ['src/modules/trainings/read-store.ts', 'src/modules/trainings/app-list-store.ts'],
  webhooks: ['src/modules/webhooks/delivery-store.ts', 'src/modules/webhooks/history-store.ts'],
};

export const storesOf = (module: string): string[] => [
  `src/modules/${module}/store.ts`,
  ...[furtherStores[module] ?? []].flat(),
];

/** The files that deliver events, each with its own queries. */
const deliversEvents = /^src\/deliveries\//;

/**
 * Whether a file may touch a table: stores of the owning module may, reports may read the tables that they join, and
 * the deletion of a team deletes everywhere.
 */
export const mayTouch = (file: string, table: string): boolean => {
  const owner = owners[table] ?? '';
  return (
    storesOf(owner).includes(file) ||
    file.startsWith('src/modules/reporting/') ||
    file === 'src/modules/team-deletion/store.ts' ||
    joins[file]?.includes(table) === true ||
    (owner === 'webhooks' && deliversEvents.test(file))
  );
};
