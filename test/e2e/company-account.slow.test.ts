import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { redirectUriOf } from '../../src/modules/company-sign-in/service.ts';
import { exactly, expectAccessible, fillSignIn, goWithin, hasBrowser, useApp } from './support/app.ts';
import { useProvider } from './support/provider.ts';

const say = {
  signIn: 'Mit dem Firmenkonto anmelden',
  next: 'Weiter',
  save: 'Prüfen und speichern',
  issuer: 'Adresse des Anbieters (Issuer)',
  only: 'Nur das Firmenkonto',
} as const;

describe.skipIf(!hasBrowser)('the company account in the app', () => {
  const app = useApp();
  const company = useProvider(app);
  const { trustProvider, signInAtProvider, setUp } = company;

  const signIn = async (page: Page, email: string): Promise<void> => {
    company.provider.accounts.set(email, { email, email_verified: true, name: 'Vera Kauf' });
    await page.getByRole('link', { name: say.signIn }).click();
    await page.getByLabel('Geschäftliche E-Mail-Adresse').fill(email);
    await page.getByRole('button', { name: say.next }).click();
    await signInAtProvider(page, email);
  };

  it('is set up in the settings, which say what is wrong with a provider and check it before saving', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/settings/company-account', { scheme: 'dark' });
    await page.getByText(redirectUriOf(app.service.platform, team.id)).waitFor();
    await page.getByLabel(say.issuer).fill(`${company.provider.issuer}/x`);
    await page.getByLabel('Client-ID').fill(company.provider.client.client_id);
    await page.getByLabel(exactly('Client-Secret')).fill(company.provider.client.client_secret);
    app.expectFailures(page, 422);
    await page.getByRole('button', { name: say.save }).click();
    await page.getByText(/keine OpenID-Konfiguration .Status 404./).waitFor();
    await page.getByLabel(say.issuer).fill(company.provider.issuer);
    await page.getByRole('button', { name: say.save }).click();
    await page.getByText('Anbieter gespeichert.').waitFor();
    await page.getByText('Noch nicht nutzbar: Domain hinzufügen').waitFor();
    await page.getByLabel('Neue Domain').fill('Acme.example');
    await page.getByRole('button', { name: 'Domain hinzufügen' }).click();
    await page.getByText('_team-customer-api.acme.example').waitFor();
    expect(await page.getByLabel('Neue Domain').inputValue()).toBe('');
    await page.getByText('Noch nicht nutzbar: Domain bestätigen').waitFor();
    expect(await page.getByRole('button', { name: 'Anmeldung testen' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    expect(await page.content()).not.toContain(company.provider.client.client_secret);
  });

  it('is tested before anybody is affected: the page says who one would be, or why it fails', async () => {
    const team = await app.team();
    await setUp(team, 'tested.example');
    const page = await app.signedIn(team.owner.email, '/settings/company-account');
    await trustProvider(page);
    await page.getByText('Noch nicht getestet').waitFor();
    const test = async (login: string) => {
      await page.getByRole('button', { name: 'Anmeldung testen' }).click();
      await signInAtProvider(page, login);
    };
    app.expectFailures(page, 409);
    company.provider.accounts.set('a stranger', { email: 'x@foreign.example', email_verified: true });
    await test('a stranger');
    await page.getByRole('heading', { name: 'Test fehlgeschlagen' }).waitFor();
    await page.getByText(/x@foreign.example gehört zu keiner Domain/).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Zurück zu den Einstellungen' }).click();

    await page
      .context()
      .clearCookies({ domain: new URL(company.provider.issuer).hostname, path: /^\/interaction|^\/$/ });
    company.provider.accounts.set('vera', { email: 'vera@tested.example', email_verified: true, name: 'Vera Kauf' });
    await test('vera');
    await page.getByRole('heading', { name: 'Die Anmeldung funktioniert' }).waitFor();
    await page.getByText(/Vera Kauf \(vera@tested.example\) und würden dem Team beitreten: als Mitglied/).waitFor();
    await page.getByRole('link', { name: 'Zurück zu den Einstellungen' }).click();
    await page.getByText('Erfolgreich', { exact: true }).waitFor();
    await page.getByText('Nutzbar', { exact: true }).waitFor();
    expect(await app.service.database.prisma.member.count({ where: { tenantId: team.id } })).toBe(1);
  });

  it('signs a person in, who comes to the page that they wanted; is demanded: a person with a password is led to it, and the owner is let in', async () => {
    const team = await app.team({ name: 'Streng' });
    await setUp(team, 'strict.example');
    await team.anActiveMember({ role: 'admin', rights: ['schnittstellen'], email: 'boss@strict.example' });
    const page = await app.open('/sign-in?next=%2Fsettings%2Frequired-sign-in');
    await trustProvider(page);
    await signIn(page, 'boss@strict.example');
    await page.waitForURL('**/settings/required-sign-in');
    await page.locator('main#main h1').waitFor();
    await goWithin(page, '/account');
    await page.getByText('Angemeldet mit dem Firmenkonto').waitFor();
    expect(await page.getByRole('heading', { name: 'Passkeys' }).count()).toBe(0);
    await app.settled(page);
    await expectAccessible(page);
    await goWithin(page, '/settings/required-sign-in');
    const require = async () => {
      await page.getByRole('radio', { name: say.only }).check();
      await page.getByText('2 von 2 bereit').waitFor();
      await page.getByRole('radio', { name: 'sofort' }).check();
      await page.getByRole('button', { name: 'Weiter …' }).click();
      await page.getByRole('button', { name: 'Ab sofort verlangen' }).click();
    };
    // A fresh proof is needed, which the provider gives.
    app.expectFailures(page, 403);
    await require();
    await page.getByRole('button', { name: 'Mit dem Firmenkonto bestätigen' }).click();
    await signInAtProvider(page, 'boss@strict.example');
    await page.waitForURL('**/settings/required-sign-in');
    await require();
    await page.getByText('Anmelderichtlinie gespeichert.').waitFor();

    await app.signedIn(team.owner.email, '/');
    const { email } = await app.person(team, 'member');
    const other = await app.open('/sign-in');
    await trustProvider(other);
    await fillSignIn(other, email);
    await other.getByRole('heading', { name: 'Ihr Team verlangt das Firmenkonto' }).waitFor();
    await other.getByRole('button', { name: 'Abmelden' }).click();
    await other.getByRole('heading', { name: 'Anmelden' }).waitFor();
  });
});
