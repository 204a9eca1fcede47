import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { lockRow } from '../../src/db/lock-row.ts';
import { makeMailer } from '../../src/worker/send-mail.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { readMail, useMailServer } from '../support/mail-server.ts';
import { holdRows } from '../support/postgres.ts';
import { anAssignment } from '../support/practice.ts';
import { testSecret, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { afterJobs, aWorker } from '../support/worker.ts';

const service = await useTestService({ own: true });
const { prisma } = service.database;
const mailServer = await useMailServer();

it('a worker that is killed between two members, and two others after it, send each member one automatic reminder', async () => {
  // A morning in Berlin.
  service.clock.set(new Date('2027-02-01T08:00:00Z'));
  service.clock.stop();
  onTestFinished(() => service.clock.set(new Date()));
  const now = service.clock.now();
  const team = await aTeam(service, { members: 3 });
  await team.change({ remindersEnabled: true });
  const given: { id: string; email: string }[] = [];
  for (const { id: memberId, email = '' } of team.members) {
    const createdAt = later(now, -daysToMs(7));
    const id = await anAssignment(service, team, { memberId, createdAt, dueDate: new Date('2027-02-03') });
    given.push({ id, email: email ?? '' });
  }
  const [first, second] = given;
  const mailsTo = async (email = '') => (await service.mailsTo(email)).length;

  // The worker waits for the assignment of the second member while it is killed.
  const letGo = await holdRows(service, async (tx) => {
    lockRow(tx, 'assignment', { tenantId: team.id, id: second?.id ?? '' });
    await tx.assignment.count({ where: { tenantId: team.id } });
  });
  const program = spawn(process.execPath, ['test/assignments/reminding-program.ts', now.toISOString()], {
    env: { PATH: process.env['PATH'], DATABASE_URL: service.databaseUrl, APP_SECRET: testSecret },
    stdio: 'ignore',
  });
  await expect.poll(() => mailsTo(first?.email)).toBe(1);
  program.kill('SIGKILL');
  await once(program, 'close');
  await letGo();
  expect(await mailsTo(second?.email)).toBe(0);

  for (let worker = 0; worker < 2; worker += 1) {
    await prisma.$executeRaw`select graphile_worker.add_job('remind_of_due_assignments')`;
    aWorker(service, { sendMail: makeMailer(mailServer.url, 'team@example.com'), scheduled: false });
  }
  const jobs = () => prisma.$queryRaw`select task_identifier from graphile_worker.jobs`;
  await afterJobs(service, async () => expect(await jobs()).toEqual([]));
  for (const { id, email } of given) {
    const received = mailServer.received.filter(({ to }) => to === email).map(({ raw }) => readMail(raw));
    expect(received).toHaveLength(1);
    expect(received[0]?.subject).toBe('Erinnerung an eine Aufgabe, fällig am 3. Februar 2027');
    expect(received[0]?.text).toContain(`assignment_id=${id}`);
    expect(await auditEntriesOn(service, team, id)).toHaveLength(1);
  }
});
