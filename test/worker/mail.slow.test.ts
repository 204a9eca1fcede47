import { describe, expect, it } from 'vitest';
import { makeVault, sha256 } from '../../src/core/crypto.ts';
import { resealMails, listMails } from '../../src/modules/mail/service.ts';
import { makeMailer, waitingMails } from '../../src/worker/send-mail.ts';
import type { PartQueues } from '../../src/worker/queue-runner.ts';
import { readMail, startMailServer, useMailServer } from '../support/mail-server.ts';
import { useTestService, testSecret } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { afterJobs, aWorker } from '../support/worker.ts';

const service = await useTestService({ own: true });
const mailServer = await useMailServer();

/** A worker for one test; `undefined` has no mail server. */
const aMailingWorker = (mailUrl: string | undefined): PartQueues =>
  aWorker(service, { sendMail: makeMailer(mailUrl, 'The Team <team@example.com>') });

const receivedBy = (email: string) => mailServer.received.filter(({ to }) => to === email);
const isReceivedBy = (email: string) => afterJobs(service, () => expect(receivedBy(email)).toHaveLength(1));
const kept = async (email: string) => {
  const [mail, ...more] = await service.mailsTo(email);
  expect(more).toEqual([]);
  return mail;
};
const jobs = () => service.database.prisma.$queryRaw<{ task_identifier: string; attempts: number }[]>`
  select task_identifier, attempts from graphile_worker.jobs where task_identifier = 'send_mail'`;
const noJobIsLeft = () => afterJobs(service, async () => expect(await jobs()).toEqual([]));
/** Moves the time forward to the queue’s next try. */
const hurry = () =>
  service.database.prisma.$executeRaw`update graphile_worker._private_jobs set run_at = now() where locked_at is null`;

