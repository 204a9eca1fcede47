import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { eraseFormerMember } from '../../src/modules/erasure/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { aPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { untilLockWaits, withSql } from '../support/postgres.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { aWorker } from '../support/worker.ts';
import { asOwner } from './erasing.ts';

const service = await useTestService({ own: true });

const cases = 150;

/** Cases with 63 kB of different words. Every hundredth names the person. */
const insertCases = (team: TestTeam, name: string): Promise<unknown> =>
  withSql(service, (sql) =>
    sql.query(
      `insert into "case" (tenant_id, id, user_id, title, private, fields, created_at, updated_at)
       select $1, gen_random_uuid(), $2, 'Large', false,
              jsonb_build_object('text', case when n % 100 = 0 then $3 else '' end || ' ' || words), now(), now()
         from generate_series(1, $4) as n,
              lateral (select string_agg(md5((n * 10000 + m)::text), ' ') as words from generate_series(1, 1910) as m) as w`,
      [team.id, team.owner.user_id, name, cases],
    ),
  );

const aFormerMember = async (team: TestTeam, person: { email: string; name: string }) => {
  const { memberId } = await aPerson(team, person);
  await removeMember(await asOwner(team), memberId);
  return { begin: async () => eraseFormerMember(await asOwner(team), memberId) };
};

const erasuresOf = (team: TestTeam) => service.database.prisma.erasure.count({ where: { tenantId: team.id } });
const untilErased = (team: TestTeam) => expect.poll(() => erasuresOf(team)).toBe(0);

it('an erasure that waits for a lock delays no other team', async () => {
  const [stuck, other] = [await aTeam(service), await aTeam(service)];
  const { body } = await stuck.client.post('/cases', { user_id: stuck.owner.user_id, title: 'A talk with Anna Zorn' });
  const first = await aFormerMember(stuck, { email: anEmail('stuck'), name: 'Anna Zorn' });
  const second = await aFormerMember(other, { email: anEmail('free'), name: 'Otto Free' });
  const database = openDatabase(service.databaseUrl, { poolSize: 8, lockWaitMs: 60_000 });
  aWorker(service, { platform: { ...service.platform, database } });
  onTestFinished(() => database.close());
  await withSql(service, async (sql) => {
    await sql.query('begin');
    await sql.query('select from "case" where tenant_id = $1 and id = $2 for update', [stuck.id, body['id']]);
    await first.begin();
    await untilLockWaits(service);
    await second.begin();
    await untilErased(other);
    await sql.query('rollback');
  });
  await untilErased(stuck);
});

it('the erasures of a team with large texts end, and delay those of another team by few of them', async () => {
  const [large, other] = [await aTeam(service), await aTeam(service)];
  const name = 'Anna Zorn';
  await insertCases(large, name);
  const people = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      aFormerMember(large, { email: anEmail(`large${n}`), name: n === 0 ? name : `Otto Zorn${n}` }),
    ),
  );
  const few = await aFormerMember(other, { email: anEmail('few'), name: 'Otto Few' });
  for (const { begin } of people) await begin();
  await few.begin();
  aWorker(service);
  await untilErased(other);
  expect(await erasuresOf(large)).toBeGreaterThan(people.length / 2);
  await untilErased(large);
  const left = await withSql(service, async (sql) =>
    sql.query(`select count(*)::int as n from "case" where tenant_id = $1 and fields::text ilike '%anna%zorn%'`, [
      large.id,
    ]),
  );
  expect(left.rows).toEqual([{ n: 0 }]);
});
