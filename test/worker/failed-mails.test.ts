import { expect, it, onTestFinished } from 'vitest';
import { listFailedMails, retryFailedMails } from '../../src/modules/mail/service.ts';
import { mailer } from '../../src/worker/send-mail.ts';
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
  aWorker(service, { sendMail: mailer(mailUrl, 'The Team <team@example.com>') });

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
