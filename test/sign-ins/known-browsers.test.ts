import { describe, expect, it } from 'vitest';
import { signInLimits } from '../../src/core/limits.ts';
import { makeBrowser, type BrowserSession, aPerson, testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { countTries } from '../support/budgets.ts';

const service = await useTestService({ environment: { SIGN_IN_RATE_PER_MIN: '40', TRUST_PROXY: 'loopback' } });
const team = await aTeam(service, { seats: 100 });

const cookie = 'team.known_browser';
const wrong = 'not the password';

let networks = 0;
/** An address that no other test uses. */
const aPlace = (): string => `10.${Math.floor((networks += 1) / 250)}.${networks % 250}.7`;

const signIn = (browser: BrowserSession, email: string, password: string, place = aPlace()) =>
  browser.mutate('entrance/entrance.signIn', { email, password }, { headers: { 'X-Forwarded-For': place } });

/** A person who signed in and out again in a browser. */
const aPersonWithABrowser = async () => {
  const { email } = await aPerson(team);
  const browser = makeBrowser(service);
  expect((await signIn(browser, email, testPassword)).status).toBe(200);
  await browser.mutate('entrance/entrance.signOut', {}, { headers: { 'X-Forwarded-For': aPlace() } });
  return { email, browser };
};

/** Strangers use up all tries of an account. */
const lockOut = async (email: string): Promise<void> => {
  const { max, seconds } = signInLimits.triesPerAccount;
  await countTries(service, { what: 'sign-in as', whom: email, seconds, count: max });
  expect((await signIn(makeBrowser(service), email, testPassword)).status).toBe(429);
};

const copyOf = (browser: BrowserSession): BrowserSession => {
  const copy = makeBrowser(service);
  copy.cookies.set(cookie, browser.cookies.get(cookie) ?? '');
  return copy;
};

describe('a browser in which a person has signed in', () => {
  it('can be used to sign in after two hundred wrong tries from ten addresses', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const { seconds } = signInLimits.triesPerAccount;
    const tryFrom = async (place: string) => {
      expect((await signIn(makeBrowser(service), email, wrong, place)).status).toBe(422);
      for (const whom of [`${email} ${place}`, email]) {
        await countTries(service, { what: 'sign-in as', whom, seconds, count: 19 });
      }
      expect((await signIn(makeBrowser(service), email, testPassword, place)).status).toBe(429);
    };
    await Promise.all(Array.from({ length: 10 }, () => tryFrom(aPlace())));
    expect((await signIn(makeBrowser(service), email, testPassword)).status).toBe(429);
    expect((await signIn(browser, email, wrong)).status).toBe(422);
    expect((await signIn(browser, email, testPassword)).status).toBe(200);
    expect(await browser.isSignedIn()).toBe(true);
  });

  it('can be used to sign in while another person at the same address has used up the address’s tries', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const place = aPlace();
    await countTries(service, { what: 'sign-in from', whom: place, seconds: 60, count: 40 });
    const { email: other } = await aPerson(team);
    expect((await signIn(makeBrowser(service), other, testPassword, place)).status).toBe(429);
    expect((await signIn(browser, email, testPassword, place)).status).toBe(200);
  });

  it('has its own limited tries, also for a thief of its cookie', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const { max } = signInLimits.triesFromKnownBrowser;
    const answers = await Promise.all(Array.from({ length: max + 10 }, () => signIn(copyOf(browser), email, wrong)));
    // One of the tries was the person's own sign-in.
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(max);
    expect((await signIn(copyOf(browser), email, testPassword)).status).toBe(429);
    // The tries of the account are not used up.
    expect((await signIn(makeBrowser(service), email, testPassword)).status).toBe(200);
  });

  it('is known for the people who signed in there, and for nobody else', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const second = await aPerson(team);
    const third = await aPerson(team);
    expect((await signIn(browser, second.email, testPassword)).status).toBe(200);
    await browser.mutate('entrance/entrance.signOut', {}, { headers: { 'X-Forwarded-For': aPlace() } });
    for (const one of [email, second.email, third.email]) await lockOut(one);
    expect((await signIn(browser, third.email, testPassword)).status).toBe(429);
    expect((await signIn(browser, email, testPassword)).status).toBe(200);
    expect((await signIn(browser, second.email, testPassword)).status).toBe(200);
  });

  it('is not known with a cookie that was changed, invented, or made for another person', async () => {
    const [{ email, browser }, other] = [await aPersonWithABrowser(), await aPersonWithABrowser()];
    await lockOut(email);
    const own = browser.cookies.get(cookie) ?? '';
    const [personId = '', id = '', signature = ''] = own.split('.');
    const [, otherId = '', otherSignature = ''] = (other.browser.cookies.get(cookie) ?? '').split('.');
    for (const strange of [
      '',
      '~~~~',
      '...',
      `${personId}.${id}`,
      `${personId}.${id}.`,
      `${personId}.${id}.${'A'.repeat(16)}`,
      `${personId}.${otherId}.${otherSignature}`,
      `${personId}.${otherId}.${signature}`,
      `${personId}.${id}x.${signature}`,
      '~'.repeat(7_000),
    ]) {
      const stranger = makeBrowser(service);
      stranger.cookies.set(cookie, strange);
      expect((await signIn(stranger, email, testPassword)).status, strange.slice(0, 90)).toBe(429);
    }
  });

  const afterwards = async (email: string, browser: BrowserSession, password: string) => {
    await lockOut(email);
    return (await signIn(browser, email, password)).status;
  };

  /** Sets a new password in a browser, with the link from the mail. */
  const resetIn = async (browser: BrowserSession, email: string, password: string): Promise<void> => {
    const headers = { 'X-Forwarded-For': aPlace() };
    await makeBrowser(service).mutate('entrance/entrance.requestReset', { email }, { headers });
    const [mail] = await service.mailsTo(email);
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1];
    const done = await browser.mutate('entrance/entrance.resetPassword', { token, password }, { headers });
    expect(done.status).toBe(200);
  };

  it('is forgotten when the password is reset elsewhere', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const password = 'another long password';
    await resetIn(makeBrowser(service), email, password);
    expect(await afterwards(email, browser, password)).toBe(429);
  });

  it('includes the one of a password reset: it can be used to sign in while strangers use up all tries', async () => {
    const { email, browser } = await aPersonWithABrowser();
    await lockOut(email);
    const before = copyOf(browser);
    await resetIn(browser, email, 'another long password');
    expect((await signIn(before, email, 'another long password')).status).toBe(429);
    expect((await signIn(browser, email, 'another long password')).status).toBe(200);
    // A browser in which nobody has signed in before, as on a new phone.
    const phone = makeBrowser(service);
    await resetIn(phone, email, 'a third long password');
    expect((await signIn(browser, email, 'a third long password')).status).toBe(429);
    expect((await signIn(phone, email, 'a third long password')).status).toBe(200);
  });

  it('can request its own person’s reset while others at the same address have requested too many', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const { email: other } = await aPerson(team);
    const place = aPlace();
    const { max, seconds } = signInLimits.resetsFromNetwork;
    await countTries(service, { what: 'resets from', whom: place, seconds, count: max });
    const ask = (who: BrowserSession, whose: string) =>
      who.mutate('entrance/entrance.requestReset', { email: whose }, { headers: { 'X-Forwarded-For': place } });
    expect((await ask(makeBrowser(service), email)).status).toBe(429);
    expect((await ask(browser, other)).status).toBe(429);
    expect((await ask(browser, email)).status).toBe(200);
    expect(await service.mailsTo(email)).toHaveLength(1);
  });

  it('does not include one in which a reset link was refused', async () => {
    const { email } = await aPerson(team);
    const browser = makeBrowser(service);
    const headers = { 'X-Forwarded-For': aPlace() };
    const input = { token: 'a.b.c', password: 'another long password' };
    expect((await browser.mutate('entrance/entrance.resetPassword', input, { headers })).status).toBe(404);
    expect(browser.cookies.has(cookie)).toBe(false);
    await lockOut(email);
    expect((await signIn(browser, email, testPassword)).status).toBe(429);
  });

  it('stays known when the person signs out everywhere there', async () => {
    const { email } = await aPerson(team);
    const browser = makeBrowser(service);
    expect((await signIn(browser, email, testPassword)).status).toBe(200);
    expect((await browser.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
    expect(await browser.isSignedIn()).toBe(false);
    expect(await afterwards(email, browser, testPassword)).toBe(200);
  });

  it('is forgotten when the person signs out everywhere in another browser', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const elsewhere = makeBrowser(service);
    await signIn(elsewhere, email, testPassword);
    expect((await elsewhere.mutate('entrance/account.signOutEverywhere')).status).toBe(200);
    expect(await afterwards(email, browser, testPassword)).toBe(429);
  });

  it('is forgotten when the password is changed elsewhere; the browser of the change stays known', async () => {
    const { email, browser } = await aPersonWithABrowser();
    const elsewhere = makeBrowser(service);
    await signIn(elsewhere, email, testPassword);
    const password = 'another long password';
    expect(
      (await elsewhere.mutate('entrance/account.changePassword', { current: testPassword, password })).status,
    ).toBe(200);
    expect(await afterwards(email, browser, password)).toBe(429);
    expect((await signIn(elsewhere, email, password)).status).toBe(200);
  });
});

it('a wrong password makes no browser known', async () => {
  const { email } = await aPerson(team);
  const browser = makeBrowser(service);
  await signIn(browser, email, wrong);
  expect(browser.cookies.has(cookie)).toBe(false);
});
