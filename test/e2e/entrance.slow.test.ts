import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { makeKeyText } from '../../src/modules/keys/key-text.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { makeBrowser } from '../support/people.ts';
import { totp } from '../support/authenticators.ts';
import { countKept, exactly, expectNothingSticksOut, fillSignIn, hasBrowser, password, useApp } from './support/app.ts';
import { mailedPath } from './support/mails.ts';

const say = {
  signIn: 'Anmelden',
  email: 'E-Mail',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  setPassword: 'Passwort festlegen',
  invitation: (team: string) => `Einladung in das Team „${team}“`,
  accept: 'Einladung annehmen',
  signOut: 'Abmelden',
  code: 'Code aus Ihrer Authenticator-App',
  confirm: 'Bestätigen',
  switchTeam: /^Team wechseln/,
} as const;

const another = 'another long password';

describe.skipIf(!hasBrowser)('the entrance', () => {
  const app = useApp();

  /** The person turns the second factor on. */
  const withSecondFactor = async (email: string) => {
    const at = makeBrowser(app.service);
    await at.signIn(email, password);
    const { data } = await at.mutate('entrance/account.startTwoFactor', { password });
    const secret = String(data['secret']);
    await at.mutate('entrance/account.confirmTwoFactor', { code: totp(secret) });
    const [backup = ''] = String(data['backup_codes']).split(',');
    return { secret, backup };
  };
  const arrived = (page: Page) => page.locator('main#main h1').waitFor();
  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  it('explains that a password is wrong, and after a right one opens the requested page, but only one of the app', async () => {
    const team = await app.team();
    const page = await app.open(`/sign-in?next=${encodeURIComponent('/members')}`);
    app.expectFailures(page, 422);
    await page.getByLabel(say.email).and(page.locator('input[name=email]')).waitFor();
    await page.getByLabel(exactly(say.password)).and(page.locator('input[name=password]')).waitFor();
    await fillSignIn(page, team.owner.email, 'not the password');
    await page.getByRole('alert').getByText('E-Mail oder Passwort ist falsch.').waitFor();
    await fillSignIn(page, team.owner.email, password);
    await arrived(page);
    expect(new URL(page.url()).pathname).toBe('/members');
    // A person who is signed in does not see the form again.
    await page.goto(`/sign-in?next=${encodeURIComponent('/account')}`);
    await arrived(page);
    expect(new URL(page.url()).pathname).toBe('/account');
    // Nor do links lead elsewhere: test/web/path-within.test.ts tries every form.
    await page.goto(`/sign-in?next=${encodeURIComponent('/\\evil.example')}`);
    await arrived(page);
    expect(page.url()).toBe(`${app.service.origin}/`);
  });

  it('signs out in the menu, and leaves nothing for the next person', async () => {
    const [one, other] = [await app.team({ name: 'Nord' }), await app.team({ name: 'Süd' })];
    const page = await app.signedIn(one.owner.email, '/account');
    await page.getByLabel(exactly('Name')).fill('Not sent yet');
    await expect.poll(() => countKept(page)).toBeGreaterThan(2);
    await page.getByRole('button', { name: 'Ihr Konto' }).click();
    await page.getByRole('menuitem', { name: say.signOut }).click();
    await title(page, say.signIn);
    // Only the team that was shown last stays, for this browser's next tab.
    expect(await countKept(page)).toBe(1);
    expect(new URL(page.url()).search).toBe('');
    await fillSignIn(page, other.owner.email, password);
    await page.getByRole('banner').getByText('Süd').waitFor();
    expect(await page.getByText('Nord').count()).toBe(0);
  });

  it('has whole texts in its buttons on a narrow phone, and the language of the page, whatever the browser’s language', async () => {
    const page = await app.open('/sign-in', { language: 'en', width: 320 });
    // The first texts have another font, until the page's own is loaded.
    const expectWholeTexts = () => expectNothingSticksOut(page, 'the sign-in', 320);
    await title(page, 'Sign in');
    await expectWholeTexts();
    // Before the app starts again: while it starts for the first time, it stores the browser's language.
    await page.addInitScript(`localStorage.setItem('language', 'de')`);
    await page.reload();
    await title(page, say.signIn);
    await expectWholeTexts();
    const email = page.locator('input[name=email]');
    const tryIt = () => page.locator('button[type=submit]').click();
    await tryIt();
    await page.getByText('Bitte füllen Sie dieses Feld aus.').first().waitFor();
    await email.and(page.locator(':focus')).waitFor();
    await email.fill('somebody');
    await tryIt();
    await page.getByText('Bitte geben Sie eine gültige E-Mail-Adresse ein.').waitFor();
  });

  it('resets a forgotten password with the mailed link', async () => {
    const team = await app.team();
    const { email } = team.owner;
    const page = await app.open('/sign-in');
    await page.getByRole('link', { name: 'Passwort vergessen?' }).click();
    await title(page, 'Passwort zurücksetzen');
    await page.getByLabel(say.email).fill(email);
    await page.getByRole('button', { name: 'Link anfordern' }).click();
    await title(page, 'E-Mail gesendet');

    await page.goto(await mailedPath(app, email, 'password_reset'));
    await title(page, 'Neues Passwort festlegen');
    await page.getByLabel(exactly(say.newPassword)).fill(another);
    await page.getByRole('button', { name: say.setPassword }).click();
    // The new password was just typed, so nobody types it again.
    await arrived(page);
    await page.getByText('Passwort geändert. Andere Geräte wurden abgemeldet.').waitFor();
  });

  it('asks at once for the second factor after a reset, which it never replaces', async () => {
    const team = await app.team();
    const { email } = team.owner;
    await withSecondFactor(email);
    await makeBrowser(app.service).mutate('entrance/entrance.requestReset', { email });
    const page = await app.open(await mailedPath(app, email, 'password_reset'));
    await page.getByLabel(exactly(say.newPassword)).fill(another);
    await page.getByRole('button', { name: say.setPassword }).click();
    await title(page, 'Zwei-Faktor-Authentifizierung');
    await page.goto('/members');
    await title(page, say.signIn);
  });

  it('adds a new person to the team that invited them', async () => {
    const team = await app.team({ name: 'Vertrieb Nord' });
    const { email } = await team.anInvitedMember();
    const page = await app.open(await mailedPath(app, email ?? '', 'invitation'));
    await title(page, say.invitation('Vertrieb Nord'));
    await page.getByLabel('Ihr Name').fill('Mia Berg');
    await page.getByLabel(exactly(say.password)).fill(password);
    await page.getByRole('button', { name: say.accept }).click();
    await arrived(page);
    await page.getByRole('banner').getByText('Vertrieb Nord').waitFor();
    const { data } = await team.client.get('/users');
    expect(data).toContainEqual(expect.objectContaining({ email, status: 'active', role: 'member' }));
    const person = await app.service.database.prisma.person.findUniqueOrThrow({ where: { email: email ?? '' } });
    expect(person).toMatchObject({ name: 'Mia Berg', language: 'de' });
  });

  it('adds a known person to a second team, once they are signed in as the invited person', async () => {
    const [own, other] = [await app.team({ name: 'Vertrieb Nord' }), await app.team({ name: 'Vertrieb Süd' })];
    const { email } = await app.person(own, 'member');
    const stranger = await app.person(own, 'admin');
    await other.anInvitedMember({ email });
    const path = await mailedPath(app, email, 'invitation');
    const page = await app.signedIn(stranger.email, '/');
    await page.goto(path);
    await page.getByText(`gilt für ${email}, Sie sind jedoch als ${stranger.email} angemeldet`).waitFor();
    await page.getByRole('button', { name: say.signOut }).click();
    await page.getByRole('link', { name: say.signIn }).click();
    await fillSignIn(page, email, password);
    await page.getByRole('button', { name: say.accept }).click();
    await arrived(page);
    await page.getByRole('button', { name: say.switchTeam }).getByText('Vertrieb Süd').waitFor();
    expect((await other.client.get('/users')).data).toContainEqual(
      expect.objectContaining({ email, status: 'active' }),
    );
  });

  it('asks for the second factor: a code of the app, or a backup code, unless it trusts the browser', async () => {
    const team = await app.team();
    const { email } = team.owner;
    const { secret, backup } = await withSecondFactor(email);
    const page = await app.open('/sign-in');
    app.expectFailures(page, 422);
    await fillSignIn(page, email, password);
    await title(page, 'Zwei-Faktor-Authentifizierung');
    await page.locator('input[name=code]:focus').waitFor();
    await page.getByLabel(say.code).fill('000 000');
    await page.getByRole('button', { name: say.confirm }).click();
    await page.getByRole('alert').getByText('Der Code ist falsch.').waitFor();
    await page.getByLabel(say.code).fill(totp(secret, 1).replace(/^.../, '$& '));
    await page.getByLabel('Diesem Browser 30 Tage vertrauen').check();
    await page.getByRole('button', { name: say.confirm }).click();
    await arrived(page);

    // A running request of the page would be refused after the sign-out.
    await app.settled(page);
    await page.evaluate(`fetch('/trpc/entrance/entrance.signOut', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })`);
    await page.goto('/sign-in');
    await fillSignIn(page, email, password);
    await arrived(page);

    const elsewhere = await app.open('/sign-in');
    await fillSignIn(elsewhere, email, password);
    await elsewhere.getByRole('button', { name: 'Wiederherstellungscode verwenden' }).click();
    await elsewhere.getByLabel(exactly('Wiederherstellungscode')).fill(backup);
    await elsewhere.getByRole('button', { name: say.confirm }).click();
    await arrived(elsewhere);
  });

  it('leads back from each step, and keeps nothing that was typed for another one', async () => {
    const team = await app.team();
    const { email } = team.owner;
    await withSecondFactor(email);
    const page = await app.open('/sign-in');
    await fillSignIn(page, email, password);
    await page.getByLabel(say.code).fill('123 456');
    await page.getByRole('button', { name: 'Wiederherstellungscode verwenden' }).click();
    expect(await page.getByLabel(exactly('Wiederherstellungscode')).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Zurück' }).click();
    await title(page, say.signIn);
    expect(await page.getByRole('alert').count()).toBe(0);

    await page.goto('/reset-password');
    await page.getByLabel(say.email).fill('nobody@example.com');
    await page.getByRole('button', { name: 'Link anfordern' }).click();
    await page.getByRole('button', { name: 'Andere Adresse verwenden' }).click();
    await title(page, 'Passwort zurücksetzen');

    await page.goto('/report-key');
    await page.locator('input[name=key]').fill(makeKeyText().text);
    await page.getByRole('button', { name: 'Schlüssel melden' }).click();
    await page.getByRole('button', { name: 'Weiteren Schlüssel melden' }).click();
    await expect.poll(() => page.locator('input[name=key]').inputValue()).toBe('');
  });

  it('opens the team of a link; a person in two teams switches in the menu, and each tab keeps its own team', async () => {
    const [north, south] = [await app.team({ name: 'Nord' }), await app.team({ name: 'Süd' })];
    const { email } = await app.person(north, 'admin');
    await addActivePerson(await south.acting(), { email, role: 'member' });
    const page = await app.signedIn(email, `/account?team=${south.id}`, { byForm: true });
    const team = page.getByRole('button', { name: say.switchTeam });
    await team.getByText('Süd').waitFor();
    await page.goto(`/account?team=${north.id}`);
    await team.getByText('Nord').waitFor();
    await page.goto(`/account?team=${crypto.randomUUID()}`);
    await team.getByText('Nord').waitFor();
    await team.click();
    await page.getByRole('menuitem', { name: 'Süd' }).click();
    await team.getByText('Süd').waitFor();
    await page.waitForURL(`${app.service.origin}/`); // until then the address still has the link's team
    await page.reload();
    await team.getByText('Süd').waitFor();
    await page.goto('/account');
    await page.getByRole('button', { name: 'Zu Nord wechseln' }).click();
    await team.getByText('Nord').waitFor();
  });
});
