import { expect, it } from 'vitest';
import { loadQueries, sourceFiles, sourceOf } from '../../scripts/statements/defined.ts';
import { makeClient } from '../support/client.ts';
import { startObserved } from '../support/production-service.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { openWire } from '../support/wire.ts';

// Behind a connection pooler, each transaction of an API process may run in another session of PostgreSQL.

/** Statements that change a session beyond their transaction, or that need the same session later. */
const sessionStatements = [
  /\bpg_(?:try_)?advisory_(?:lock|unlock)/i,
  /^\s*(?:un)?listen\b/i,
  /^\s*(?:re)?set\b(?! (?:local|transaction)\b)/i,
  /\bset_config\s*\((?![^()]*(?:\([^()]*\)[^()]*)*,\s*true\s*\))/i,
  /^\s*create\s+(?:local\s+)?temp/i,
  /\bcursor\s+with\s+hold\b/i,
  /^\s*(?:prepare|execute|deallocate|discard|copy)\b/i,
];

const keepsSession = (statement: string): boolean => sessionStatements.some((pattern) => pattern.test(statement));

it.each([
  'select pg_try_advisory_lock($1) as locked',
  'select pg_advisory_unlock_all()',
  'LISTEN "jobs:insert"',
  "set timezone = 'UTC'",
  'SET SESSION statement_timeout = 1',
  'reset role',
  `select set_config('app.tenant', $1, false)`,
  `select set_config('app.tenant', lower($1), false)`,
  'create temporary table kept (id int)',
  'declare kept cursor with hold for select 1',
  'deallocate all',
])('a session is needed for %s', (statement) => {
  expect(keepsSession(statement)).toBe(true);
});

it.each([
  'select pg_advisory_xact_lock($1::bigint) as locked',
  'set local role someone',
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  `select set_config('role', 'someone', true), set_config('app.tenant', $1, true)`,
  `select set_config('app.tenant', lower($1), true)`,
  'update team set name = $1',
  'select id from listening',
])('a session is not needed for %s', (statement) => {
  expect(keepsSession(statement)).toBe(false);
});

it('no named query needs a session', async () => {
  const queries = (await loadQueries()).filter(({ name }) => !name.startsWith('test.'));
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.filter(({ text }) => keepsSession(text)).map(({ name }) => name)).toEqual([]);
});

/** Files that send other statements than named queries and those of Prisma's models. */
const sendsOwnStatements = /^import pg\b|\$(?:query|execute)Raw/m;
const literals = /'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;

it('only migrations and the worker have other statements that need a session, or load the queue, which listens', () => {
  const needsSession = (source: string): boolean =>
    /^import \{[^}]*\} from 'graphile-worker'/m.test(source) ||
    (sendsOwnStatements.test(source) &&
      [...source.matchAll(literals)].some(([literal]) => keepsSession(literal.slice(1, -1))));
  const files = sourceFiles();
  expect(files.filter((file) => sendsOwnStatements.test(sourceOf(file)))).toContain('src/db/pooler.ts');
  expect(files.filter((file) => needsSession(sourceOf(file)))).toEqual([
    'src/db/cells/make-cells.ts', // a part of `npm run migrate`
    'src/db/migrate.ts',
    'src/worker/queue-runner.ts',
  ]);
});

const service = await useTestService({ own: true });

it('an API process sends none, from its start to its end', async () => {
  const team = await aTeam(service);
  const wire = await openWire(service.databaseUrl);
  const api = await startObserved(wire.url, 'api');
  const client = makeClient(api.baseUrl, team.client.key);
  const [member] = (await client.get('/users')).data;
  const made = await client.post(
    '/cases',
    { user_id: member?.['user_id'], title: 'A case' },
    { headers: { 'Idempotency-Key': 'one' } },
  );
  expect(made.status).toBe(201);
  expect((await client.get('/events?wait=1')).status).toBe(200);
  await api.stop();
  const statements = wire.takeRoundTrips().flat();
  await wire.close();
  expect(statements).toContainEqual(expect.stringMatching(/^begin/i));
  expect(statements.filter(keepsSession)).toEqual([]);
});
