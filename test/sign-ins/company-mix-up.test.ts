import { afterAll, describe, expect, it } from 'vitest';
import { makeBrowser } from '../support/people.ts';
import { useCompanies } from '../support/company.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';

// Mix-up (RFC 9700, 4.4): a person begins at the attacker's team, whose page sends the browser on to the provider of
// another team. If the answer of that provider is taken for one of the attacker's, its code is sent to the attacker,
// who enters the other team with it.

const { service, aCompany, start, finish } = await useCompanies();

/** A team with a provider of its own, where its admin has an account. */
const aParty = async (sendsIss: boolean) => {
  const provider = await startIdentityProvider({ sendsIss });
  afterAll(() => provider.close());
  const company = await aCompany({ at: provider, setUp: { role: 'admin' } });
  const email = `admin@${company.domain}`;
  provider.accounts.set('the admin', { email, email_verified: true, name: 'The admin' });
  return { ...company, provider, email, login: 'the admin' };
};
type Party = Awaited<ReturnType<typeof aParty>>;

const parameter = (url: string, name: string) => new URL(url).searchParams.get(name) ?? '';

const changed = (url: string, name: string, value: string): string => {
  const other = new URL(url);
  other.searchParams.set(name, value);
  return other.href;
};

const begin = async (email: string) => {
  const browser = makeBrowser(service);
  return { browser, url: String((await start(browser, email)).data['redirect_to']) };
};

/**
 * The attacker begins at the victim's team, and somebody with an account at the victim's provider begins at the
 * attacker's team.
 */
const bothBegun = async (attacker: Party, victim: Party) => {
  const own = await begin(victim.email);
  const person = await begin(`guest@${attacker.domain}`);
  return { own, person, sentOn: changed(own.url, 'state', parameter(person.url, 'state')) };
};

describe.each([
  ['that name themselves in their answers', true],
  ['that do not name themselves in their answers', false],
])('with providers %s', async (_what, sendsIss) => {
  const parties = [await aParty(sendsIss), await aParty(sendsIss)] as const;

  describe.each([
    ['the first team', 'the second', ...parties],
    ['the second team', 'the first', parties[1], parties[0]],
  ] as const)('%s attacks %s, which', (_attacking, _attacked, attacker, victim) => {
    it('is entered with its own provider', async () => {
      const { browser, url } = await begin(victim.email);
      const { data: state } = await victim.admin.browser.query('app/companySignIn.state', {}, { team: victim.team.id });
      expect(parameter(url, 'redirect_uri')).toBe(state['redirect_uri']);
      expect(state['redirect_uri']).toMatch(new RegExp(`/sign-in/company/return/${victim.team.id}$`));
      expect((await finish(browser, await victim.provider.answerFor(url, victim.login))).status).toBe(200);
      expect(await browser.isSignedIn()).toBe(true);
    });

    it('is entered by nobody with a code that its provider made for a sign-in at the attacker’s team', async () => {
      const { own, person, sentOn } = await bothBegun(attacker, victim);
      const address = await victim.provider.answerFor(sentOn, victim.login);
      expect(parameter(address, 'iss') !== '').toBe(sendsIss);
      const before = attacker.provider.requests.length;
      expect((await finish(person.browser, address)).problem).toMatchObject({ code: 'conflict' });
      expect(await person.browser.isSignedIn()).toBe(false);
      expect(attacker.provider.codes).not.toContain(parameter(address, 'code'));
      expect(attacker.provider.requests.slice(before)).toEqual([]);
      // The attacker has no code for the own sign-in.
      for (const code of attacker.provider.codes) {
        const stolen = changed(changed(address, 'state', parameter(own.url, 'state')), 'code', code);
        expect((await finish(own.browser, stolen)).problem).toMatchObject({ code: 'conflict' });
      }
      expect(await own.browser.isSignedIn()).toBe(false);
    });

    it('has a provider that sends no browser to the attacker’s address', async () => {
      const { person, sentOn } = await bothBegun(attacker, victim);
      const redirected = changed(sentOn, 'redirect_uri', parameter(person.url, 'redirect_uri'));
      await expect(victim.provider.answerFor(redirected, victim.login)).rejects.toThrow(/redirect_uri/);
    });

    it('takes no answer of the attacker’s provider for one of its own', async () => {
      const { own, person } = await bothBegun(attacker, victim);
      attacker.provider.accounts.set('forged', { email: victim.email, email_verified: true });
      const address = await attacker.provider.answerFor(
        changed(person.url, 'state', parameter(own.url, 'state')),
        'forged',
      );
      const before = victim.provider.requests.length;
      expect((await finish(own.browser, address)).problem).toMatchObject({ code: 'conflict' });
      expect(victim.provider.requests.slice(before)).toEqual([]);
      // The same with a page of the attacker that names the victim's address.
      const forged = new URL(parameter(own.url, 'redirect_uri'));
      forged.search = new URL(address).search;
      const again = await bothBegun(attacker, victim);
      forged.searchParams.set('state', parameter(again.own.url, 'state'));
      expect((await finish(again.own.browser, forged.href)).problem).toMatchObject({ code: 'conflict' });
      expect(await again.own.browser.isSignedIn()).toBe(false);
    });
  });
});
