import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { unlockJobsOfDeadWorkers } from '../../src/worker/dead-workers.ts';
import { startServiceProcess } from '../support/api-process.ts';
import { eventually } from '../support/eventually.ts';
import { startObserved } from '../support/observed-service.ts';
import { startTestService, testSecret } from '../support/service.ts';
import { startMailServer } from '../support/smtp.ts';
import { anEmail, aTeam } from '../support/team.ts';

const [service, mailServer] = await Promise.all([startTestService({ own: true }), startMailServer()]);
afterAll(async () => {
  await Promise.all([service.close(), mailServer.close()]);
});

const mailsTo = (email: string) => mailServer.received.filter(({ to }) => to === email);

it('the jobs of a killed worker run again', async () => {
  const { databaseUrl } = service;
  const taken: Socket[] = [];
  const silent = createServer((socket) => void taken.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const deaf = `smtp://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  const ofWorker = (mailUrl: string) => ({ MAIL_URL: mailUrl, APP_SECRET: testSecret });

  const victim = await startServiceProcess({ databaseUrl, role: 'worker', environment: ofWorker(deaf) });
  const email = anEmail();
  const { client } = await aTeam(service);
  expect((await client.post('/users', { email })).status).toBe(201);
  await eventually(() => expect(taken).toHaveLength(1));
  victim.child.kill('SIGKILL');

  await startObserved(databaseUrl, 'worker', ofWorker(mailServer.url));
  await unlockJobsOfDeadWorkers(service.database, []);
  expect(mailsTo(email)).toEqual([]);
  await service.database.prisma.$executeRaw`
    update graphile_worker._private_jobs set locked_at = locked_at - interval '2 minutes' where locked_at is not null`;
  await unlockJobsOfDeadWorkers(service.database, []);
  await eventually(() => expect(mailsTo(email)).toHaveLength(1));

  for (const socket of taken) socket.destroy();
  silent.close();
});
