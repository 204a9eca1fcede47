import { expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { listAssignments } from '../../src/modules/assignments/service.ts';
import { listDeals, listObjections } from '../../src/modules/crm/service.ts';
import { listCases } from '../../src/modules/cases/service.ts';
import { listDeletions } from '../../src/modules/deletions/service.ts';
import { listMembers } from '../../src/modules/members/service.ts';
import { listTrainings } from '../../src/modules/trainings/listing.ts';
import type { Team } from '../../src/platform/team.ts';
import { askedBy, explained, modes } from '../support/plans.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// A large team, and how much a request for its changes reads.

const many = 100_000;

const service = await useTestService({ own: true });
const made = await aTeam(service);
const team = await made.acting();
const client = await useConnection(service.databaseUrl);
// Rows without the teams, people and members behind them.
await client.query('set session_replication_role = replica');
const connectionId = makeId();
const changed = `now() - n * interval '1 minute'`;
for (const sql of [
  `insert into member (tenant_id, id, user_id, email, status, joined_at, listed_at, created_at, updated_at)
   select $1, gen_random_uuid(), gen_random_uuid(), n || '@example.com', 'active', now(), now(), now(), ${changed}
     from generate_series(1, $2::int) n`,
  `insert into training (tenant_id, id, user_id, status, source, created_at, updated_at, listed)
   select $1, gen_random_uuid(), '${made.owner.user_id}'::uuid, 'ended', 'app', now(), ${changed}, n % 10 <> 1
     from generate_series(1, $2::int) n`,
  `insert into assignment (tenant_id, id, member_id, created_at, updated_at)
   select $1, gen_random_uuid(), '${made.owner.member_id}'::uuid, now(), ${changed} from generate_series(1, $2::int) n`,
  `insert into "case" (tenant_id, id, user_id, private, created_at, updated_at)
   select $1, gen_random_uuid(), '${made.owner.user_id}'::uuid, n % 2 = 0, now(), ${changed} from generate_series(1, $2::int) n`,
  `insert into crm_connection (tenant_id, id, provider, created_at) values ($1, '${connectionId}', 'feed', now() + $2 * interval '0')`,
  `insert into crm_deal (tenant_id, id, connection_id, external_id, created_at, updated_at)
   select $1, gen_random_uuid(), '${connectionId}'::uuid, n::text, now(), ${changed} from generate_series(1, $2::int) n`,
  `insert into crm_objection (tenant_id, id, connection_id, deal_id, external_id, category, text, lang, created_at, updated_at)
   select $1, gen_random_uuid(), '${connectionId}'::uuid, gen_random_uuid(), n::text, 'price', 'No.', 'en', now(), ${changed}
     from generate_series(1, $2::int) n`,
  // Cases without a deletion.
  `insert into deletion (tenant_id, resource, id, deleted_at)
   select $1, (array['users', 'trainings', 'assignments'])[n % 3 + 1], gen_random_uuid(), ${changed} from generate_series(1, $2::int) n`,
]) {
  await client.query(sql, [team.id, many]);
}
await client.query(
  'vacuum analyze member, training, assignment, "case", deletion, crm_connection, crm_deal, crm_objection',
);

type Changes = { limit: number; updatedSince: Date };

const userId = made.owner.user_id;
const lists: Record<string, (team: Team, query: Changes) => Promise<unknown>> = {
  users: listMembers,
  trainings: listTrainings,
  'trainings of a user': (reader, query) => listTrainings(reader, { ...query, userId }),
  'trainings of an assignment': (reader, query) => listTrainings(reader, { ...query, assignmentId: makeId() }),
  'ended trainings': (reader, query) => listTrainings(reader, { ...query, status: 'ended' }),
  'running trainings': (reader, query) => listTrainings(reader, { ...query, status: 'running' }),
  assignments: listAssignments,
  cases: listCases,
  'cases of a user': (reader, query) => listCases(reader, { ...query, userId }),
  deals: listDeals,
  objections: listObjections,
};

/** `rows`: how many rows of other tables it reads. */
const expectOneLookUp = async (read: (team: Team) => Promise<unknown>, rows = 0): Promise<void> => {
  const asked = await askedBy(team, read);
  expect(asked).toHaveLength(1);
  for (const mode of modes) {
    const { looked, buffers } = await explained(client, asked[0], mode);
    expect({ mode, looked, fits: buffers <= 12, buffers }).toMatchObject({ looked: rows, fits: true });
  }
};

it.each(Object.entries(lists))(
  'without changes, %s of a team with 100,000 rows cost a look-up in an index',
  async (name, list) => {
    const updatedSince = new Date(Date.now() + 60_000);
    // Deals and objections are read for each connection.
    const connections = name === 'deals' || name === 'objections' ? 1 : 0;
    await expectOneLookUp((reader) => list(reader, { limit: 50, updatedSince }), connections);
  },
);

it.each(['users', 'trainings', 'assignments', 'cases', 'deals', 'objections'] as const)(
  'without new deletions, those of %s in a team with 100,000 cost a look-up in an index',
  async (resource) => {
    const since = new Date(Date.now() + 60_000);
    await expectOneLookUp((reader) => listDeletions(reader, { resource, since, limit: 50 }));
  },
);

it('a list without deletions costs a look-up in an index, however many other lists have', async () => {
  await expectOneLookUp((reader) => listDeletions(reader, { resource: 'cases', limit: 50 }));
});

it.each(['users', 'trainings', 'assignments'] as const)(
  'a page of deletions of %s reads its rows only',
  async (resource) => {
    for (const since of [undefined, new Date(Date.now() - 86_400_000)]) {
      const [asked] = await askedBy(team, (reader) => listDeletions(reader, { resource, since, limit: 50 }));
      for (const mode of modes) {
        const { sorts, looked } = await explained(client, asked, mode);
        expect({ mode, sorts }).toEqual({ mode, sorts: [] });
        expect(looked).toBeLessThanOrEqual(51);
      }
    }
  },
);

it.each(['users', 'trainings', 'assignments', 'cases', 'cases of a user', 'trainings of a user'])(
  'a page of changes of %s reads its rows only',
  async (name) => {
    const list = lists[name] ?? expect.fail();
    const [asked] = await askedBy(team, (reader) => list(reader, { limit: 50, updatedSince: new Date(0) }));
    for (const mode of modes) {
      const { sorts, looked } = await explained(client, asked, mode);
      expect({ mode, sorts, looked }).toMatchObject({ sorts: expect.not.arrayContaining(['Seq Scan', 'Sort']) });
      expect(looked).toBeLessThanOrEqual(60);
    }
  },
);

it.each(['deals', 'objections'])('a page of changes of %s reads its rows, and sorts no others', async (name) => {
  const list = lists[name] ?? expect.fail();
  const [asked] = await askedBy(team, (reader) => list(reader, { limit: 50, updatedSince: new Date(0) }));
  // The rows of one connection, of which the page takes the first ones.
  for (const mode of modes) expect((await explained(client, asked, mode)).looked).toBeLessThanOrEqual(110);
});
