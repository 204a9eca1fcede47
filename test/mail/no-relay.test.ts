import { beforeAll, describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { languages, type Language } from '../../src/core/language.ts';
import { mayBecomeLink } from '../../src/core/name-text.ts';
import { mailCalledOff, mailUnready } from '../../src/modules/company-sign-in/mails.ts';
import { demandSignIn } from '../../src/modules/company-sign-in/service.ts';
import { warnOfExpiringKeys } from '../../src/modules/keys/expiry.ts';
import { reportKey } from '../../src/modules/keys/reports.ts';
import { mailKinds } from '../../src/modules/mail/template.ts';
import type { Mail } from '../../src/modules/mail/service.ts';
import { mailNewOwner, mailOwnerOfEndedTeam } from '../../src/modules/teams/mails.ts';
import { boundWaiting } from '../../src/modules/webhooks/waiting-cap.ts';
import { notifyTeam } from '../../src/modules/versions/service.ts';
import { sendWeeklyMails } from '../../src/modules/overview/weekly-mail.ts';
import { tendEndpoints } from '../../src/modules/webhooks/failing-endpoints.ts';
import { inLockedTeam } from '../../src/platform/team-row.ts';
import { inTheApp } from '../support/app-caller.ts';
import { aCombination } from '../support/practice.ts';
import { anAuthenticator } from '../support/authenticators.ts';
import { makeBrowser, aSignedInPerson } from '../support/people.ts';
import { anEndpointAt, anEvent } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

describe('people who have not accepted', () => {
  it('get no link for a new password', async () => {
    const team = await aTeam(service);
    const { email } = await team.anInvitedMember();
    await makeBrowser(service).mutate('entrance/entrance.requestReset', { email });
    expect((await service.mailsTo(email ?? '')).map(({ kind }) => kind)).toEqual(['invitation']);
  });

  it('get no mail about a changed assignment, an endpoint or a hand-over', async () => {
    const team = await aTeam(service, { members: 1 });
    const { id, email } = await team.anInvitedMember({ role: 'admin' });
    const { assigning, members } = await inTheApp(team);
    const { data } = await assigning.create({
      member_ids: [id],
      title: 'Practise',
      ...(await aCombination(service)),
    });
    await assigning.change({ assignment_id: data[0]?.id ?? '', title: 'Visit www.evil.example' });
    await silence(team);
    await members.handOver({ member_id: team.members[0]?.id ?? '' });
    expect((await service.mailsTo(email ?? '')).map(({ kind }) => kind)).toEqual(['invitation']);
  });
});

/**
 * An endpoint of the team that has failed for so long that its admins get a mail, with the error of its last failure.
 */
const silence = async (team: TestTeam, since = daysToMs(3), error = 'The connection was refused.') => {
  const { id } = await anEndpointAt(service, team, 'https://evil-hooks.example.com/visit-me');
  await service.database.prisma.webhookEndpoint.update({
    where: { tenantId_id: { tenantId: team.id, id } },
    data: { failingSince: later(service.clock.now(), -since) },
  });
  await anEvent(service, team);
  await service.database.prisma.webhookDelivery.updateMany({
    where: { endpointId: id },
    data: { status: 'failed', attempt: 1, scheduled: 1, error },
  });
  await tendEndpoints(service.platform, (problem) => expect(problem).toBeUndefined());
};

/** Part of every text that callers write: it shows where such a text appears in a mail. */
const mark = 'ZZMARK';
const hostile = `${mark}\r\nBcc: all@victim.example\r\n\r\n“ Visit https://evil.example, evil.com or www.evil.example \u202e now`;

/** The weekly mail to the owner: an assignment is overdue, and nobody has practised. */
const weeklyMailOf = async ({ id: tenantId, owner }: TestTeam): Promise<void> => {
  const { prisma } = service.database;
  await prisma.assignment.updateMany({ where: { tenantId }, data: { dueDate: new Date('2026-01-02') } });
  await prisma.member.updateMany({ where: { tenantId, id: owner.member_id }, data: { weeklyMail: true } });
  const monday = { now: () => new Date('2027-02-01T11:00:00Z') };
  await sendWeeklyMails({ ...service.platform, clock: monday }, (error) => expect(error).toBeUndefined());
};

interface Sent {
  mails: Mail[];
  tenantId: string;
  /** The languages of the people who get them, by their addresses. */
  languageOf: ReadonlyMap<string, Language>;
}

/**
 * Every kind of mail, with the most hostile texts of callers that the database may contain. The owner and the team have
 * one language, the admin who becomes the owner the other one.
 */
const oneOfEachKind = async (language: Language): Promise<Sent> => {
  const team = await aTeam(service, { language });
  const other = language === 'de' ? 'en' : 'de';
  const person = await aSignedInPerson(service, team, { name: 'Mia Berg', role: 'admin' });
  const { prisma } = service.database;
  // In the form that was stored before there were rules for names.
  await prisma.team.update({ where: { id: team.id }, data: { name: hostile } });
  const languageOf = new Map([[team.owner.email, language] as const, [person.email, other] as const]);
  for (const [email, own] of languageOf) {
    await prisma.person.updateMany({ where: { email }, data: { name: hostile, language: own } });
  }

  const { assigning, members } = await inTheApp(team);
  const invited = await team.anInvitedMember();
  const { data: given } = await assigning.create({
    member_ids: [person.memberId],
    title: hostile.slice(0, 120),
    ...(await aCombination(service)),
  });
  await assigning.remindMany({ assignment_ids: given.map(({ id }) => id) });
  await silence(team, daysToMs(2), hostile);
  await silence(team, daysToMs(3), hostile);
  await boundWaiting(service.platform, 0);
  await prisma.apiKey.updateMany({
    where: { tenantId: team.id },
    data: { name: hostile, lastUsedAt: service.clock.now(), expiresAt: later(service.clock.now(), daysToMs(2)) },
  });
  await warnOfExpiringKeys(service.platform, (error) => expect(error).toBeUndefined());
  await reportKey(service.platform, team.client.key ?? '');
  const retirement = { deprecatedAt: new Date('2027-01-31'), sunsetAt: new Date('2028-01-31') };
  await notifyTeam(service.platform, { version: 'v1', retirement }, team.id);
  await members.handOver({ member_id: person.memberId });
  const acting = await team.acting();
  const { id } = await prisma.person.findUniqueOrThrow({ where: { email: person.email } });
  await service.database.transaction(async (tx) => {
    await mailNewOwner(tx, acting, hostile, { id, email: person.email, language: other });
    await mailOwnerOfEndedTeam(tx, acting, { teamName: hostile, endedAt: service.clock.now() });
  });
  const { data: question } = await person.browser.mutate('entrance/account.newPasskeyQuestion');
  const passkey = { name: hostile.slice(0, 6), passkey: anAuthenticator().create(question) };
  expect((await person.browser.mutate('entrance/account.addPasskey', passkey)).status).toBe(200);
  await makeBrowser(service).mutate('entrance/entrance.requestReset', { email: person.email });
  const from = later(service.clock.now(), daysToMs(7));
  await demandSignIn(acting, { demand: 'second_factor', from }, 'operator');
  await demandSignIn(acting, { demand: 'none' }, 'operator');
  const since = service.clock.now();
  await inLockedTeam(acting, (tx, locked) => mailUnready(tx, locked, { demand: 'company', from: undefined, since }));
  await inLockedTeam(acting, (tx, locked) => mailCalledOff(tx, locked, { demand: 'company', since: later(since, 1) }));
  await weeklyMailOf(team);
  languageOf.set(invited.email ?? '', language);
  const mails = await Promise.all([...languageOf.keys()].map((email) => service.mailsTo(email)));
  return { mails: mails.flat(), tenantId: team.id, languageOf };
};

/** Mails about a person’s own account, which contain no text of a caller. */
const aboutAccounts = new Set(['password_reset', 'passkeys_changed']);

/** Mails that lead to a page without a team: of the provider, or of the documentation. */
const beyondTeams = new Set([...aboutAccounts, 'company_account_demanded', 'api_version_deprecated']);

/** A mail’s text without our own link. */
const withoutOurLink = (text: string) => text.replaceAll(/^ *http:\/\/localhost:3000\/\S+$/gm, '');

/** The weekly mail also has the overdue person, two who have not practised, a link below each, and one that ends it. */
const linksIn = (kind: string): number => (kind === 'weekly_summary' ? 7 : 1);

describe.each(languages)('every kind of mail of a team whose language is %s', (language) => {
  let mails: Mail[];
  let sent: Sent;
  beforeAll(async () => {
    sent = await oneOfEachKind(language);
    ({ mails } = sent);
  });

  it('is in the list of this test', () => {
    expect(new Set(mails.map(({ kind }) => kind))).toEqual(new Set(Object.keys(mailKinds)));
  });

  it('is in the language of its reader, and not in that of the team or of another reader', () => {
    for (const { kind, recipient, language: written, body } of mails) {
      expect(written, kind).toBe(sent.languageOf.get(recipient));
      expect(body.html, kind).toContain(`<html lang="${written}">`);
      expect(/\b(?:the|you|your)\b/i.test(body.text), body.text).toBe(written === 'en');
    }
  });

  it('leads into its team, whichever the reader had open last', () => {
    for (const { kind, body } of mails) {
      const links = [...body.text.matchAll(/^ *(http:\S+)$/gm)].map(([, link = '']) => new URL(link));
      const isOfTeam = ({ pathname, searchParams }: URL) =>
        searchParams.get('team') === sent.tenantId || pathname.includes(sent.tenantId);
      expect(links, kind).not.toHaveLength(0);
      if (!beyondTeams.has(kind)) expect(links.filter((link) => !isOfTeam(link)).map(String), kind).toEqual([]);
    }
  });

  it.each(Object.entries(mailKinds))('has the same subject, whatever callers write: %s', (kind, { subject }) => {
    const found = mails.filter((mail) => mail.kind === kind);
    expect(found.length).toBeGreaterThan(0);
    for (const mail of found) expect(mail.body.subject).toBe(subject[mail.language]);
  });

  it('has one link, or those of its parts, which are ours, and nothing else that a mail program would turn into a link', () => {
    for (const { body, kind } of mails) {
      const lines = withoutOurLink(body.text);
      expect(body.text.match(/http:\/\/localhost:3000\//g), kind).toHaveLength(linksIn(kind));
      expect(mayBecomeLink(lines), lines).toBe(false);
      expect(body.html.match(/<a /g), kind).toHaveLength(linksIn(kind));
      const seen = body.html
        .replaceAll(/<a href="http:\/\/localhost:3000\/[^"]*"(?: style="[^"]*")?>/g, '')
        .replaceAll(/<[^>]*>/g, ' ');
      expect(mayBecomeLink(seen), seen).toBe(false);
      expect(body.html).not.toMatch(/evil\.|victim\./);
    }
  });

  it('quotes callers’ texts in one line, shortened, so that they can not look like the mail’s own text', () => {
    for (const { body, kind } of mails) {
      // Four paragraphs: lead, the link’s text, the link, and an ending. One mail has a list, here of the team’s one
      // key. The weekly one has two parts with headings, and six more links, each with its text.
      const lines = { api_version_deprecated: 5, weekly_summary: 4 + 2 + 2 * 6 }[kind] ?? 4;
      expect(
        body.text
          .trim()
          .split('\n')
          .filter((line) => line !== ''),
        kind,
      ).toHaveLength(lines);
      expect(body.text).not.toMatch(/[\u202e\r]/);
      if (!aboutAccounts.has(kind)) expect(body.text).toContain(mark);
      expect(body.text.length + body.html.length).toBeLessThan(8_000);
    }
  });
});
