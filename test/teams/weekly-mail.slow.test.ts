import { expect, it, onTestFinished } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeMailer } from '../../src/worker/send-mail.ts';
import { inTheApp } from '../support/app-caller.ts';
import { readMail, useMailServer } from '../support/mail-server.ts';
import { anAssignment } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { afterJobs, aWorker } from '../support/worker.ts';

const service = await useTestService({ own: true });
const { prisma } = service.database;
const mailServer = await useMailServer();

it('the weekly mail is sent once by two workers, and mail programs can end it with one click (RFC 8058), no other mail', async () => {
  // A Monday morning in Berlin.
  service.clock.set(new Date('2027-02-01T08:00:00Z'));
  service.clock.stop();
  onTestFinished(() => service.clock.set(new Date()));
  const team = await aTeam(service, { members: 1 });
  await team.change({ remindersEnabled: true });
  const [member] = team.members;
  const createdAt = later(service.clock.now(), -daysToMs(30));
  await anAssignment(service, team, { memberId: member?.id ?? '', dueDate: new Date('2027-01-31'), createdAt });
  await (await inTheApp(team)).overview.setWeeklyMail({ wanted: true });
  for (let worker = 0; worker < 2; worker += 1) {
    for (const task of ['send_weekly_mails', 'remind_of_due_assignments']) {
      await prisma.$executeRaw`select graphile_worker.add_job(${task})`;
    }
    aWorker(service, { sendMail: makeMailer(mailServer.url, 'team@example.com'), scheduled: false });
  }
  const jobs = () => prisma.$queryRaw`select task_identifier from graphile_worker.jobs`;
  await afterJobs(service, async () => expect(await jobs()).toEqual([]));

  const rawTo = (email: string | null | undefined) => mailServer.received.filter(({ to }) => to === email);
  const [weekly, ...more] = rawTo(team.owner.email);
  expect(more).toEqual([]);
  const unfolded = weekly?.raw.replaceAll(/\r\n[ \t]+/g, ' ') ?? '';
  const [, address = ''] = /^List-Unsubscribe: <(\S+)>\r$/m.exec(unfolded) ?? [];
  expect(unfolded).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  expect(readMail(weekly?.raw ?? '').text).toContain(address);
  const [reminder, ...others] = rawTo(member?.email);
  expect(others).toEqual([]);
  expect(reminder?.raw).not.toMatch(/^List-/m);

  const post = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
  expect((await fetch(`${service.origin}${new URL(address).pathname}`, post)).status).toBe(200);
  expect(await (await inTheApp(team)).overview.weeklyMail({})).toEqual({ wanted: false });
});
