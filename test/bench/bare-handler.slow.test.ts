import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as bareStatements from '../../scripts/bench/bare-statements.ts';
import { copyDatabase } from '../../scripts/kit/database.ts';
import { startServer, type Server } from '../../scripts/kit/processes.ts';
import { seedTeams, type Seeded } from '../../scripts/kit/seed.ts';
import { referenceHandler, requestAt, scenarios } from '../../scripts/bench/rest.ts';
import { readAnswer, type Answer } from '../support/client.ts';
import { createDatabase, withSql, type TestDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openWire, type Wire } from '../support/wire.ts';

let database: TestDatabase;
let wire: Wire;
let service: TestService;
let bare: Server;
let seeded: Seeded;

/** An answer without the values that differ between two servers: the next cursor, and fields of new rows. */
const comparable = ({ status, body }: Answer) => ({
  ...body,
  ...(Object.hasOwn(body, 'next_cursor') && { next_cursor: typeof body['next_cursor'] }),
  ...(status === 201 && {
    id: typeof body['id'],
    created_at: typeof body['created_at'],
    updated_at: typeof body['updated_at'],
  }),
});

/** The statements that a request of the bare handler sends, by name. */
const statementsOf: Readonly<Record<string, string[]>> = {
  'GET /users/{member_id}': ['gate', 'memberById'],
  'GET /users?limit=50': ['gate', 'members'],
  'GET /trainings?limit=50': ['gate', 'trainings'],
  'GET /trainings/{training_id}/evaluation': ['gate', 'evaluation'],
  'POST /assignments': [
    'gate',
    'BEGIN',
    'privacy',
    'recipient',
    'combination',
    'insertAssignment',
    'insertEvent',
    'insertDelivery',
    'insertAudit',
    'COMMIT',
  ],
};

describe('the bare handler that the service is measured against', () => {
  beforeAll(async () => {
    database = await createDatabase();
    seeded = await seedTeams(database.url, { teams: 1, membersEach: 60, keysEach: 1, trainingsEach: 60 });
    wire = await openWire(await copyDatabase(database.url, 'reference'));
    service = await startTestService({ databaseUrl: database.url });
    bare = await startServer([referenceHandler], { DATABASE_URL: wire.url });
  });
  afterAll(async () => {
    await bare.kill('SIGTERM');
    await wire.close();
    await withSql(service, (client) => client.query('drop database reference with (force)'));
    await service.close();
    await database.drop();
  });

  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s: gives the same answer as the service, with only its own statements',
    async (name, scenario) => {
      const ask = async (origin: string) => {
        const { method, path, headers, body } = requestAt(3, scenario, seeded);
        const answer = await fetch(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) });
        return readAnswer(answer.status, answer.headers, await answer.text());
      };
      const ours = await ask(service.origin);
      await ask(bare.origin); // everything that is prepared once per connection
      wire.takeRoundTrips();
      const theirs = await ask(bare.origin);
      const named = new Map<string, string>(Object.entries(bareStatements).map(([key, { text }]) => [text, key]));
      expect(wire.takeRoundTrips().map((trip) => trip.map((text) => named.get(text) ?? text))).toEqual(
        statementsOf[name]?.map((statement) => [statement]),
      );
      const status = name.startsWith('POST') ? 201 : 200;
      expect([ours.status, theirs.status]).toEqual([status, status]);
      expect(comparable(theirs)).toEqual(comparable(ours));
      expect(theirs.headers.has('location')).toBe(ours.headers.has('location'));
    },
  );
});
