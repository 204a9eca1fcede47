import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll } from 'vitest';
import { definedQueries } from '../../src/db/query.ts';
import type { RoundTrip, Statement } from '../../src/db/round-trip.ts';
import { currentTeam } from '../../src/db/row-security.ts';
import { schemaFile } from '../../src/db/migrate.ts';

// Listens to every statement that is sent in the tests: each has a condition on the team, or is one of the exceptions.
// One that is not fails the test file if it is a named query, or if a request of a team sends it: row level security
// hides that mistake from every other test. Any other statement of Prisma is printed.

/** A condition on the team: a value or a list of them, or a row that is written with its team. */
const namesTenant =
  /tenant_id"?\)? *(?:= *(?:\$|any\b|\(|wanted\.|'[0-9a-f-]{36}')|in\b|is null)|insert into [^)]*\btenant_id\b/is;
/** A condition on the key of the table `team` itself. */
const namesTeam = /(?:"team"\.|\bteam\.|\bt\.)?"?\bid"? *(?:=|in\b)/i;

const tablesOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|join|update|into)\s+(?:"?public"?\.)?"?(\w+)"?/gi)].flatMap(([, table = '']) =>
    teamTables.has(table) ? [table] : [],
  );

const isComplete = (text: string): boolean => {
  const tables = tablesOf(text);
  if (tables.length === 0 || namesTenant.test(text)) return true;
  return tables.every((table) => table === 'team') && namesTeam.test(text);
};

