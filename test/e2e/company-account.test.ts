import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDomain, demandSignIn, redirectUriOf, saveProvider } from '../../src/modules/company-sign-in/service.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import type { IdentityProvider } from '../support/identity-provider.ts';
import type { TestTeam } from '../support/team.ts';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';

const say = {
  signIn: 'Mit dem Firmenkonto anmelden',
  next: 'Weiter',
  save: 'Prüfen und speichern',
  issuer: 'Adresse des Anbieters (Issuer)',
  secret: /^Client-Secret( \*)?$/,
  domain: 'Neue Domain',
  addDomain: 'Domain hinzufügen',
  failed: 'Anmeldung fehlgeschlagen',
  closed: 'Ihr Team verlangt eine andere Anmeldung',
  only: 'nur mit dem Firmenkonto',
} as const;

/** Where screenshots are saved, if somebody wants to see them. */
// oxlint-disable-next-line node/no-process-env -- the same variable as in every-page.slow.test.ts
const photographs = process.env['APP_PHOTOGRAPHS'];

const photograph = async (page: Page, name: string): Promise<void> => {
  if (photographs === undefined) return;
  mkdirSync(photographs, { recursive: true });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(photographs, `company-${name}-${width}.png`), fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
};

describe.skipIf(!hasBrowser)('the company account in the app', () => {
  const app = useApp({ own: { named: true } });
  let provider: IdentityProvider;
  beforeAll(async () => {
    if (hasBrowser) provider = await startIdentityProvider({ redirectUri: redirectUriOf(app.service.platform) });
  });
  afterAll(() => provider?.close());

  /** Browsers don't know the authority of the tests. */
  const trustProvider = async (page: Page): Promise<void> => {
    const session = await page.context().newCDPSession(page);
    await session.send('Security.setIgnoreCertificateErrors', { ignore: true });
  };

  /** Fills in the provider's own page. */
  const signInAtProvider = async (page: Page, login: string): Promise<void> => {
    await page.waitForURL(`${provider.issuer}/**`);
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
  };

  const signIn = async (page: Page, email: string): Promise<void> => {
    provider.accounts.set(email, { email, email_verified: true, name: 'Vera Kauf' });
    await page.getByRole('link', { name: say.signIn }).click();
    await page.getByLabel('Geschäftliche E-Mail-Adresse').fill(email);
    await page.getByRole('button', { name: say.next }).click();
    await signInAtProvider(page, email);
  };

  const setUp = async (team: TestTeam, domain: string): Promise<void> => {
    const acting = await team.acting();
    await saveProvider(acting, { issuer: provider.issuer, ...provider.client, role: 'member' });
    await addDomain(acting, domain, { proven: true });
  };

  it('is set up in the settings, which say what is wrong with a provider and check it before saving', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/settings');
    await page.getByLabel(say.issuer).fill(`${provider.issuer}/x`);
    await page.getByLabel('Client-ID').fill(provider.client.client_id);
    await page.getByLabel(say.secret).fill(provider.client.client_secret);
    app.expectFailures(page, 422);
    await page.getByRole('button', { name: say.save }).click();
    await page.getByText(/antwortet der Anbieter mit dem Status 404/).waitFor();
    await photograph(page, 'set-up-refused-de');
    await page.getByLabel(say.issuer).fill(provider.issuer);
    await page.getByRole('button', { name: say.save }).click();
    await page.getByText('Anbieter gespeichert.').waitFor();
    await page.getByLabel(say.domain).fill('Acme.example');
    await page.getByRole('button', { name: say.addDomain }).click();
    await page.getByText('_team-customer-api.acme.example').waitFor();
    await expectAccessible(page);
    await photograph(page, 'set-up-de');
    expect(await page.content()).not.toContain(provider.client.client_secret);
  });

  it('signs a person in for the first time, who joins the team and comes to the page that they wanted', async () => {
    const team = await app.team({ name: 'Nord' });
    await setUp(team, 'first.example');
    const page = await app.open('/sign-in?next=%2Ftrainings');
    await trustProvider(page);
    await photograph(page, 'entrance-de');
    await signIn(page, 'vera@first.example');
    await page.waitForURL('**/trainings');
    await page.locator('main#main h1').waitFor();
    await page.goto(`${app.service.origin}/account`);
    await page.getByText('Angemeldet mit dem Firmenkonto').waitFor();
    expect(await page.getByRole('heading', { name: 'Passkeys' }).count()).toBe(0);
    await app.settled(page);
    await expectAccessible(page);
    await photograph(page, 'account-de');
  });

  it('says why a person is refused', async () => {
    const team = await app.team();
    await setUp(team, 'refused.example');
    const page = await app.open('/sign-in');
    await trustProvider(page);
    provider.accounts.set('a stranger', { email: 'x@foreign.example', email_verified: true });
    await page.getByRole('link', { name: say.signIn }).click();
    app.expectFailures(page, 409, 422);
    await page.getByLabel('Geschäftliche E-Mail-Adresse').fill('x@unknown.example');
    await page.getByRole('button', { name: say.next }).click();
    await page.getByText(/keine Anmeldung mit dem Firmenkonto eingerichtet/).waitFor();
    await photograph(page, 'address-refused-de');
    await page.getByLabel('Geschäftliche E-Mail-Adresse').fill('x@refused.example');
    await page.getByRole('button', { name: say.next }).click();
    await signInAtProvider(page, 'a stranger');
    await page.getByRole('heading', { name: say.failed }).waitFor();
    await page.getByText(/x@foreign.example gehört zu keiner Domain/).waitFor();
    await expectAccessible(page);
    await photograph(page, 'refused-de');
  });

  it('is demanded: a person with a password is led to it, and the owner is let in', async () => {
    const team = await app.team({ name: 'Streng' });
    await setUp(team, 'strict.example');
    await team.anActiveMember({ role: 'admin', rights: ['schnittstellen'], email: 'boss@strict.example' });
    const page = await app.open('/sign-in?next=%2Fsettings');
    await trustProvider(page);
    await signIn(page, 'boss@strict.example');
    await page.getByRole('radio', { name: say.only }).check();
    const panel = page.locator('section', { hasText: 'Anmelderichtlinie' }).last();
    // A fresh proof is needed, which the provider gives.
    app.expectFailures(page, 403);
    await panel.getByRole('button', { name: 'Speichern' }).click();
    await page.getByRole('button', { name: 'Mit dem Firmenkonto bestätigen' }).click();
    await signInAtProvider(page, 'boss@strict.example');
    await page.waitForURL('**/settings');
    await page.getByRole('radio', { name: say.only }).check();
    await photograph(page, 'demand-de');
    await panel.getByRole('button', { name: 'Speichern' }).click();
    await page.getByText('Anmelderichtlinie gespeichert.').waitFor();

    const owner = await app.signedIn(team.owner.email, '/');
    await owner.locator('main#main h1').waitFor();
    const { email } = await app.person(team, 'member');
    const other = await app.open('/sign-in');
    await trustProvider(other);
    await other.locator('input[name=email]').fill(email);
    await other.locator('input[name=password]').fill('a long enough password');
    await other.locator('button[type=submit]').click();
    await other.getByRole('heading', { name: say.closed }).waitFor();
    await expectAccessible(other);
    await photograph(other, 'closed-de');
    await other.getByRole('button', { name: 'Abmelden' }).click();
    await other.getByRole('heading', { name: 'Anmelden' }).waitFor();
  });

  it('or a second factor is demanded: a person sets it up and saves the recovery codes before they go on', async () => {
    const team = await app.team({ name: 'Sicher' });
    await demandSignIn(await team.acting(), 'second_factor', 'operator');
    const { email } = await app.person(team, 'member');
    for (const [language, scheme] of [
      ['de', 'dark'],
      ['en', 'light'],
    ] as const) {
      const page = await app.open('/sign-in', { language, scheme });
      await page.locator('input[name=email]').fill(email);
      await page.locator('input[name=password]').fill('a long enough password');
      await page.locator('button[type=submit]').click();
      await page.getByRole('button', { name: language === 'de' ? 'Einrichten' : 'Set up' }).waitFor();
      await expectAccessible(page);
      await photograph(page, `closed-second-factor-${language}-${scheme}`);
    }
  });

  it('has its pages in English and in the dark theme', async () => {
    const team = await app.team();
    await setUp(team, 'english.example');
    await addDomain(await team.acting(), 'unproven.example');
    const settings = await app.signedIn(team.owner.email, '/settings', { language: 'en', scheme: 'dark' });
    await settings.getByText('unproven.example', { exact: true }).waitFor();
    await app.settled(settings);
    await expectAccessible(settings);
    await photograph(settings, 'set-up-en-dark');
    const page = await app.open('/sign-in/company', { language: 'en', scheme: 'dark' });
    await page.getByRole('heading', { name: 'Sign in with your company account' }).waitFor();
    await expectAccessible(page);
    await photograph(page, 'address-en-dark');
  });
});