describe('an invitation', () => {
  it.each<[language: 'de' | 'en', subject: string, action: string, until: RegExp]>([
    ['de', 'Einladung zum Üben von Verkaufsgesprächen', 'Einladung annehmen', /ist bis \d{1,2}\. \S+ \d{4}/],
    ['en', 'Invitation to practise sales conversations', 'Accept invitation', /valid until \d{1,2} \S+ \d{4}/],
  ])('is mailed in %s, with a link that is only in the mail', async (lang, subject, action, until) => {
    aMailingWorker(mailServer.url);
    const team = await aTeam(service, { name: 'Äpfel & <Birnen>' });
    const email = anEmail();
    const { body } = await team.client.post('/users', { email, lang });
    await isReceivedBy(email);
    const [received] = receivedBy(email);
    const mail = readMail(received?.raw ?? '');
    expect(mail).toMatchObject({ subject, to: email, from: 'The Team <team@example.com>' });
    expect(mail.text).toContain(action);
    expect(mail.text).toMatch(/[„“]Äpfel & <Birnen>[“”]/);
    expect(mail.text).toMatch(until);
    const [, token = ''] = /http:\/\/localhost:3000\/invitations\/([\w-]+)\s/.exec(mail.text) ?? [];
    const invitation = await service.database.prisma.invitation.findFirst({ where: { memberId: String(body['id']) } });
    expect(Buffer.from(invitation?.tokenHash ?? []).equals(sha256(token))).toBe(true);
    expect(invitation?.language).toBe(lang);
    expect(received?.raw).toContain('&lt;Birnen&gt;');
    await expect.poll(async () => (await kept(email))?.sentAt).toBeInstanceOf(Date);
  });

  it('does not wait behind all mails that another team has queued before', async () => {
    const [busy, other] = [await aTeam(service), await aTeam(service)];
    const many = Array.from({ length: 20 }, anEmail);
    for (const email of many) expect((await busy.client.post('/users', { email })).status).toBe(201);
    const email = anEmail();
    await other.client.post('/users', { email });
    // The queue starts jobs in this order. When each mail is received depends on the machine.
    const queued = await service.database.prisma.$queryRaw<{ recipient: string }[]>`
      select recipient from graphile_worker.jobs join mail on jobs.key = 'mail ' || mail.id
       order by priority, run_at, jobs.id`;
    expect(queued.map(({ recipient }) => recipient)).toEqual([many[0], email, ...many.slice(1)]);
    aMailingWorker(mailServer.url);
    await isReceivedBy(email);
    await noJobIsLeft();
    for (const recipient of many) expect(receivedBy(recipient)).toHaveLength(1);
  });

  it('is retried when the mail server refuses, with the same message id, and then never sent again', async () => {
    aMailingWorker(mailServer.url);
    const team = await aTeam(service);
    const email = anEmail();
    const before = mailServer.offered();
    mailServer.refuse(2);
    await team.client.post('/users', { email });
    await afterJobs(service, async () => {
      await hurry();
      expect(receivedBy(email)).toHaveLength(1);
    });
    expect(mailServer.offered() - before).toBe(3);
    await noJobIsLeft();
    const mail = await kept(email);
    expect(mail).toMatchObject({ error: null, sentAt: expect.any(Date) });
    expect(readMail(receivedBy(email)[0]?.raw ?? '').messageId).toBe(`<${mail?.id ?? ''}@team-customer-api>`);
  });

  it('waits for an unavailable mail server, with its error in the list of mails', async () => {
    const gone = await startMailServer();
    await gone.close();
    const worker = aMailingWorker(gone.url);
    const email = anEmail();
    await (await aTeam(service)).client.post('/users', { email });
    await afterJobs(service, async () => expect((await kept(email))?.error).toContain('ECONNREFUSED'));
    expect((await kept(email))?.sentAt).toBeNull();
    await worker.stop();
    aMailingWorker(mailServer.url);
    await hurry();
    await isReceivedBy(email);
  });

  it('is retried later if the mail server hangs, and does not block others forever', async () => {
    const email = anEmail();
    await (await aTeam(service)).client.post('/users', { email });
    const mailId = (await kept(email))?.id ?? '';
    const send = () => new Promise<void>(() => {});
    await expect(waitingMails(service.platform, send, { timeoutMs: 50 })(mailId)).rejects.toThrow('too long');
    expect(await kept(email)).toMatchObject({ sentAt: null, error: 'the mail server took too long' });
  });

  it('that was sent is not sent again because the database was unavailable for a moment', async () => {
    const email = anEmail();
    await (await aTeam(service)).client.post('/users', { email });
    const mailId = (await kept(email))?.id ?? '';
    const { prisma } = service.database;
    const refused = async () => {
      const [notes] = await prisma.$queryRaw<{ is_called: boolean }[]>`select is_called from refused_notes`;
      return notes?.is_called;
    };
    const comeBack = async () => {
      await expect.poll(refused).toBe(true);
      await prisma.$executeRaw`drop trigger away on mail`;
    };
    let sent = 0;
    let back: Promise<unknown> = Promise.resolve();
    const send = async () => {
      sent += 1;
      // A sequence counts even if its transaction is rolled back.
      await prisma.$executeRaw`create sequence refused_notes`;
      await prisma.$executeRawUnsafe(
        `create function away() returns trigger language plpgsql as $$
         begin perform nextval('refused_notes'); raise sqlstate '57P03'; end $$`,
      );
      await prisma.$executeRaw`create trigger away before update on mail for each row execute function away()`;
      back = comeBack();
    };
    const sendWaiting = waitingMails(service.platform, send);
    // The queue restarted before the record was written, so it starts the same job again.
    await Promise.all([sendWaiting(mailId), sendWaiting(mailId)]);
    await back;
    await sendWaiting(mailId);
    expect(sent).toBe(1);
    expect((await kept(email))?.sentAt).toBeInstanceOf(Date);
  });

  it('is mailed once by any number of workers', async () => {
    for (const _ of [1, 2, 3]) aMailingWorker(mailServer.url);
    const team = await aTeam(service);
    const emails = Array.from({ length: 30 }, () => anEmail());
    for (const email of emails) expect((await team.client.post('/users', { email })).status).toBe(201);
    await afterJobs(service, () => {
      for (const email of emails) expect(receivedBy(email)).toHaveLength(1);
    });
    await noJobIsLeft();
    for (const email of emails) expect(receivedBy(email)).toHaveLength(1);
  });

  it('that is rolled back sends no mail', async () => {
    aMailingWorker(mailServer.url);
    const { prisma } = service.database;
    const team = await aTeam(service, { seats: 2 });
    const [refused, failed, made] = [anEmail(), anEmail(), anEmail()];
    await prisma.$executeRawUnsafe(
      `create function sabotage() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    await prisma.$executeRawUnsafe(
      'create constraint trigger sabotage after insert on invitation deferrable initially deferred for each row execute function sabotage()',
    );
    expect(await team.client.post('/users', { email: failed })).toBeProblem('internal');
    await prisma.$executeRawUnsafe('drop trigger sabotage on invitation');
    expect((await team.client.post('/users', { email: made })).status).toBe(201);
    expect(await team.client.post('/users', { email: refused })).toBeProblem('seat_limit_reached');
    await isReceivedBy(made);
    await noJobIsLeft();
    expect([...receivedBy(refused), ...receivedBy(failed)]).toEqual([]);
    expect([await kept(refused), await kept(failed)]).toEqual([undefined, undefined]);
  });
});

describe('the message on the wire', () => {
  /** The header lines of a message, unfolded. */
  const headersOf = (raw: string): string[] =>
    (raw.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ').split('\r\n');

  const known = ['From', 'To', 'Subject', 'Message-ID', 'Date', 'MIME-Version', 'Content-Type', 'Auto-Submitted'];

  it('has no header and no recipient from a name that was stored with line breaks', async () => {
    aMailingWorker(mailServer.url);
    const team = await aTeam(service);
    const { prisma } = service.database;
    const name = 'Nord\r\nBcc: bystander@example.com\r\nX-Evil: 1\r\n\r\n.\r\nMAIL FROM:<x@example.com>';
    await prisma.team.update({ where: { id: team.id }, data: { name } });
    const email = anEmail();
    const before = mailServer.received.length;
    expect((await team.client.post('/users', { email })).status).toBe(201);
    await isReceivedBy(email);
    await noJobIsLeft();
    expect(mailServer.received.slice(before).map(({ to }) => to)).toEqual([email]);

    const raw = receivedBy(email)[0]?.raw ?? '';
    const headers = headersOf(raw);
    expect(headers.map((line) => line.slice(0, line.indexOf(':'))).toSorted()).toEqual(known.toSorted());
    expect(headers).toContain('Auto-Submitted: auto-generated');
    expect(headers).toContain(`To: ${email}`);
    expect(headers).toContain('From: The Team <team@example.com>');
    expect(raw).not.toMatch(/^(?:Bcc|X-Evil|MAIL FROM):/im);
    expect(readMail(raw).text).toContain('im Team „Nord Bcc: […] X-Evil: 1 . MAIL […]“ Verkaufsgespräche');
    expect(Buffer.byteLength(raw)).toBeLessThan(16 * 1024);
  });

  it('has one recipient for an address, with any characters', async () => {
    aMailingWorker(mailServer.url);
    const team = await aTeam(service);
    // The receiver shows the domain in Unicode; the message has it in ASCII.
    const addresses = {
      'info@xn--mnchen-3ya.example': 'info@münchen.example',
      'a&b/c=d@x.example': 'a&b/c=d@x.example',
    };
    const before = mailServer.received.length;
    for (const email of Object.keys(addresses)) {
      expect((await team.client.post('/users', { email })).status).toBe(201);
    }
    for (const shown of Object.values(addresses)) await isReceivedBy(shown);
    await noJobIsLeft();
    const received = mailServer.received.slice(before);
    expect(received.map(({ to }) => to).toSorted()).toEqual(Object.values(addresses).toSorted());
    for (const [email, shown] of Object.entries(addresses)) {
      expect(headersOf(receivedBy(shown)[0]?.raw ?? '')).toContain(`To: ${email}`);
    }
  });

  it('has an encoded display name of the operator if it is not ASCII, without line breaks', async () => {
    const send = makeMailer(mailServer.url, 'Team „Süd“\r\nBcc: bystander@example.com <team@example.com>');
    const team = await aTeam(service);
    const email = anEmail();
    await team.client.post('/users', { email });
    const [mail] = await service.mailsTo(email);
    const before = mailServer.received.length;
    if (mail) await send?.(mail).catch(() => undefined);
    for (const { raw, to } of mailServer.received.slice(before)) {
      expect(to).toBe(email);
      expect(raw).not.toMatch(/^Bcc:/im);
    }
  });
});

describe('without a mail server', () => {
  it('mails are stored, where an operator can read them with their links, newest first', async () => {
    aMailingWorker(undefined);
    const team = await aTeam(service);
    const emails = [anEmail(), anEmail()];
    for (const email of emails) await team.client.post('/users', { email, lang: 'en' });
    await noJobIsLeft();
    const [newest, older] = await listMails(service.platform, 2);
    expect([newest?.recipient, older?.recipient]).toEqual([emails[1], emails[0]]);
    expect(newest).toMatchObject({ sentAt: null, error: null, kind: 'invitation', language: 'en' });
    expect(newest?.body.text).toMatch(/http:\/\/localhost:3000\/invitations\/[\w-]{117}/);
  });

  it('they stay readable while the secret changes, and a lost one does not hide others', async () => {
    const team = await aTeam(service);
    const [lost, before, sent] = [anEmail(), anEmail(), anEmail()];
    for (const email of [lost, before, sent]) await team.client.post('/users', { email, lang: 'en' });
    const { prisma } = service.database;
    await prisma.mail.updateMany({ where: { recipient: sent }, data: { sentAt: new Date() } });
    await prisma.mail.updateMany({ where: { recipient: lost }, data: { body: Buffer.from('what nobody sealed') } });
    const { id: lostId } = await prisma.mail.findFirstOrThrow({ where: { recipient: lost } });
    const waiting = await prisma.mail.count({ where: { sentAt: null } });

    const inUse = 'a secret that came into use later';
    const under = (...secrets: [string, ...string[]]) => ({ ...service.platform, vault: makeVault(secrets) });
    const done = await resealMails(under(inUse, testSecret));
    expect(done).toEqual({ resealed: waiting - 1, left: 0, lost: 1, lostIds: [lostId] });
    const mails = await listMails(under(inUse), 3);
    expect(mails.map(({ recipient }) => recipient)).toEqual([sent, before, lost]);
    expect(mails.map(({ body }) => body.subject)).toEqual([
      '(unreadable)',
      expect.stringContaining('Invitation'),
      '(unreadable)',
    ]);
    await resealMails(under(testSecret, inUse));
  });

  it('they are encrypted, because a link admits its bearer', async () => {
    const team = await aTeam(service);
    const email = anEmail();
    await team.client.post('/users', { email });
    const row = await service.database.prisma.mail.findFirst({ where: { recipient: email } });
    expect(Buffer.from(row?.body ?? []).includes('invitations')).toBe(false);
  });
});
