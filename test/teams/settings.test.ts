import { describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs, later } from '../../src/core/clock.ts';
import { limits, storageQuotas } from '../../src/core/limits.ts';
import { teamTimeZone } from '../../src/core/time-zone.ts';
import { createTeam } from '../../src/modules/teams/service.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { makeBrowser } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const appOf = async (team: TestTeam) => (await inTheApp(team, await aColleague(team, 'admin'))).team;
const changesOf = async (team: TestTeam) =>
  (await auditEntriesOn(service, team, team.id)).filter(({ action }) => action === 'team.changed');

describe('team.settings', () => {
  it('shows the settings and how much of the limits is used', async () => {
    const team = await aTeam(service, { name: 'Vertrieb', seats: 7, plan: 'enterprise', rateLimit: 900, members: 1 });
    const gone = await team.anActiveMember({ role: 'admin' });
    await team.anInvitedMember({ role: 'admin' });
    const app = await appOf(team);
    await team.client.delete(`/users/${gone.id}`);
    expect(await app.settings({})).toEqual({
      name: 'Vertrieb',
      language: 'de',
      plan: 'enterprise',
      status: 'active',
      has_api: true,
      has_directory: false,
      seats: { total: 7, taken: 4 },
      members: { owner: 1, admin: 2, member: 1 },
      rate_limit_per_min: 900,
      rate_limit_per_key: 120,
      invitations: { limit: 60, left: 59, resets_at: expect.stringMatching(/Z$/) },
      mails: { used: 1, max: 2_000, resets_at: expect.stringMatching(/T00:00:00.000Z$/) },
      storage: {
        stored: { used: 0, quota: storageQuotas.enterprise.stored },
        private_cases: { used: 0, quota: storageQuotas.enterprise.stored / 2, kept_days: 30 },
        answers: { used: 0, quota: storageQuotas.enterprise.answers },
      },
      privacy: { member_detail_enabled: true, leaderboard_enabled: true },
      reminders_enabled: false,
    });
    await team.change({ plan: 'basic' });
    expect(await app.settings({})).toMatchObject({ plan: 'basic', has_api: false });
  });

  it('shows how much storage is used of what the plan allows', async () => {
    const team = await aTeam(service);
    const app = await appOf(team);
    await team.client.post(
      '/cases',
      { user_id: team.owner.user_id, title: 'A case' },
      { headers: { 'Idempotency-Key': 'a key' } },
    );
    await service.platform.storage.written();
    const { storage } = await app.settings({});
    expect(storage.stored.used).toBeGreaterThan(512 + 'A case'.length);
    expect(storage.stored.used).toBeLessThan(700);
    expect(storage.stored.quota).toBe(storageQuotas.team.stored);
    expect(storage.answers.used).toBeGreaterThan(512);
    await team.change({ plan: 'basic' });
    expect((await app.settings({})).storage.stored.quota).toBe(storageQuotas.basic.stored);
  });

  it('has all invitations left before the first one and after the hour that it began', async () => {
    const team = await aTeam(service);
    const app = await appOf(team);
    const all = { limit: limits.invitationsPerHour, left: limits.invitationsPerHour, resets_at: null };
    expect((await app.settings({})).invitations).toEqual(all);
    const start = new Date('2026-12-01T08:00:00.000Z');
    service.clock.set(start);
    await team.anInvitedMember();
    const { left, resets_at } = (await app.settings({})).invitations;
    expect(left).toBe(limits.invitationsPerHour - 1);
    expect(Date.parse(resets_at ?? '') - start.getTime()).toBeGreaterThanOrEqual(hoursToMs(1));
    expect(Date.parse(resets_at ?? '') - start.getTime()).toBeLessThan(hoursToMs(1) + 5_000);
    service.clock.set(new Date(Date.parse(resets_at ?? '')));
    expect((await app.settings({})).invitations).toEqual(all);
    service.clock.set(new Date());
  });
});

