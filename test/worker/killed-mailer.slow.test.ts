import { expect, it, onTestFinished } from 'vitest';
import { unlockJobsOfDeadWorkers } from '../../src/worker/other-jobs.ts';
import { startServiceProcess, startObserved } from '../support/production-service.ts';
import { startRawReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { useMailServer } from '../support/mail-server.ts';
import { anEmail, aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const mailServer = await useMailServer();

const mailsTo = (email: string) => mailServer.received.filter(({ to }) => to === email);

it('the jobs of a killed worker run again', async () => {
  const { databaseUrl } = service;
  const deaf = await startRawReceiver(() => {}, { tls: false });
  onTestFinished(() => deaf.close());
  const environment = { MAIL_URL: `smtp://127.0.0.1:${deaf.port}` };
  const victim = await startServiceProcess({ databaseUrl, role: 'worker', environment });
  const email = anEmail();
  const { client } = await aTeam(service);
  expect((await client.post('/users', { email })).status).toBe(201);
  await expect.poll(() => deaf.connections()).toBe(1);
  victim.child.kill('SIGKILL');

  await startObserved(databaseUrl, 'worker', { MAIL_URL: mailServer.url });
  await unlockJobsOfDeadWorkers(service.database);
  expect(mailsTo(email)).toEqual([]);
  await service.database.prisma.$executeRaw`
    update graphile_worker._private_jobs set locked_at = locked_at - interval '2 minutes' where locked_at is not null`;
  await unlockJobsOfDeadWorkers(service.database);
  await expect.poll(() => mailsTo(email)).toHaveLength(1);
});
