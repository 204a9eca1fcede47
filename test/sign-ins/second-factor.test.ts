import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { makeVault } from '../../src/core/crypto.ts';
import { resealSecondFactors } from '../../src/modules/sign-ins/cleanup.ts';
import { makeBrowser, type BrowserSession, aSignedInPerson, testPassword } from '../support/people.ts';
import { startTestService, testSecret, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { totp } from '../support/authenticators.ts';

const environment = { SIGN_IN_RATE_PER_MIN: '100000', TRUST_PROXY: 'loopback' };
const service = await useTestService({ environment });

const Start = z.object({ uri: z.string(), secret: z.string(), backup_codes: z.array(z.string()) });

const turnOn = async (browser: BrowserSession) => {
  const started = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
  const { secret, uri, backup_codes: codes } = Start.parse(started.data);
  const confirmed = await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(secret) });
  expect(confirmed.status).toBe(200);
  return { secret, uri, codes };
};

/** A person with a second factor, and the browser in which they turned it on. */
const aCarefulPerson = async () => {
  const person = await aSignedInPerson(service, await aTeam(service));
  return { ...person, ...(await turnOn(person.browser)) };
};

/** A browser in which a person has made the first step. */
const firstStep = async (email: string, { at = service, browser = makeBrowser(at), password = testPassword } = {}) => {
  expect((await browser.signIn(email, password)).data).toEqual({ next: 'second_factor' });
  return browser;
};

const prove = (browser: BrowserSession, code: string, { kind = 'totp', trust_device = false } = {}) =>
  browser.mutate('entrance/entrance.proveSecondFactor', { code, kind, trust_device });

const wrongCode = (secret: string): string => {
  const near = [-2, -1, 0, 1, 2].map((ahead) => totp(secret, ahead));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? '';
};

describe('turning the second factor on', () => {
  it('requires the password and the app’s first code, and shows secret and backup codes once', async () => {
    const { browser, email } = await aSignedInPerson(service, await aTeam(service));
    const wrong = await browser.mutate('entrance/account.startTwoFactor', { password: 'not the password' });
    expect(wrong.problem).toMatchObject({ code: 'validation_error', field: 'password' });
    const started = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
    const { secret, uri, backup_codes: codes } = Start.parse(started.data);
    expect(uri).toContain(`secret=${secret}`);
    expect(new URL(uri).protocol).toBe('otpauth:');
    expect(new Set(codes).size).toBe(10);
    // Not on yet: the password alone is still enough.
    expect((await makeBrowser(service).signIn(email, testPassword)).data).toEqual({ next: 'signed_in' });
    const refused = await browser.mutate('entrance/account.confirmTwoFactor', { code: wrongCode(secret) });
    expect(refused.problem).toMatchObject({ code: 'validation_error', field: 'code' });
    expect((await browser.query('entrance/account.secondFactor')).data).toEqual({ on: false, backup_codes_left: null });
    await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(secret) });
    expect((await browser.query('entrance/account.secondFactor')).data).toEqual({ on: true, backup_codes_left: 10 });
    expect((await browser.mutate('entrance/account.startTwoFactor', { password: testPassword })).status).toBe(409);
    await firstStep(email);
  });

  it('keeps secret and codes encrypted', async () => {
    const { email, secret, codes } = await aCarefulPerson();
    const kept = await service.database.prisma.twoFactor.findFirstOrThrow({
      where: { person: { email } },
    });
    for (const text of [kept.secret, kept.backupCodes]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(codes[0]);
    }
  });
});

