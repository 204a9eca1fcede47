import { describe, expect, it } from 'vitest';
import { daysToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { deleteOldSessions } from '../../src/modules/sign-ins/cleanup.ts';
import { makeBrowser, aPerson, aSignedInPerson, testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';

const service = await useTestService();

const anotherPassword = 'another long password';

const sessionsOf = (email: string) => service.database.prisma.session.findMany({ where: { person: { email } } });

/** A person who is signed in in several browsers. */
const signedInTimes = async (count: number) => {
  const { email, browser } = await aSignedInPerson(service, await aTeam(service));
  const browsers = [browser];
  while (browsers.length < count) {
    const next = makeBrowser(service, { userAgent: `Browser ${browsers.length}` });
    await next.signIn(email, testPassword);
    browsers.push(next);
  }
  const signedIn = () => Promise.all(browsers.map((one) => one.isSignedIn()));
  const [here = browser, there = browser] = browsers;
  return { email, here, there, signedIn };
};

const linkFor = async (email: string): Promise<string> => {
  await makeBrowser(service).mutate('entrance/entrance.requestReset', { email });
  const [mail] = (await service.mailsTo(email)).filter(({ kind }) => kind === 'password_reset');
  return /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '';
};

const reset = (token: string, password = anotherPassword) =>
  makeBrowser(service).mutate('entrance/entrance.resetPassword', { token, password });

const resetState = async (token: string) =>
  (await makeBrowser(service).query('entrance/entrance.resetState', { token })).data;

describe('sessions', () => {
  it('are listed with browser and address, the present one marked, and no session of another person', async () => {
    const { here } = await signedInTimes(2);
    await signedInTimes(1);
    const { sessions } = (await here.query('entrance/account.sessions')).data;
    expect(sessions).toEqual([
      expect.objectContaining({ current: false, user_agent: 'Browser 1', address: '127.0.0.1' }),
      expect.objectContaining({ current: true, user_agent: 'Mozilla/5.0 Firefox/140.0' }),
    ]);
  });

  it('end one by one; another person’s is not found', async () => {
    const { email, here, signedIn } = await signedInTimes(3);
    const stranger = await signedInTimes(1);
    const [theirs] = await sessionsOf(stranger.email);
    const [, second] = (await sessionsOf(email)).toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    for (const session_id of [theirs?.id, makeId(), 'x', '']) {
      const answer = await here.mutate('entrance/account.endSession', { session_id });
      expect(answer.problem).toMatchObject({ code: 'not_found' });
    }
    expect((await here.mutate('entrance/account.endSession', { session_id: second?.id })).status).toBe(200);
    expect(await signedIn()).toEqual([true, false, true]);
    expect(await stranger.signedIn()).toEqual([true]);
  });

  it('end with signing out, only in this browser', async () => {
    const { here, signedIn } = await signedInTimes(2);
    const kept = new Map(here.cookies);
    await here.mutate('entrance/entrance.signOut');
    expect([...here.cookies.keys()]).toEqual(['team.known_browser']);
    for (const [name, value] of kept) here.cookies.set(name, value);
    expect(await signedIn()).toEqual([false, true]);
  });

  it('all end with signing out everywhere', async () => {
    const { email, here, signedIn } = await signedInTimes(3);
    await here.mutate('entrance/account.signOutEverywhere');
    expect(await signedIn()).toEqual([false, false, false]);
    expect(await sessionsOf(email)).toEqual([]);
  });

  it('last thirty days from their last use, and are then deleted', async () => {
    const { email, here } = await signedInTimes(1);
    const [{ id, expiresAt } = { id: '', expiresAt: new Date() }] = await sessionsOf(email);
    expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(daysToMs(30) - 60_000);
    const { session, verification } = service.database.prisma;
    const until = async (time: number) => {
      await session.update({ where: { id }, data: { expiresAt: new Date(time) } });
    };
    await until(Date.now() + daysToMs(28));
    expect(await here.isSignedIn()).toBe(true);
    const [used] = await sessionsOf(email);
    expect(used?.expiresAt.getTime()).toBeGreaterThan(Date.now() + daysToMs(29));

    const times = { createdAt: new Date() };
    const old = { id: makeId(), identifier: 'old', value: 'x', expiresAt: new Date(Date.now() - 1), ...times };
    const fresh = { id: makeId(), identifier: 'fresh', value: 'x', expiresAt: new Date(Date.now() + 60_000), ...times };
    await verification.createMany({ data: [old, fresh] });
    await until(Date.now() - 1000);
    const other = await signedInTimes(1);
    await deleteOldSessions(service.platform);
    expect(await sessionsOf(email)).toEqual([]);
    expect(await here.isSignedIn()).toBe(false);
    expect(await other.signedIn()).toEqual([true]);
    expect(await verification.findMany({ where: { id: { in: [old.id, fresh.id] } } })).toMatchObject([
      { id: fresh.id },
    ]);
  });
});

describe('a new name', () => {
  it('changes the person’s members in each of their teams; a new language or the same name does not', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { browser, email, memberId } = await aSignedInPerson(service, team, { name: 'Mia' });
    const { id: otherId } = await addActivePerson(await other.acting(), { email, role: 'member' });
    const colleague = await aPerson(team);
    const changed = async (change: object): Promise<boolean[]> => {
      service.clock.forward(1_000);
      const before = service.clock.now().toISOString();
      expect((await browser.mutate('entrance/account.changeMe', change)).status).toBe(200);
      const members = [
        await team.client.get(`/users/${memberId}`),
        await other.client.get(`/users/${otherId}`),
        await team.client.get(`/users/${colleague.memberId}`),
      ];
      return members.map(({ body }) => String(body['updated_at']) >= before);
    };
    expect(await changed({ language: 'en' })).toEqual([false, false, false]);
    expect(await changed({ name: 'Mia' })).toEqual([false, false, false]);
    expect(await changed({ name: 'Eva' })).toEqual([true, true, false]);
    service.clock.set(new Date());
    expect((await browser.query('entrance/entrance.who')).data).toMatchObject({ me: { name: 'Eva', language: 'en' } });
  });
});

describe('a new password', () => {
  it('ends every other session, and gives this one a new cookie', async () => {
    const { email, here, signedIn } = await signedInTimes(3);
    const former = here.cookies.get('team.session_token');
    const change = { current: testPassword, password: anotherPassword };
    expect((await here.mutate('entrance/account.changePassword', change)).status).toBe(200);
    expect(await signedIn()).toEqual([true, false, false]);
    expect(here.cookies.get('team.session_token')).not.toBe(former);
    expect((await makeBrowser(service).signIn(email, testPassword)).status).toBe(422);
    expect((await makeBrowser(service).signIn(email, anotherPassword)).status).toBe(200);
  });

  it('requires the present one, and the minimum length', async () => {
    const { here, signedIn } = await signedInTimes(2);
    const wrong = { current: 'not the password', password: anotherPassword };
    const answer = await here.mutate('entrance/account.changePassword', wrong);
    expect(answer.problem).toMatchObject({ code: 'validation_error', field: 'password' });
    for (const password of ['short', 'x'.repeat(201), '🔑'.repeat(9)]) {
      const change = { current: testPassword, password };
      const { problem } = await here.mutate('entrance/account.changePassword', change);
      expect(problem).toMatchObject({ code: 'validation_error', errors: [{ path: ['password'] }] });
    }
    expect(await signedIn()).toEqual([true, true]);
    expect((await makeBrowser(service).query('entrance/entrance.rules')).data).toMatchObject({
      password: { min: 10, max: 200 },
    });
  });
});

describe('a reset link', () => {
  it('is mailed to people with a sign-in, and the answer is always the same', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team);
    const { email: left, memberId } = await aPerson(team);
    await team.client.delete(`/users/${memberId}`);
    const strangers = [left, anEmail('nobody')];
    const answers = [];
    for (const whom of [email, ...strangers]) {
      const { status, text } = await makeBrowser(service).mutate('entrance/entrance.requestReset', { email: whom });
      answers.push(`${status} ${text}`);
    }
    expect(new Set(answers)).toEqual(new Set([answers[0]]));
    expect(await service.mailsTo(email)).toHaveLength(1);
    for (const stranger of strangers) expect(await service.mailsTo(stranger)).toEqual([]);
  });

  it.each([
    ['de', 'Für Ihr Konto wurde ein neues Passwort angefordert.', 'Der Link ist 24 Stunden gültig'],
    ['en', 'A new password was requested for your account.', 'The link is valid for 24 hours'],
  ] as const)('is mailed in the language of the person (%s), with its duration', async (language, ...words) => {
    const { email, here } = await signedInTimes(1);
    await here.mutate('entrance/account.changeMe', { language });
    expect(await linkFor(email)).not.toBe('');
    const [mail] = await service.mailsTo(email);
    expect(mail?.language).toBe(language);
    for (const one of words) expect(mail?.body.text).toContain(one);
  });

  it('works once, and ends every session', async () => {
    const { email, signedIn } = await signedInTimes(2);
    const token = await linkFor(email);
    expect(await resetState(token)).toEqual({ valid: true, email });
    expect((await reset(token)).status).toBe(200);
    expect(await signedIn()).toEqual([false, false]);
    expect((await makeBrowser(service).signIn(email, anotherPassword)).status).toBe(200);
    expect(await resetState(token)).toEqual({ valid: false, email: null });
    const again = await reset(token, 'a third long password');
    expect(again.problem).toMatchObject({ code: 'not_found' });
    expect((await makeBrowser(service).signIn(email, anotherPassword)).status).toBe(200);
  });

  it('works once, however many use it at the same time', async () => {
    const { email } = await signedInTimes(1);
    const token = await linkFor(email);
    const answers = await Promise.all([1, 2, 3, 4].map((one) => reset(token, `password number ${one}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  });

  it('ends when the password is changed in another way, and after a day', async () => {
    const { email, here } = await signedInTimes(1);
    const token = await linkFor(email);
    service.clock.forward(daysToMs(1) + 1000);
    expect(await resetState(token)).toEqual({ valid: false, email: null });
    service.clock.set(new Date());
    expect(await resetState(token)).toEqual({ valid: true, email });
    await here.mutate('entrance/account.changePassword', { current: testPassword, password: anotherPassword });
    expect(await resetState(token)).toEqual({ valid: false, email: null });
  });

  it('can’t be invented or changed into another one', async () => {
    const [one, other] = [await signedInTimes(1), await signedInTimes(1)];
    const [id = '', expires = '', signature = ''] = (await linkFor(one.email)).split('.');
    const [otherId = ''] = (await linkFor(other.email)).split('.');
    for (const token of [
      `${id}.${Number(expires) + 1}.${signature}`,
      `${otherId}.${expires}.${signature}`,
      `${id}.${expires}.${signature.slice(0, -1)}`,
      `${id}.${expires}.${signature}=`,
      `${id}.${expires}.`,
      `${id}.${expires}`,
      `${makeId()}.${expires}.${signature}`,
      `x.${expires}.${signature}`,
      `${id}.9e99.${signature}`,
      `${id}.${expires}.${signature}.x`,
      'x',
    ]) {
      expect(await resetState(token)).toEqual({ valid: false, email: null });
      expect((await reset(token)).status).toBe(404);
    }
    expect(Buffer.from(signature, 'base64url').length).toBeGreaterThanOrEqual(12);
    expect(await one.signedIn()).toEqual([true]);
  });
});
