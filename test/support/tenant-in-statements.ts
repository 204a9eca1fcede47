import pg from 'pg';
import { afterAll } from 'vitest';
import { definedQueries } from '../../src/db/query.ts';
import type { RoundTrip, Statement } from '../../src/db/round-trip.ts';
import { currentTeam } from '../../src/db/row-security.ts';
import { teamTables } from './team-tables.ts';
import { withoutTenant, withoutTenantInService } from './statements-without-tenant.ts';

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
  const message = `These statements name no team: ${forgotten.join('; ')}. See statements-without-tenant.ts`;
  // Prisma's outside of requests may be those of a test, which nothing tells apart from the service's.
  if (ofRequests.length > 0 || forgotten.some((label) => /^\w+\.\w+/.test(label))) throw new Error(message);
  console.warn(message);
});
