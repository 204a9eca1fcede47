import { expect, it, onTestFinished } from 'vitest';
import {
  listFailedMails,
  mailFlags,
  noteMailFailed,
  noteMailSent,
  retryFailedMails,
} from '../../src/modules/mail/service.ts';
import { JobLimits } from '../../src/worker/job-limits.ts';
import { makeMailer, waitingMails } from '../../src/worker/send-mail.ts';
import { makeCli } from '../cli/cli.ts';
import { FailedMails } from '../cli/shapes.ts';
import { testSecret, useTestService } from '../support/service.ts';
import { startMailServer } from '../support/mail-server.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { afterJobs, aWorker } from '../support/worker.ts';

const service = await useTestService({ own: true });

const cli = () => makeCli({ DATABASE_URL: service.databaseUrl, APP_SECRET: testSecret });
const failedMails = () => cli().json(FailedMails, ['mail', 'list', '--failed']);

const aMailingWorker = (mailUrl: string) =>
  aWorker(service, { sendMail: makeMailer(mailUrl, 'The Team <team@example.com>') });

it('an operator sees which mails failed, when, why and how often, and can send them again', async () => {
  const email = anEmail('unreached');
  const team = await aTeam(service);
  // No server listens there.
  const worker = aMailingWorker('smtp://127.0.0.1:9');
  await team.anInvitedMember({ email });
  await afterJobs(service, async () => {
    expect((await service.mailsTo(email))[0]).toMatchObject({ error: expect.any(String), sentAt: null });
  });
  await worker.stop();
  const [failed, ...more] = await failedMails();
  expect(more).toEqual([]);
  expect(failed?.tries).toBeGreaterThanOrEqual(1);
  expect(failed).toMatchObject({
    recipient: email,
    kind: 'invitation',
    tenant_id: team.id,
    subject: 'Einladung zum Üben von Verkaufsgesprächen',
    error: expect.stringContaining('ECONNREFUSED'),
    failed_at: expect.any(String),
    next_try_at: expect.any(String),
  });
  const read = await cli().run(['mail', 'list', '--failed']);
  expect(read.stdout).toContain(email);
  expect(read.stdout).toContain('ECONNREFUSED');

  // All of its tries are used up.
  await service.database.prisma.$executeRaw`
    update graphile_worker._private_jobs set attempts = max_attempts where key = ${`mail ${failed?.id}`}`;
  expect(await listFailedMails(service.platform, 10)).toMatchObject([{ nextTryAt: null }]);

  const mailServer = await startMailServer();
  onTestFinished(() => mailServer.close());
  aMailingWorker(mailServer.url);
  const retried = await cli().run(['mail', 'retry', '--mail', String(failed?.id), '--json']);
  expect([retried.exitCode, JSON.parse(retried.stdout)]).toEqual([0, { retried: 1 }]);
  await afterJobs(service, () => expect(mailServer.received.filter(({ to }) => to === email)).toHaveLength(1));
  await afterJobs(service, async () => expect((await service.mailsTo(email))[0]?.sentAt).not.toBeNull());
  expect(await listFailedMails(service.platform, 10)).toEqual([]);
  await expect(retryFailedMails(service.platform, failed?.id)).rejects.toMatchObject({ code: 'conflict' });
});

/** Mails to people who are invited, the oldest first, and no jobs that send them. */
const mailsWithoutJobs = async (count: number) => {
  const team = await aTeam(service, { seats: 20 });
  const emails = Array.from({ length: count }, () => anEmail('waiting'));
  for (const email of emails) await team.anInvitedMember({ email });
  await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;
  const mails = await Promise.all(emails.map(async (email) => (await service.mailsTo(email))[0]));
  return { team, ids: mails.map((mail) => mail?.id ?? '') };
};

const jobsOfMails = () => service.database.prisma.$queryRaw<{ key: string; priority: number; waits: boolean }[]>`
  select key, priority, run_at > now() as waits from graphile_worker.jobs where key like 'mail %' order by key`;

const mailNow = (id: string) => service.database.prisma.mail.findUniqueOrThrow({ where: { id } });

it('a retry without an id sends all failed mails again, and no others; the list has the newest first', async () => {
  const { platform } = service;
  const { ids } = await mailsWithoutJobs(4);
  const [first = '', second = '', sent = ''] = ids;
  for (const id of [second, first, sent]) await noteMailFailed(platform, id, 'refused');
  await noteMailSent(platform, sent);
  expect((await failedMails()).map(({ id }) => id)).toEqual([second, first]);
  expect((await cli().json(FailedMails, ['mail', 'list', '--failed', '--limit', '1'])).map(({ id }) => id)).toEqual([
    second,
  ]);
  const { stdout } = await cli().run(['mail', 'retry', '--json']);
  expect(JSON.parse(stdout)).toEqual({ retried: 2 });
  expect((await jobsOfMails()).map(({ key }) => key)).toEqual([first, second].map((id) => `mail ${id}`).toSorted());
  await expect(retryFailedMails(platform, 'no id')).rejects.toMatchObject({ code: 'not_found' });
  for (const id of [first, second]) await noteMailSent(platform, id);
});

it('why a mail failed is kept in a form that can be stored, shortened, with the number of tries, until it is sent', async () => {
  const { platform } = service;
  const [id = ''] = (await mailsWithoutJobs(1)).ids;
  for (const _ of [1, 2]) await noteMailFailed(platform, id, `\u0000${'x'.repeat(2_000)}`);
  const failed = await mailNow(id);
  expect(failed).toMatchObject({ tries: 2, failedAt: expect.any(Date), sentAt: null });
  expect(failed.error).toMatch(/x{900}/);
  expect(failed.error?.length).toBe(1_000);
  await noteMailSent(platform, id);
  expect(await mailNow(id)).toMatchObject({ tries: 2, error: null, failedAt: null, sentAt: expect.any(Date) });
});

it('a mail waits a moment while enough mails of its team are sent, and keeps its place in line', async () => {
  const { team, ids } = await mailsWithoutJobs(1);
  const [id = ''] = ids;
  const limits = new JobLimits();
  const flags = mailFlags({ tenantId: team.id, recipient: 'somebody@elsewhere.example' });
  const releases = [limits.hold(flags), limits.hold(flags)];
  const sent: string[] = [];
  const sendWaiting = waitingMails(service.platform, async (mail) => void sent.push(mail.id), { limits });
  await sendWaiting(id, 7);
  expect(sent).toEqual([]);
  expect(await jobsOfMails()).toMatchObject([{ key: `mail ${id}`, priority: 7 }]);
  expect(await mailNow(id)).toMatchObject({ tries: 0, error: null, sentAt: null });
  for (const release of releases) release();
  await Promise.all([sendWaiting(id, 7), sendWaiting(id, 7)]);
  await sendWaiting(id, 7);
  expect(sent).toEqual([id]);
  expect((await mailNow(id)).sentAt).not.toBeNull();
  expect(limits.isFull(flags)).toBe(false);
});