describe('team.change', () => {
  it('changes name, language and automatic reminders, with the former and new values in the audit log', async () => {
    const team = await aTeam(service, { name: 'Before' });
    const admin = await aColleague(team, 'admin');
    const app = (await inTheApp(team, admin)).team;
    expect(await app.change({ name: '  Nach dem Umzug 🐎 ' })).toMatchObject({
      name: 'Nach dem Umzug 🐎',
      language: 'de',
    });
    expect(await app.change({ name: 'Nach dem Umzug 🐎', language: 'en' })).toMatchObject({ language: 'en' });
    expect(await app.change({ reminders_enabled: true })).toMatchObject({ reminders_enabled: true });
    expect(await changesOf(team)).toEqual([
      {
        action: 'team.changed',
        actor: ['person', admin.userId],
        data: { before: { name: 'Before' }, after: { name: 'Nach dem Umzug 🐎' } },
        requestId: null,
      },
      {
        action: 'team.changed',
        actor: ['person', admin.userId],
        data: { before: { language: 'de' }, after: { language: 'en' } },
        requestId: null,
      },
      {
        action: 'team.changed',
        actor: ['person', admin.userId],
        data: { before: { reminders_enabled: false }, after: { reminders_enabled: true } },
        requestId: null,
      },
    ]);
  });

  it('changes and audits nothing if the values are equal', async () => {
    const team = await aTeam(service, { name: 'Same' });
    const app = await appOf(team);
    const before = await app.settings({});
    expect(await app.change({})).toEqual(before);
    expect(await app.change({ name: 'Same', language: 'de' })).toEqual(before);
    expect(await app.setPrivacy({})).toEqual(before);
    expect(await app.setPrivacy({ leaderboard_enabled: true })).toEqual(before);
    expect(await changesOf(team)).toEqual([]);
  });

  it('accepts no other field', async () => {
    const app = await appOf(await aTeam(service));
    const free = { name: 'Free', plan: 'enterprise' };
    await expectRefusal(app.change(free), 'BAD_REQUEST');
  });
});

describe('team.setPrivacy', () => {
  it('switches what the API shows about people, at once', async () => {
    const team = await aTeam(service);
    const app = await appOf(team);
    expect((await team.client.get('/trainings')).status).toBe(200);
    expect(await app.setPrivacy({ member_detail_enabled: false })).toMatchObject({
      privacy: { member_detail_enabled: false, leaderboard_enabled: true },
    });
    expect(await team.client.get('/trainings')).toBeProblem('privacy_restricted');
    expect(await app.setPrivacy({ member_detail_enabled: true, leaderboard_enabled: false })).toMatchObject({
      privacy: { member_detail_enabled: true, leaderboard_enabled: false },
    });
    expect((await changesOf(team)).map(({ data }) => data)).toEqual([
      { before: { member_detail_enabled: true }, after: { member_detail_enabled: false } },
      {
        before: { member_detail_enabled: false, leaderboard_enabled: true },
        after: { member_detail_enabled: true, leaderboard_enabled: false },
      },
    ]);
  });
});

describe('the owner of a team', () => {
  it('can set a password by the link in the mail about the new team for as long as an invitation is valid', async () => {
    const email = anEmail('owner');
    await createTeam(service.platform, { kind: 'operator' }, { name: 'Nord', ownerEmail: email });
    const [mail] = await service.mailsTo(email);
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1];
    const browser = makeBrowser(service);
    const isValid = async () => (await browser.query('entrance/entrance.resetState', { token })).data['valid'];
    onTestFinished(() => service.clock.set(new Date()));
    service.clock.forward(daysToMs(limits.invitationDays) - hoursToMs(1));
    expect(await isValid()).toBe(true);
    service.clock.forward(hoursToMs(2));
    expect(await isValid()).toBe(false);
  });

  it.each([
    ['de', 'Das Team „Nord“ wurde beendet', 'de-DE'],
    ['en', 'The team “Nord” has ended', 'en-GB'],
  ] as const)(
    'is told in the language %s until when it can be resumed, each time that it ends',
    async (language, lead, locale) => {
      const team = await aTeam(service, { name: 'Nord', language, admins: 1 });
      const mails = async (email: string) =>
        (await service.mailsTo(email)).filter(({ kind }) => kind === 'team_ended').map(({ body }) => body.text);
      const sent = [];
      for (const status of ['suspended', 'ended', 'ended', 'active', 'ended'] as const) {
        await team.change({ status });
        sent.push((await mails(team.owner.email)).length);
      }
      expect(sent).toEqual([0, 1, 1, 1, 2]);
      const [text] = await mails(team.owner.email);
      const until = later(service.clock.now(), daysToMs(service.platform.teamDeletionDays));
      const day = until.toLocaleDateString(locale, {
        timeZone: teamTimeZone,
        day: 'numeric',
        month: 'long',
        year: 'numeric',
      });
      for (const words of [lead, day]) expect(text).toContain(words);
      expect(await mails(team.admins[0]?.email ?? '')).toEqual([]);
    },
  );
});