/** The name of a named query; otherwise the verb, the tables, and the columns of its conditions. */
const labelOf = ({ text, name }: Statement): string => {
  const query = definedQueries().find(({ statement }) => name?.startsWith(statement));
  if (query) return query.name;
  const [verb = ''] = /^\w+/.exec(text.trim()) ?? [];
  const [, conditions = ''] = /\bwhere\b(.*?)(?:order by|limit|offset|returning|$)/is.exec(text) ?? [];
  const columns = [...conditions.matchAll(/(\w+)"?\)? *(?:[=<>]|in\b|is\b)/gi)].map(([, column = '']) => column);
  const by = columns.length > 0 ? ` by ${[...new Set(columns)].join(', ')}` : '';
  return `${verb.toLowerCase()} ${[...new Set(tablesOf(text))].join(', ')}${by}`;
};

// The files of a process load this module anew and share the driver.
declare global {
  var completeStatements: Map<string, boolean> | undefined;
  var statementsWithoutTenant: Set<string> | undefined;
  var requestsWithoutTenant: Set<string> | undefined;
}
const complete = (globalThis.completeStatements ??= new Map<string, boolean>());
const found = (globalThis.statementsWithoutTenant ??= new Set<string>());
const foundInRequests = (globalThis.requestsWithoutTenant ??= new Set<string>());

/** What the service sends. Texts are sent by tests. */
const isRoundTrip = (given: unknown): given is Pick<RoundTrip, 'statements'> =>
  typeof given === 'object' && given !== null && 'statements' in given && Array.isArray(given.statements);

const listen = (statement: Statement): void => {
  const known = complete.get(statement.text);
  const isKnown = known ?? isComplete(statement.text);
  if (known === undefined) complete.set(statement.text, isKnown);
  if (isKnown) return;
  // What tests of row level security send.
  if ('isForgetful' in statement) return;
  found.add(labelOf(statement));
  if (currentTeam()) foundInRequests.add(labelOf(statement));
};

const { prototype } = pg.Client;
if (!Object.hasOwn(prototype, 'isListenedTo')) {
  const send: (...given: unknown[]) => unknown = prototype.query;
  Object.assign(prototype, {
    isListenedTo: true,
    query(this: pg.Client, ...given: unknown[]) {
      if (isRoundTrip(given[0])) given[0].statements.forEach(listen);
      return send.apply(this, given);
    },
  });
}

/** For tests whose statements leave the team out on purpose. */
export const forgetStatements = (): void => {
  found.clear();
  foundInRequests.clear();
};

afterAll(() => {
  const ofRequests = [...foundInRequests].filter((label) => !withoutTenantInService.has(label));
  const forgotten = [...new Set([...ofRequests, ...[...found].filter((label) => !withoutTenant.has(label))])];
  forgetStatements();
  if (forgotten.length === 0) return;
  const message = `These statements name no team: ${forgotten.join('; ')}. See tenant-in-statements.ts`;
  // Prisma's outside of requests may be those of a test, which nothing tells apart from the service's.
  if (ofRequests.length > 0 || forgotten.some((label) => /^\w+\.\w+/.test(label))) throw new Error(message);
  console.warn(message);
});

const models = readFileSync(schemaFile, 'utf8').matchAll(/^model \w+ \{$([\s\S]*?)^\}$/gm);

/** The tables with rows of teams, from the schema. */
export const teamTables: ReadonlySet<string> = new Set([
  'team',
  ...[...models].flatMap(([, body = '']) =>
    body.includes('@map("tenant_id")') ? (/@@map\("(\w+)"\)/.exec(body)?.[1] ?? []) : [],
  ),
]);

// Statements on tables of teams that name no team. Each group has its reason; the last one is sent by tests alone.

const ofTests = 'only tests send it';

const groups: readonly (readonly [reason: string, labels: readonly string[]])[] = [
  [
    'a sweep of a worker looks for due work of all teams',
    [
      'select team by status, deletion_started_at',
      'select team by status, reminders_enabled',
      'select member, team by status, role, weekly_mail, weekly_mail_of, id',
      'webhooks.addJobs of several teams',
      'webhooks.findPaused',
      'webhooks.endpointsWithoutJob',
      'webhooks.crowded',
      'select webhook_endpoint by status, failing_since, warned_at',
      'select webhook_endpoint by status, failing_since, failed_again_at, alarmed_at, failing_event_at',
      'select webhook_endpoint by status, failing_since, alarmed_at, last_success_at, recovered_event_at',
      'select crm_connection by next_sync_at',
      'select crm_run by ended_at, claimed_until',
      'select crm_connection by disconnected_at',
      'select api_key, team by status, plan, id, revoked_at, rotated_to_id, expires_at, expiry_notice_days',
      'select team, api_key, member, team_user, version_notice by status, plan, revoked_at, expires_at, id, tenant_id, JO, role, version, user_id',
      'select event_feed by 1',
      'select waiting_invitation by due_at',
    ],
  ],
  [
    'a sweep of a worker deletes what is older than its retention',
    [
      'idempotency.deleteExpired',
      'select idempotency_record by expires_at',
      'delete webhook_team_day by day',
      'delete webhook_quarter_hour by duration, start',
      'delete webhook_endpoint_day by day',
      'delete webhook_check by id',
      'delete mail by id, created_at',
      'delete request_quarter_hour by code, start',
      'delete api_key_day by day',
      'delete assistant_connection by expires_at',
      'delete webhook_waiting by delivery_id',
      'select case, team_user, member by private, ended_at, id, tenant_id, user_id',
    ],
  ],
  [
    'a mail is not always of a team; jobs and commands name it by its id',
    [
      'delete mail by 1',
      'delete mail by id',
      'select team, mail by id, subject, locked_at, text',
      'select mail by id, 1',
      'update mail by id, 1',
      'select mail by id',
      'select mail by 1',
      'select mail by sent_at, created_at, id',
      'select mail by sent_at',
      'select mail by sent_at, error',
      'select mail',
      'update mail by id, body',
    ],
  ],
  [
    'the secret of the caller says which team it is',
    [
      'select assistant_connection by code_hash',
      'select assistant_connection by access_hash',
      'select invitation by token_hash, 1',
      'select invitation by token_hash',
      'select team, member, api_key by id, tenant_id, prefix',
    ],
  ],
  [
    'a person has teams',
    [
      'select team_user by 1, id, person_id',
      'select team_user by id, 1, person_id',
      'select assistant_connection by person_id, code_used_at, expires_at',
      'reporting.teamsOfPerson',
      'select team_user, member by email, status, id, tenant_id, user_id, person_id',
      'select team_user, member by person_id, status, id, tenant_id, user_id',
      'select assistant_connection by person_id',
      'update assistant_connection by person_id, way',
      'select team_user by person_id',
      'update member, team_user by person_id, user_id, tenant_id, id, status',
      'select member by email',
      'select waiting_invitation by email',
      'select directory_user by address',
      'select erasure by person_id',
      'select erasure',
      'delete team_user by id, 1, person_id',
    ],
  ],
  [
    'the operator’s catalog is of no team',
    [
      'insert catalog_item',
      'insert catalog_rule',
      'update catalog_item by id, 1',
      'select catalog_item by id',
      'delete catalog_rule, catalog_item by key, item_id, id',
      'delete catalog_item by key',
      'select catalog_item by 1',
    ],
  ],
  ['a new team has its own id as key', ['insert team']],
  [
    'secrets of all teams are encrypted anew',
    [
      'update crm_connection by 1',
      'select crm_connection by credentials',
      'select webhook_endpoint by 1',
      'select company_sign_in by 1',
    ],
  ],
  ['the metrics count for all teams', ['webhooks.countWaiting']],
  ['the operator names a key by its id', ['select api_key by id']],
  [
    ofTests,
    [
      'select audit_entry by target_id',
      'select idempotency_record by 1',
      'select crm_connection by id',
      'test.wrong',
      'select webhook_delivery by event_id, status, attempt',
      'select webhook_delivery, webhook_event',
      'select webhook_waiting by due_at, claim_id',
      'update team by id, status, ended_at, deletion_started_at',
      'update webhook_check by id',
      'select case',
      'select case by 1',
      'select member by 1',
      'update case by id',
      'delete assignment by id',
      'delete catalog_item by 1',
      'delete catalog_rule by 1',
      'delete webhook_delivery by id',
      'delete webhook_event by id',
      'delete webhook_waiting by 1',
      'delete webhook_waiting by endpoint_id',
      'select assignment by id',
      'select audit_entry, mail, idempotency_record',
      'select crm_connection by id, disconnected_at',
      'select crm_run by id',
      'select erasure by 1',
      'select invitation by member_id',
      'select mail by recipient',
      'select team by 1',
      'select team_user by id',
      'select webhook_attempt by delivery_id',
      'select webhook_delivery by endpoint_id',
      'select webhook_endpoint by id',
      'select webhook_endpoint_day by endpoint_id',
      'select webhook_quarter_hour by endpoint_id',
      'select webhook_waiting by 1',
      'select webhook_waiting by 1, tenant_id',
      'select webhook_waiting by endpoint_id',
      'update api_key by id',
      'update mail by recipient',
      'update training by assignment_id',
      'update webhook_delivery by endpoint_id',
      'update webhook_delivery by id',
      'update webhook_endpoint by 1',
      'update webhook_endpoint by id',
      'update webhook_endpoint by status',
      'update webhook_waiting by 1',
      'update webhook_waiting by delivery_id',
      'update webhook_waiting by endpoint_id',
    ],
  ],
];

const withoutTenant: ReadonlySet<string> = new Set(groups.flatMap(([, labels]) => labels));

/** Without those that only tests send: a request of a team may send these. */
const withoutTenantInService: ReadonlySet<string> = new Set(
  groups.flatMap(([reason, labels]) => (reason === ofTests ? [] : labels)),
);
