import { expect, it } from 'vitest';
import { allScopes } from '../../src/core/scopes.ts';
import { createKey } from '../../src/modules/keys/service.ts';
import { foundTeam } from '../../src/modules/teams/service.ts';
import { useTestService } from './service.ts';
import { aTeam, anEmail } from './team.ts';
import { teamTables } from './tenant-in-statements.ts';

const service = await useTestService();

/** All rows of a team, with ids and times replaced by their kind, since they differ from team to team. */
const rowsOf = async (id: string, email: string) => {
  const rows: Record<string, unknown[]> = {};
  const read = async (table: string, where: string) => {
    rows[table] = await service.database.prisma.$queryRawUnsafe(
      `select regexp_replace(replace(to_jsonb(t)::text, '${email}', 'email'), '[0-9a-f]{8}-[0-9a-f-]{27}', 'id', 'g') as row
         from "${table}" t where ${where} order by 1`,
    );
  };
  for (const table of teamTables) await read(table, `${table === 'team' ? 'id' : 'tenant_id'} = '${id}'::uuid`);
  await read('person', `email = '${email}'`);
  return JSON.stringify(rows)
    .replaceAll(/\d{4}-\d\d-\d\dT[^"\\]+/g, 'time')
    .replaceAll(/(prefix|secret_hash)\\": \\"[^"]+"/g, '$1');
};

it('a team of the tests has the rows of a team and a key that the services create', async () => {
  const email = anEmail('owner');
  const made = await aTeam(service, { ownerEmail: email, ownerName: 'Olga', seats: 7, rateLimit: 900, language: 'en' });
  const ownerEmail = anEmail('owner');
  const team = await service.database.transaction(async (tx) => {
    const founded = await foundTeam(
      tx,
      service.platform,
      { kind: 'operator' },
      { name: 'A team', ownerEmail, ownerName: 'Olga', seats: 7, rateLimit: 900, language: 'en' },
    );
    await createKey(founded.team, { name: 'test', by: founded.owner.memberId, scopes: allScopes });
    return founded.team;
  });
  expect(await rowsOf(made.id, email)).toBe(await rowsOf(team.id, ownerEmail));
});
