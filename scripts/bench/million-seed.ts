import pg from 'pg';
import { z } from 'zod';
import { newId } from '../../src/core/ids.ts';
import { openDatabase } from '../../src/db/database.ts';
import { recount } from '../../src/modules/analytics/service.ts';
import { actIn } from '../../src/modules/teams/service.ts';
import type { Platform } from '../../src/platform/team.ts';
import { seedTeams } from './seed.ts';

const trainings = 1_000_000;
const batch = 100_000;
const activeMembers = 200;
const formerMembers = 50;

/** A team with a million trainings, with ids to use in requests. */
export interface Million {
  tenantId: string;
  keys: readonly string[];
  /** The person with by far the most trainings, and the assignment, open for all three years, that has most of them. */
  busy: { userId: string; assignmentId: string };
  ordinary: { userId: string; assignmentId: string };
  formerUserId: string;
}

interface Person {
  member_id: string;
  user_id: string;
}

const People = z.array(z.object({ member_id: z.string(), user_id: z.string() }));
const Tenant = z.tuple([z.object({ tenant_id: z.string() })]);

const endMemberships = `update member set status = 'ended', ended_at = now() where tenant_id = $1 and id = any ($2)`;

const insertAssignments = `
  insert into assignment (tenant_id, id, member_id, title, created_at)
  select $1, assignment_id, member_id, 'Bench', now() - interval '3 years'
    from unnest($2::uuid[], $3::uuid[]) as a (assignment_id, member_id)`;

// The start times are evenly distributed over three years. One training in twelve belongs to the busy user, the second person of all. Three
// in four of those, and one in ten of the others, belong to the assignment that was open all the time. Triggers are off, which is three
// times as fast. Only the first $7 people are still members.
const insertTrainings = `
  with item as materialized (
    select array_agg(id) filter (where dimension = 'situation') as situation,
           array_agg(id) filter (where dimension = 'personality') as personality,
           array_agg(id) filter (where dimension = 'industry') as industry
      from catalog_item
  ), chance as materialized (
    select now() - interval '3 years' * (1 - n / $4::float8) as started, random() as who, random() as fate, random() as task,
           random() as length, floor(random() * 1000)::integer as pick, random() < 0.02 as corrected
      from generate_series($2::integer, $3::integer) as n
  ), drawn as materialized (
    select started, pick, 60 + floor(length * 1200)::integer as seconds, task,
           case when who < 1 / 12.0 then 2 else 1 + floor(random() * cardinality($5::uuid[]))::integer end as person,
           (case when fate < 0.0005 then 'running' when fate < 0.04 then 'aborted' when fate < 0.1 then 'ended'
                 else 'scored' end)::training_status as status,
           case when corrected then interval '20 days' else interval '30 seconds' end as wait
      from chance
  )
  insert into training (tenant_id, id, user_id, status, source, assignment_id, situation_id, personality_id, industry_id,
                        created_at, finished_at, duration_s, evaluated_at, listed)
  select $1, uuidv7(started - now()), ($5::uuid[])[person], status, 'app',
         case when task < case when person = 2 then 0.75 else 0.1 end then ($6::uuid[])[person] end,
         situation[1 + pick % cardinality(situation)], personality[1 + pick % cardinality(personality)],
         industry[1 + pick % cardinality(industry)], started,
         case when status <> 'running' then started + interval '1 second' * seconds end,
         case when status <> 'running' then seconds end,
         case when status = 'scored' then started + interval '1 second' * seconds + wait end, person <= $7
    from drawn cross join item
   order by started`;

const anyScore = '30 + floor(random() * 65)::integer';

const insertEvaluations = `
  insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling,
                          value_argument, total, spread, goal, tips, strongest, biggest_lever, created_at)
  select tenant_id, id, closing, control, needs, objection, value,
         case when random() > 0.02 then (closing + control + needs + objection + value) / 5 end, 12.5, 'partial',
         '[{"issue": "The call ends without a next step.", "moment": "At the end.", "principle": "Propose it.",
            "rewrite": "Does Thursday at ten suit you?", "impact": "A deal with a date."}]',
         'Asks until the need is clear.', 'Propose a date at the end.', evaluated_at
    from (select tenant_id, id, evaluated_at, ${anyScore} as closing, ${anyScore} as control, ${anyScore} as needs,
                 ${anyScore} as objection, ${anyScore} as value
            from training where tenant_id = $1 and status = 'scored') as drawn`;

const at = (people: readonly Person[], index: number): Person => {
  const person = people[index];
  if (!person) throw new Error(`there is no ${index}th`);
  return person;
};

const seedPeople = async (client: pg.Client, tenantId: string, memberIds: readonly string[]) => {
  const found = await client.query('select id as member_id, user_id from member where tenant_id = $1', [tenantId]);
  const byId = new Map(People.parse(found.rows).map((person) => [person.member_id, person]));
  const people = memberIds.flatMap((id) => byId.get(id) ?? []);
  const assignments = people.map(() => newId());
  await client.query(insertAssignments, [tenantId, assignments, people.map(({ member_id }) => member_id)]);
  return { people, assignments };
};

/** Fills the database; takes a minute or two. */
export const seedMillion = async (platform: Omit<Platform, 'database'>, databaseUrl: string): Promise<Million> => {
  const { teams } = await seedTeams([databaseUrl], {
    teams: 1,
    membersEach: activeMembers + formerMembers,
    keysEach: 160,
  });
  const [team] = teams;
  if (!team) throw new Error('no team was made');
  const client = new pg.Client({ connectionString: databaseUrl });
  const database = openDatabase(databaseUrl, { poolSize: 2 });
  await client.connect();
  try {
    const [{ tenant_id: tenantId }] = Tenant.parse((await client.query('select id as tenant_id from team')).rows);
    const { people, assignments } = await seedPeople(client, tenantId, team.members);
    const former = people.slice(activeMembers);
    await client.query(endMemberships, [tenantId, former.map(({ member_id }) => member_id)]);
    await client.query('set session_replication_role = replica');
    await client.query('select setseed(0.5)');
    const users = people.map(({ user_id }) => user_id);
    for (let from = 1; from <= trainings; from += batch) {
      const values = [tenantId, from, from + batch - 1, trainings, users, assignments, activeMembers];
      await client.query(insertTrainings, values);
    }
    await client.query(insertEvaluations, [tenantId]);
    await client.query('reset session_replication_role');
    const acting = await actIn({ ...platform, database }, { kind: 'operator' }, tenantId);
    // Longer than the time-out of a request's transaction: this one reads a million rows.
    await database.prisma.$transaction((tx) => recount(tx, acting), { timeout: 300_000 });
    await client.query('vacuum analyze');
    return {
      tenantId,
      keys: team.keys,
      busy: { userId: at(people, 1).user_id, assignmentId: assignments[1] ?? '' },
      ordinary: { userId: at(people, 7).user_id, assignmentId: assignments[7] ?? '' },
      formerUserId: at(people, activeMembers).user_id,
    };
  } finally {
    await database.close();
    await client.end();
  }
};
