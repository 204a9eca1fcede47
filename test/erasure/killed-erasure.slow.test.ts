import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { aPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { withSql } from '../support/postgres.ts';
import { erase, linesNaming } from './erasing.ts';

const service = await useTestService({ own: true });

it('an erasure continues where its process was killed', async () => {
  const folder = throwAwayFolder();
  const email = anEmail('killed');
  const team = await aTeam(service);
  const { userId } = await aPerson(team, { email });
  await withSql(service, (sql) =>
    sql.query(
      `insert into audit_entry (tenant_id, id, actor_kind, actor_id, action, target_type, data, created_at)
       select $1, gen_random_uuid(), 'person', $2, 'team.changed', 'team', jsonb_build_object('n', n, 'by', $3::text), now()
         from generate_series(1, 10000) as n`,
      [team.id, userId, email],
    ),
  );
  const { prisma } = service.database;
  const left = () => prisma.auditEntry.count({ where: { tenantId: team.id, actorId: userId } });
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', DATABASE_URL: service.databaseUrl, DATA_DIR: folder };
  const child = spawn(process.execPath, ['src/cli/main.ts', 'person', 'erase', '--email', email, '--confirm', email], {
    env,
  });
  const ended = once(child, 'exit');
  await expect.poll(left).toBeLessThan(10_000);
  child.kill('SIGKILL');
  await ended;
  expect(await left()).toBeGreaterThan(0);
  const { position } = await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } });
  expect(position).not.toEqual([]);
  await erase(service, email);
  expect(await linesNaming(service, [email, userId])).toEqual([]);
});
