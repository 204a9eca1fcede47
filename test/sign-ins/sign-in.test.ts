import { describe, expect, it } from 'vitest';
import { makeBrowser, aPerson, aSignedInPerson, testPassword } from '../support/people.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { useTestService } from '../support/service.ts';

const environment = { SIGN_IN_RATE_PER_MIN: '100000' };
const service = await useTestService({ environment });
const secure = await useTestService({ environment, publicUrl: 'https://app.example.com' });

const sessionsOf = (email: string, { database } = service) =>
  database.prisma.session.findMany({ where: { person: { email } } });

describe('the session’s cookie', () => {
  it('is inaccessible to scripts and other sites', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    const browser = makeBrowser(service);
    expect((await browser.signIn(email, testPassword)).data).toEqual({ next: 'signed_in' });
    expect(browser.lastSet()).toEqual([
      expect.stringMatching(/^team\.session_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^team\.known_browser=[^;]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('is sent only over HTTPS, and only this host can set it, if the public URL is HTTPS', async () => {
    const team = await aTeam(secure);
    const { email } = await aPerson(team);
    const browser = makeBrowser(secure, { page: 'https://app.example.com' });
    await browser.signIn(email, testPassword);
    expect(browser.lastSet()).toEqual([
      expect.stringMatching(
        /^__Host-team\.session_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-team\.known_browser=[^;]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    expect(await browser.isSignedIn()).toBe(true);
    await browser.mutate('entrance/entrance.signOut');
    expect([...browser.cookies.keys()]).toEqual(['__Host-team.known_browser']);
  });

  it('is new with every sign-in; an injected one is worthless afterwards', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    const attacker = await aSignedInPerson(service, team);
    const planted = attacker.browser.cookies.get('team.session_token') ?? '';
    const browser = makeBrowser(service);
    browser.cookies.set('team.session_token', planted);
    await browser.signIn(email, testPassword);
    const first = browser.cookies.get('team.session_token');
    expect(first).not.toBe(planted);
    await browser.signIn(email, testPassword);
    expect(browser.cookies.get('team.session_token')).not.toBe(first);
    // Each sign-in ended the former session of this browser.
    expect(await sessionsOf(email)).toHaveLength(1);
    expect(await attacker.browser.isSignedIn()).toBe(false);
  });

  it('is worthless if it is invented, changed or signed with another secret', async () => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team);
    const cookie = browser.cookies.get('team.session_token') ?? '';
    const [token = ''] = decodeURIComponent(cookie).split('.');
    for (const strange of [token, `${token}.`, `${token}.${'A'.repeat(43)}%3D`, `x${cookie}`, '%', '%E0%A4%A', '.']) {
      browser.cookies.set('team.session_token', strange);
      expect(await browser.isSignedIn()).toBe(false);
      browser.cookies.clear();
    }
    browser.cookies.set('team.session_token', cookie);
    expect(await browser.isSignedIn()).toBe(true);
  });
});

describe('signing in', () => {
  it('gives the same answer to a wrong password, an unknown address and a person without a team', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    const invited = anEmail('invited');
    await team.anInvitedMember({ email: invited });
    const { email: left, memberId } = await aPerson(team);
    await team.client.delete(`/users/${memberId}`);
    const passwordless = (await team.anActiveMember()).email ?? '';
    const answers = [];
    for (const [who, password] of [
      [email, 'not the password'],
      [email, 'x'.repeat(900)],
      [anEmail('nobody'), testPassword],
      [anEmail('nobody'), 'x'.repeat(900)],
      [invited, testPassword],
      [left, testPassword],
      [left, 'x'.repeat(900)],
      [passwordless, testPassword],
    ] as const) {
      const browser = makeBrowser(service);
      const { status, problem } = await browser.signIn(who, password);
      answers.push(JSON.stringify({ status, ...problem, request_id: '' }));
      expect(browser.cookies.size).toBe(0);
    }
    expect(new Set(answers)).toEqual(
      new Set([
        JSON.stringify({
          status: 422,
          code: 'validation_error',
          title: 'Ungültige Werte',
          request_id: '',
          field: 'password',
          detail: 'Das Passwort ist falsch.',
        }),
      ]),
    );
  });

  it('ignores the case of the address', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    expect((await makeBrowser(service).signIn(email.toUpperCase(), testPassword)).status).toBe(200);
  });

  it('accepts the longest password that may be chosen, with any characters', async () => {
    const team = await aTeam(service);
    const { email, browser } = await aSignedInPerson(service, team);
    const password = '🔑'.repeat(200);
    expect((await browser.mutate('entrance/account.changePassword', { current: testPassword, password })).status).toBe(
      200,
    );
    expect((await makeBrowser(service).signIn(email, password)).status).toBe(200);
  });

  it('shows the person in two steps: teams, roles, and allowed procedures', async () => {
    const team = await aTeam(service, { name: 'Vertrieb Nord' });
    const { email, browser } = await aSignedInPerson(service, team, { role: 'admin', name: 'Mia Berg' });
    expect((await browser.query('entrance/entrance.who')).data).toMatchObject({
      me: {
        email,
        name: 'Mia Berg',
        language: 'de',
        two_factor: false,
        teams: [{ tenant_id: team.id, name: 'Vertrieb Nord', role: 'admin', may: ['member', 'admin'] }],
      },
    });
    expect((await makeBrowser(service).query('entrance/entrance.who')).data).toEqual({ me: null });
  });
});

describe('secrets in answers and logs', () => {
  it('there are none: no session token and no password', async () => {
    const team = await aTeam(service);
    const { email, browser } = await aSignedInPerson(service, team);
    const rows = await sessionsOf(email);
    const [{ token, id } = { token: '', id: '' }] = rows;
    const sessions = await browser.query('entrance/account.sessions');
    const allAnswers = [
      sessions,
      await browser.query('entrance/entrance.who'),
      await browser.mutate('entrance/account.changeMe', { name: 'Mia' }),
    ];
    expect(sessions.data['sessions']).toMatchObject([{ id, current: true }]);
    for (const { text } of allAnswers) expect(text).not.toContain(token);
    const log = JSON.stringify(service.logged());
    expect(token.length).toBeGreaterThan(20);
    expect(log).not.toContain(token);
    expect(log).not.toContain(testPassword);
  });
});
