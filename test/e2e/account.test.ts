import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser-session.ts';
import { totp } from '../support/totp.ts';
import { expectAccessible, hasBrowser, password, useApp } from './support/app.ts';

const say = {
  title: 'Konto und Sicherheit',
  name: 'Name',
  saveName: 'Namen speichern',
  nameSaved: 'Name gespeichert.',
  current: 'Aktuelles Passwort',
  newPassword: 'Neues Passwort',
  changePassword: 'Passwort ändern',
  passwordChanged: /^Passwort geändert/,
  wrongPassword: 'Das Passwort ist falsch.',
  secondFactor: 'Zwei-Faktor-Authentifizierung',
  setUp: 'Einrichten',
  yourPassword: 'Ihr Passwort',
  proceed: 'Weiter',
  code: 'Code aus der App',
  qr: 'QR-Code für die Authenticator-App',
  turnOn: 'Aktivieren',
  save: 'Herunterladen',
  kept: 'Ich habe die Codes gespeichert',
  left: 'Noch 10 Wiederherstellungscodes verfügbar.',
  newCodes: 'Neue Wiederherstellungscodes',
  makeCodes: 'Neue Wiederherstellungscodes erstellen',
  off: 'Deaktivieren',
  turnOff: 'Deaktivieren',
  isOff: 'Zwei-Faktor-Authentifizierung deaktiviert.',
  sessions: 'Sitzungen',
  here: 'Dieser Browser',
  endFirefox: 'Firefox abmelden',
  ended: 'Sitzung beendet.',
  everywhere: 'Sign out everywhere',
  signIn: 'Sign in',
  teams: 'Ihre Teams',
  suspended: 'Gesperrt',
} as const;

/** A field's label, with the mark of required fields. */
const exactly = (label: string) => new RegExp(`^${label}( \\*)?$`);

const another = 'another long password';

describe.skipIf(!hasBrowser)('the account', () => {
  const app = useApp();

  const personOf = (email: string) => app.service.database.prisma.person.findUniqueOrThrow({ where: { email } });

  it('shows the open page in another language at once, and keeps what was typed', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/settings');
    await page.getByLabel(exactly(say.name)).fill('Kern');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await page.getByLabel(exactly('Name')).inputValue()).toBe('Kern');
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await page.getByText('seats taken').waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('columnheader', { name: 'Scopes' }).waitFor();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('columnheader', { name: 'Berechtigungen' }).waitFor();
  });

  it('changes the person’s name, password and language, and ends other sessions: at once, one or all', async () => {
    const team = await app.team();
    const { email } = team.owner;
    const elsewhere = openBrowser(app.service);
    await elsewhere.signIn(email, password);
    const page = await app.signedIn(email, '/account');
    await page.getByLabel(exactly(say.name)).fill('Mia Berg');
    await page.getByRole('button', { name: say.saveName }).click();
    await page.getByText(say.nameSaved).waitFor();
    expect(await personOf(email)).toMatchObject({ name: 'Mia Berg', language: 'de' });

    app.expectFailures(page, 422);
    await page.getByLabel(say.current).fill('not the password');
    await page.getByLabel(exactly(say.newPassword)).fill(another);
    await page.getByRole('button', { name: say.changePassword }).click();
    await page.getByRole('alert').getByText(say.wrongPassword).waitFor();
    await page.getByLabel(say.current).fill(password);
    await page.getByRole('button', { name: say.changePassword }).click();
    await page.getByText(say.passwordChanged).waitFor();
    expect(await elsewhere.isSignedIn()).toBe(false);

    const [phone, desk] = [openBrowser(app.service), openBrowser(app.service, { userAgent: 'curl/8' })];
    for (const one of [phone, desk]) expect((await one.signIn(email, another)).status).toBe(200);
    await page.reload();
    const sessions = page.getByRole('table', { name: say.sessions });
    await sessions.getByText(say.here).waitFor();
    expect(await sessions.getByRole('row').count()).toBe(4);
    await sessions.getByRole('button', { name: say.endFirefox }).click();
    await page.getByText(say.ended).waitFor();
    expect([await phone.isSignedIn(), await desk.isSignedIn()]).toEqual([false, true]);

    await page.getByRole('radiogroup').getByText('English').click();
    await page.getByRole('heading', { level: 1, name: 'Account and security' }).waitFor();
    await expect.poll(async () => (await personOf(email)).language).toBe('en');
    await page.getByRole('button', { name: say.everywhere }).click();
    await page.getByRole('dialog').getByRole('button', { name: say.everywhere }).click();
    await page.getByRole('heading', { level: 1, name: say.signIn }).waitFor();
    expect(await desk.isSignedIn()).toBe(false);
  });

  it('sets up the second factor with an app, and turns it off again', async () => {
    const team = await app.team();
    const { email } = team.owner;
    const page = await app.signedIn(email, '/account');
    const panel = page.getByRole('region', { name: say.secondFactor });
    await panel.getByRole('button', { name: say.setUp }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(exactly(say.yourPassword)).fill(password);
    await dialog.getByRole('button', { name: say.proceed }).click();
    await dialog.getByRole('img', { name: say.qr }).waitFor();
    await expectAccessible(page);
    const secret = (await dialog.getByTestId('totp-secret').innerText()).replaceAll(' ', '');
    await dialog.getByLabel(exactly(say.code)).fill(totp(secret));
    await dialog.getByRole('button', { name: say.turnOn }).click();
    const shown = (await dialog.getByTestId('secret').innerText()).trim().split('\n');
    expect(shown).toHaveLength(10);
    await expectAccessible(page);
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: say.save }).click();
    const file = await (await downloading).path();
    expect((await readFile(file, 'utf8')).trim().split('\n')).toEqual(shown);
    await dialog.getByRole('button', { name: say.kept }).click();
    await panel.getByText(say.left).waitFor();
    expect((await openBrowser(app.service).signIn(email, password)).data).toEqual({ next: 'second_factor' });

    await panel.getByRole('button', { name: say.newCodes }).click();
    await dialog.getByLabel(exactly(say.yourPassword)).fill(password);
    await dialog.getByRole('button', { name: say.makeCodes }).click();
    const fresh = (await dialog.getByTestId('secret').innerText()).trim().split('\n');
    expect(fresh).not.toEqual(shown);
    await dialog.getByRole('button', { name: say.kept }).click();

    await panel.getByRole('button', { name: say.off, exact: true }).click();
    await dialog.getByLabel(exactly(say.yourPassword)).fill(password);
    await dialog.getByRole('button', { name: say.turnOff }).click();
    await page.getByText(say.isOff).waitFor();
    expect((await openBrowser(app.service).signIn(email, password)).data).toEqual({ next: 'signed_in' });
  });
});