describe('signing in with a second factor', () => {
  it('shows nothing before the second step', async () => {
    const { email } = await aCarefulPerson();
    const sessions = () => service.database.prisma.session.count({ where: { person: { email } } });
    const before = await sessions();
    const browser = await firstStep(email);
    expect([...browser.cookies.keys()]).toEqual(['team.two_factor']);
    expect(browser.lastSet()).not.toEqual([]);
    expect(browser.lastSet().every((line) => /HttpOnly; SameSite=Lax/.test(line))).toBe(true);
    expect(await browser.isSignedIn()).toBe(false);
    expect((await browser.query('entrance/account.sessions')).status).toBe(401);
    const planted = browser.cookies.get('team.two_factor') ?? '';
    browser.cookies.set('team.session_token', planted);
    expect(await browser.isSignedIn()).toBe(false);
    expect(await sessions()).toBe(before);
  });

  it('requires the present code; each code works once', async () => {
    const { email, secret } = await aCarefulPerson();
    const [first, second] = [await firstStep(email), await firstStep(email)];
    expect((await prove(first, wrongCode(secret))).problem).toMatchObject({ code: 'validation_error', field: 'code' });
    const code = totp(secret, 1);
    expect((await prove(first, code)).status).toBe(200);
    expect(await first.isSignedIn()).toBe(true);
    const again = await prove(second, code);
    expect(again.problem).toMatchObject({ code: 'validation_error', field: 'code' });
    expect(again.headers.getSetCookie()).toEqual([]);
    expect(await second.isSignedIn()).toBe(false);
  });

  describe('at a certain time', () => {
    /** The beginning of one of the app's periods, after those that a test has used codes of. */
    const period = (Math.floor(Date.now() / 30_000) + 4) * 30_000;
    afterEach(() => void vi.useRealTimers());

    it.each([
      [-2, 422],
      [-1, 200],
      [0, 200],
      [1, 200],
      [2, 422],
    ])('answers a code of %i periods ahead with %i, from the period’s beginning to its end', async (ahead, status) => {
      for (const now of [period, period + 29_999]) {
        vi.useRealTimers();
        const { email, secret } = await aCarefulPerson();
        vi.setSystemTime(now);
        expect((await prove(await firstStep(email), totp(secret, ahead, period))).status).toBe(status);
      }
    });

    const secondSteps = {
      'signing in': async () => {
        const { email, secret } = await aCarefulPerson();
        return { email, secret, use: async (code: string) => prove(await firstStep(email), code) };
      },
      'turning the second factor on': async () => {
        const { email, browser } = await aSignedInPerson(service, await aTeam(service));
        const started = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
        const { secret } = Start.parse(started.data);
        return { email, secret, use: (code: string) => browser.mutate('entrance/account.confirmTwoFactor', { code }) };
      },
    };
    it.each(Object.entries(secondSteps))(
      'refuses a code that %s has used, until it is too old',
      async (_what, begin) => {
        const { email, secret, use } = await begin();
        const code = totp(secret, 1, period);
        vi.setSystemTime(period);
        expect((await use(code)).status).toBe(200);
        // The code is valid for 90 seconds. Some are left for a slow machine, because the database's clock goes on.
        const passed = 75;
        vi.setSystemTime(period + passed * 1000);
        await service.database.prisma
          .$executeRaw`update rate_window set ends_at = ends_at - ${passed} * interval '1 second'`;
        const again = await prove(await firstStep(email), code);
        expect(again.problem).toMatchObject({ code: 'validation_error', field: 'code' });
      },
    );
  });

  it('asks for the password again after five wrong codes', async () => {
    const { email, secret } = await aCarefulPerson();
    const browser = await firstStep(email);
    for (const _ of [1, 2, 3, 4, 5]) expect((await prove(browser, wrongCode(secret))).status).toBe(422);
    expect((await prove(browser, totp(secret))).problem).toMatchObject({ code: 'unauthorized' });
    expect((await prove(makeBrowser(service), totp(secret))).problem).toMatchObject({ code: 'unauthorized' });
  });

  it('accepts no code for a quarter of an hour after ten wrong ones, from any browser', async () => {
    const { email, secret } = await aCarefulPerson();
    for (const _ of [1, 2]) {
      const browser = await firstStep(email);
      for (const _try of [1, 2, 3, 4, 5]) await prove(browser, wrongCode(secret));
    }
    const answer = await prove(await firstStep(email), totp(secret));
    expect(answer.status).toBe(429);
    expect(answer.problem).toMatchObject({ code: 'rate_limited' });
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBe(answer.problem['retry_after']);
    expect(wait).toBeGreaterThan(800);
    expect(wait).toBeLessThanOrEqual(900);
  });

  it('checks ten codes of twenty at the same time', async () => {
    const { email } = await aCarefulPerson();
    const browsers = [];
    // A first step for each, from a different address.
    for (let index = 0; index < 20; index += 1) {
      const browser = makeBrowser(service);
      const { status } = await browser.mutate(
        'entrance/entrance.signIn',
        { email, password: testPassword },
        { headers: { 'X-Forwarded-For': `198.51.100.${index}` } },
      );
      expect(status).toBe(200);
      browsers.push(browser);
    }
    const answers = await Promise.all(browsers.map((browser) => prove(browser, '000000')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBeLessThanOrEqual(10);
    for (const { status } of answers) expect([422, 401, 429]).toContain(status);
    expect(refused.length).toBeGreaterThanOrEqual(10);
  });

  it('accepts the same backup code once, however often it is sent at the same time', async () => {
    const { email, browser, codes } = await aCarefulPerson();
    const [code = ''] = codes;
    const begun = [];
    for (let index = 0; index < 5; index += 1) begun.push(await firstStep(email));
    const answers = await Promise.all(begun.map((one) => prove(one, code, { kind: 'backup' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await Promise.all(begun.map((one) => one.isSignedIn()))).filter(Boolean)).toHaveLength(1);
    expect((await browser.query('entrance/account.secondFactor')).data).toEqual({ on: true, backup_codes_left: 9 });
  });

  it('starts its count of wrong codes again after a right one', async () => {
    const { email, secret, codes } = await aCarefulPerson();
    const wrongOnes = async (count: number) => {
      const browser = await firstStep(email);
      for (let tried = 0; tried < count; tried += 1) {
        expect((await prove(browser, wrongCode(secret))).status).toBe(422);
      }
      return browser;
    };
    for (let round = 0; round < 3; round += 1) {
      const browser = await wrongOnes(4);
      expect((await prove(browser, codes[round] ?? '', { kind: 'backup' })).status).toBe(200);
    }
    await wrongOnes(4);
  });

  it('accepts codes from a known browser of the person while strangers’ codes are refused', async () => {
    const { email, secret, browser, codes } = await aCarefulPerson();
    for (const _ of [1, 2]) {
      const stranger = await firstStep(email);
      for (const _try of [1, 2, 3, 4, 5]) await prove(stranger, wrongCode(secret));
    }
    expect((await prove(await firstStep(email), codes[0] ?? '', { kind: 'backup' })).status).toBe(429);
    await browser.mutate('entrance/entrance.signOut');
    await firstStep(email, { browser });
    expect((await prove(browser, codes[0] ?? '', { kind: 'backup' })).status).toBe(200);
  });

  it('accepts each backup code once', async () => {
    const { email, browser, codes } = await aCarefulPerson();
    const [code = ''] = codes;
    const here = await firstStep(email);
    expect((await prove(here, code, { kind: 'backup' })).status).toBe(200);
    expect(await here.isSignedIn()).toBe(true);
    expect((await browser.query('entrance/account.secondFactor')).data).toEqual({ on: true, backup_codes_left: 9 });
    expect((await prove(await firstStep(email), code, { kind: 'backup' })).status).toBe(422);
  });

  it('belongs to the person of the first step, whatever session was injected meanwhile', async () => {
    const [victim, attacker] = [await aCarefulPerson(), await aCarefulPerson()];
    const browser = await firstStep(victim.email);
    for (const [name, value] of attacker.browser.cookies) browser.cookies.set(name, value);
    expect((await prove(browser, totp(attacker.secret))).status).toBe(422);
    expect((await prove(browser, totp(victim.secret, 1))).status).toBe(200);
    expect((await browser.query('entrance/entrance.who')).data).toMatchObject({ me: { email: victim.email } });
  });
});

describe('a trusted browser', () => {
  const trusted = async () => {
    const person = await aCarefulPerson();
    const browser = await firstStep(person.email);
    await prove(browser, totp(person.secret, 1), { trust_device: true });
    await browser.mutate('entrance/entrance.signOut');
    return { ...person, trusted: browser };
  };

  it('needs no code again, for this person only', async () => {
    const [{ email, trusted: browser }, other] = [await trusted(), await aCarefulPerson()];
    expect((await browser.signIn(email, testPassword)).data).toEqual({ next: 'signed_in' });
    await firstStep(email);
    await firstStep(other.email, { browser });
  });

  it.each([
    ['a new password', 'entrance/account.changePassword', { current: testPassword, password: testPassword }],
    ['signing out everywhere', 'entrance/account.signOutEverywhere', {}],
  ])('needs a code again after %s', async (_what, path, input) => {
    const { email, browser, trusted: former } = await trusted();
    expect((await browser.mutate(path, input)).status).toBe(200);
    await firstStep(email, { browser: former });
  });

  it('needs a code again after the password was reset; so does a sign-in that began with the old one', async () => {
    const { email, secret, trusted: former } = await trusted();
    const begun = await firstStep(email);
    await makeBrowser(service).mutate('entrance/entrance.requestReset', { email });
    const [mail] = await service.mailsTo(email);
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1];
    const password = 'another long password';
    await makeBrowser(service).mutate('entrance/entrance.resetPassword', { token, password });
    expect((await prove(begun, totp(secret, -1))).problem).toMatchObject({ code: 'unauthorized' });
    await firstStep(email, { browser: former, password });
  });
});

describe('changing it', () => {
  it('turns it off with the password, and on again with another secret', async () => {
    const { email, browser, secret } = await aCarefulPerson();
    const wrong = await browser.mutate('entrance/account.stopTwoFactor', { password: 'not the password' });
    expect(wrong.problem).toMatchObject({ code: 'validation_error', field: 'password' });
    await browser.mutate('entrance/account.stopTwoFactor', { password: testPassword });
    expect((await makeBrowser(service).signIn(email, testPassword)).data).toEqual({ next: 'signed_in' });
    const again = await turnOn(browser);
    expect(again.secret).not.toBe(secret);
    expect((await prove(await firstStep(email), totp(secret))).status).toBe(422);
  });

  it('replaces the backup codes', async () => {
    const { email, browser, codes } = await aCarefulPerson();
    const made = await browser.mutate('entrance/account.newBackupCodes', { password: testPassword });
    const [fresh = ''] = z.array(z.string()).parse(made.data['backup_codes']);
    const here = await firstStep(email);
    expect((await prove(here, codes[1] ?? '', { kind: 'backup' })).status).toBe(422);
    expect((await prove(here, fresh, { kind: 'backup' })).status).toBe(200);
  });

  it('limits tries of the password with an open session', async () => {
    const { browser } = await aSignedInPerson(service, await aTeam(service));
    const statuses = [];
    for (let tried = 0; tried < 21; tried += 1) {
      const [path, input] =
        tried % 2 === 0
          ? ['entrance/account.startTwoFactor', { password: `guess ${tried}` }]
          : ['entrance/account.changePassword', { current: `guess ${tried}`, password: 'another long password' }];
      statuses.push((await browser.mutate(path, input)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 422), 429]);
  });
});

describe('when the service’s secret is replaced', () => {
  const newSecret = 'a new secret that only the tests know';

  it('sessions and second factors stay valid while the former one is configured, and second factors after that too', async () => {
    const { email, secret, browser, codes } = await aCarefulPerson();
    const rotated = await startTestService({
      environment,
      databaseUrl: service.databaseUrl,
      secrets: [newSecret, testSecret],
    });
    const there = makeBrowser(rotated);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    expect(await there.isSignedIn()).toBe(true);
    expect((await there.query('entrance/account.secondFactor')).data).toEqual({ on: true, backup_codes_left: 10 });
    const second = await firstStep(email, { at: rotated });
    expect((await prove(second, totp(secret, 1))).status).toBe(200);

    // Everything is encrypted again, once; then the previous secret can be removed.
    const { twoFactor } = service.database.prisma;
    const all = await twoFactor.count();
    expect(await resealSecondFactors(rotated.platform)).toEqual({ resealed: all, left: 0, lost: 0, lostIds: [] });
    expect(await resealSecondFactors(rotated.platform)).toEqual({ resealed: 0, left: 0, lost: 0, lostIds: [] });
    const without = await startTestService({ environment, databaseUrl: service.databaseUrl, secrets: [newSecret] });
    const third = await firstStep(email, { at: without });
    expect((await prove(third, codes[0] ?? '', { kind: 'backup' })).status).toBe(200);
    // A session that the previous secret signed ends with it.
    const late = makeBrowser(without);
    for (const [name, value] of browser.cookies) late.cookies.set(name, value);
    expect(await late.isSignedIn()).toBe(false);

    const lost = await resealSecondFactors({
      ...service.platform,
      vault: makeVault(['no secret that was ever used here']),
    });
    expect(lost).toMatchObject({ resealed: 0, lost: all });
    await rotated.close();
    await without.close();
  });
});
