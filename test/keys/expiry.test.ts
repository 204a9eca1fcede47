import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs, later } from '../../src/core/clock.ts';
import { teamTimeZone } from '../../src/core/time-zone.ts';
import { mailLimits } from '../../src/core/limits.ts';
import { queueMails } from '../../src/modules/mail/service.ts';
import { withSql } from '../support/postgres.ts';
import { warnOfExpiringKeys } from '../../src/modules/keys/expiry.ts';
import { keyRight } from '../../src/modules/keys/schema.ts';
import { revokeKey, rotateKey } from '../../src/modules/keys/service.ts';
import { aPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
beforeEach(() => service.clock.set(new Date()));

const inDays = (count: number): Date => later(service.clock.now(), daysToMs(count));
const throwing = (error: unknown) => {
  throw error;
};
const warn = (platform = service.platform, complain: (error: unknown, tenantId: string) => void = throwing) =>
  warnOfExpiringKeys(platform, complain);
const mailsTo = async (email: string) =>
  (await service.mailsTo(email)).filter(({ kind }) => kind === 'keys_expiring').toReversed();
const textsTo = async ({ owner }: TestTeam) => (await mailsTo(owner.email)).map(({ body }) => body.text);

describe('a key that is about to expire', () => {
  it('is in a mail 14 days before and in another one 3 days before, and in no others', async () => {
    const team = await aTeam(service);
    const expiresAt = inDays(20);
    await team.aKey({ expiresAt });
    const sent: number[] = [];
    for (let left = 20; left >= 0; left -= 1) {
      service.clock.set(later(expiresAt, hoursToMs(1) - daysToMs(left)));
      await Promise.all([warn(), warn()]);
      if ((await textsTo(team)).length > sent.length) sent.push(left);
    }
    expect(sent).toEqual([14, 3]);
    expect(await textsTo(team)).toHaveLength(2);
  });

  it('that has 3 days left when it is found first is in one mail', async () => {
    const team = await aTeam(service);
    await team.aKey({ expiresAt: inDays(2) });
    await warn();
    await warn();
    expect(await textsTo(team)).toHaveLength(1);
  });

  it('is mailed to the owner, the admins and its creator, each in their language, and to nobody else', async () => {
    const team = await aTeam(service, { name: 'Nordlicht', language: 'en' });
    const admin = await aPerson(team, { role: 'admin' });
    const maker = await aPerson(team, { role: 'admin', rights: [keyRight] });
    const other = await aPerson(team);
    await service.database.prisma.person.update({ where: { email: admin.email }, data: { language: 'de' } });
    const expiresAt = new Date('2027-01-31T11:30:00Z');
    service.clock.set(later(expiresAt, -daysToMs(10)));
    await team.aKey({ by: maker.memberId, expiresAt });
    await team.aKey({ expiresAt });
    // Only admins can create keys, but the creator may have another role later.
    await team.client.patch(`/users/${maker.memberId}`, { role: 'member' });
    await warn();

    const [german] = await mailsTo(admin.email);
    expect(german).toMatchObject({ language: 'de', body: { subject: 'API-Schlüssel laufen ab' } });
    expect(german?.body.text).toMatch(
      /^2 API-Schlüssel des Teams „Nordlicht“ laufen bald ab: „test“ \(svck_live_\w{12}…\) am 31\. Januar 2027 um 12:30; „test“ /,
    );
    const [english] = await mailsTo(team.owner.email);
    expect(english?.body.text).toMatch(/^2 API keys of the team “Nordlicht” expire soon: “test” /);
    const [own, ...more] = await mailsTo(maker.email);
    expect(more).toEqual([]);
    expect(own?.body.text).toMatch(
      /^An API key of the team “Nordlicht” expires soon: “test” \(svck_live_\w{12}…\) on 31 January 2027 at 12:30\.\n/,
    );
    expect(own?.body.text).toContain(`/keys?team=${team.id}`);
    expect(await mailsTo(other.email)).toEqual([]);
  });

  it('is in no mail once it is revoked or replaced, nor to a creator who has left', async () => {
    const team = await aTeam(service);
    const maker = await aPerson(team, { role: 'admin', rights: [keyRight] });
    await aPerson(team, { role: 'admin' });
    const [revoked, replaced] = [await team.aKey({ expiresAt: inDays(5) }), await team.aKey({ expiresAt: inDays(5) })];
    await revokeKey(await team.acting(), revoked.id);
    const next = await rotateKey(await team.acting(), replaced.id, { graceSeconds: 86_400 });
    await revokeKey(await team.acting(), next.keyId);
    await warn();
    expect(await textsTo(team)).toEqual([]);
    await team.aKey({ by: maker.memberId, expiresAt: inDays(5) });
    await team.client.delete(`/users/${maker.memberId}`);
    await warn();
    expect(await textsTo(team)).toHaveLength(1);
    expect(await mailsTo(maker.email)).toEqual([]);
  });

  it.each([{ status: 'suspended' }, { plan: 'basic' }] as const)(
    'of a team that can not use the API is in a mail once it can again: %j',
    async (change) => {
      const team = await aTeam(service);
      await team.aKey({ expiresAt: inDays(5) });
      await team.change(change);
      await warn();
      expect(await textsTo(team)).toEqual([]);
      await team.change({ status: 'active', plan: 'team' });
      await warn();
      expect(await textsTo(team)).toHaveLength(1);
    },
  );

  it('is in a mail of the next day if the team has used up its mails, to everybody once', async () => {
    const team = await aTeam(service);
    const admin = await aPerson(team, { role: 'admin' });
    await team.aKey({ expiresAt: inDays(2.5) });
    // Enough for one of two mails.
    const used = mailLimits.noticesPerTeam - 1;
    const window = { subject: `notices of ${team.id}`, endsAt: later(service.clock.now(), daysToMs(1)), used };
    await service.database.prisma.rateWindow.create({ data: window });
    await warn();
    await warn();
    expect(await textsTo(team)).toEqual([]);
    expect(await mailsTo(admin.email)).toEqual([]);
    service.clock.forward(daysToMs(1));
    await warn();
    await warn();
    expect(await textsTo(team)).toHaveLength(1);
    expect(await mailsTo(admin.email)).toHaveLength(1);
  });

  it('is mailed to the others if one of them got too many mails, and the next day if all did', async () => {
    const team = await aTeam(service);
    const admin = await aPerson(team, { role: 'admin' });
    const got = async (...recipients: string[]) => {
      const mail = { language: 'de', kind: 'team_received', content: { subject: 'x', text: 'x', html: '' } } as const;
      const length = mailLimits.perRecipient.notice;
      const many = recipients.flatMap((recipient) => Array.from({ length }, () => ({ ...mail, recipient })));
      await service.database.transaction((tx) => queueMails(tx, { platform: service.platform, id: team.id }, many));
    };
    await got(admin.email);
    await team.aKey({ expiresAt: inDays(5) });
    await warn();
    await warn();
    expect(await textsTo(team)).toHaveLength(1);
    await got(team.owner.email);
    await team.aKey({ expiresAt: inDays(5) });
    await warn();
    expect(await textsTo(team)).toHaveLength(1);
    service.clock.forward(daysToMs(1));
    await warn();
    expect(await textsTo(team)).toHaveLength(2);
    expect(await mailsTo(admin.email)).toHaveLength(1);
  });

  it('is in a mail although an earlier team’s mail failed, and that team’s key the next time', async () => {
    const [broken, team] = [await aTeam(service), await aTeam(service)];
    const key = await broken.aKey({ expiresAt: inDays(5) });
    await team.aKey({ expiresAt: inDays(5) });
    expect(broken.id < team.id).toBe(true);
    const database = service.database.openAnother({ poolSize: 4, lockWaitMs: 100 });
    onTestFinished(() => database.close());
    const failed: [error: unknown, tenantId: string][] = [];
    await withSql(service, async (sql) => {
      await sql.query('begin');
      await sql.query('select from api_key where tenant_id = $1 and id = $2 for update', [broken.id, key.id]);
      await warn({ ...service.platform, database }, (...what) => failed.push(what));
      await sql.query('rollback');
    });
    expect(failed).toEqual([[expect.objectContaining({ message: expect.stringMatching(/lock timeout/) }), broken.id]]);
    expect(await textsTo(broken)).toEqual([]);
    expect(await textsTo(team)).toHaveLength(1);
    await warn();
    expect(await textsTo(broken)).toHaveLength(1);
  });

  it.each([
    ['de', 'und 2 weitere.', /am \d+\. \S+ \d+ um/g, 'API-Schlüssel ansehen'],
    ['en', 'and 2 more.', /on \d+ \S+ \d+ at/g, 'View API keys'],
  ] as const)(
    'is one of the first ten in a mail, those that expire first, with the number of the others (%s)',
    async (language, others, times, action) => {
      const team = await aTeam(service, { language });
      for (let made = 0; made < 12; made += 1) await team.aKey({ expiresAt: inDays(13 - made) });
      await warn();
      const [text = ''] = await textsTo(team);
      expect(text).toContain(others);
      expect(text).toContain(action);
      const days = [...text.matchAll(times)].map(([written]) => Number(/\d+/.exec(written)?.[0]));
      const first = inDays(2);
      // Mails name the days of the team's time zone, where the next one may have begun.
      const dayOf = (time: Date) => Number(time.toLocaleDateString('en', { timeZone: teamTimeZone, day: 'numeric' }));
      const following = Array.from({ length: 10 }, (_, at) => dayOf(later(first, daysToMs(at))));
      expect(days).toEqual(following);
    },
  );

  it('alone is in a mail about one key, which says what follows', async () => {
    const team = await aTeam(service, { name: 'Süd' });
    await team.aKey({ expiresAt: inDays(5) });
    await warn();
    const [text] = await textsTo(team);
    expect(text).toMatch(/^Ein API-Schlüssel des Teams „Süd“ läuft bald ab: „test“ /);
    expect(text).toContain('Nach dem Ablauf werden Anfragen mit dem Schlüssel abgelehnt.');
  });
});
