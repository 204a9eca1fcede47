import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServiceProcess } from '../support/api-process.ts';
import { eventually } from '../support/eventually.ts';
import { aFullTeam, rowsOf, tracesOf } from '../support/full-team.ts';
import { untilLockWaits } from '../support/postgres.ts';
import { testSecret, useTestService } from '../support/service.ts';

const service = await useTestService({ own: true });

it('a killed process’s batch of a team’s deletion is rolled back, and a worker continues', async () => {
  const gone = await aFullTeam(service);
  const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', DATABASE_URL: service.databaseUrl, APP_SECRET: testSecret };
  const command = ['team', 'delete', '--team', gone.id, '--confirm', 'A team'];
  // The deletion waits for a row that this transaction has locked, in the middle of the work.
  const { child, ended } = await service.database.prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`select id from audit_entry where tenant_id = ${gone.id}::uuid for update`;
      const child = spawn(process.execPath, [cli, ...command], { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      await untilLockWaits(service, { query: '%audit_entry%' });
      child.kill('SIGKILL');
      return { child, ended };
    },
    { timeout: 60_000 },
  );
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  const left = await rowsOf(service, gone.id);
  expect(left['webhook_event']).toBe(0);
  expect(left['audit_entry']).toBeGreaterThan(0);

  const worker = await startServiceProcess({
    databaseUrl: service.databaseUrl,
    role: 'worker',
  });
  onTestFinished(async () => {
    await worker.stop();
  });
  await eventually(async () =>
    expect(await service.database.prisma.team.findUnique({ where: { id: gone.id } })).toBeNull(),
  );
  await eventually(async () => expect(await tracesOf(service, gone.id)).toEqual({}));
});
