import { describe, expect, it } from 'vitest';
import { makeBrowser } from '../support/people.ts';
import { totp } from '../support/authenticators.ts';
import { countKept, downloadBy, exactly, expectAccessible, hasBrowser, password, useApp } from './support/app.ts';

const say = {
  current: 'Aktuelles Passwort',
  changePassword: 'Passwort ändern',
  yourPassword: 'Ihr Passwort',
  kept: 'Ich habe die Codes gespeichert',
  everywhere: 'Sign out everywhere',
} as const;

const another = 'another long password';

describe.skipIf(!hasBrowser)('the account', () => {
  const app = useApp();

  const personOf = (email: string) => app.service.database.prisma.person.findUniqueOrThrow({ where: { email } });

  it('shows the open page in another language at once, and keeps what was typed', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/settings');
    await page.getByLabel(exactly('Name')).fill('Kern');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await page.getByLabel(exactly('Name')).inputValue()).toBe('Kern');
    await page.getByRole('region', { name: 'Team', exact: true }).getByRole('button', { name: 'Save' }).waitFor();
    await page.getByText('Default language for invitations.').waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('columnheader', { name: 'Scopes' }).waitFor();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('columnheader', { name: 'Berechtigungen' }).waitFor();
  });

  it('shows the person’s own language in a browser that has another one, and asks for nothing twice', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/account', { language: 'en' });
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/trpc/')) asked.push(pathname + search);
    });
    for (const [path, heading] of [
      ['/', 'Overview'],
      ['/members', 'Members'],
    ] as const) {
      await page.evaluate(`localStorage.setItem('language', 'de')`);
      asked.length = 0;
      await page.goto(`${app.service.origin}${path}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await app.settled(page);
      expect(asked.length).toBeGreaterThan(2);
      expect([path, asked.toSorted()]).toEqual([path, [...new Set(asked)].toSorted()]);
    }
  });

  it('turns the weekly email on and off for those who lead the team, and does not show it to others', async () => {
    const team = await app.team();
    const { email, member_id: id } = team.owner;
    const page = await app.signedIn(email, '/account');
    for (const isOn of [true, false]) {
      await page.getByRole('switch', { name: /^Montags eine E-Mail zum Team/, checked: !isOn }).press('Space');
      const where = { tenantId: team.id, id };
      const stored = () => app.service.database.prisma.member.findFirstOrThrow({ where });
      await expect.poll(async () => (await stored()).weeklyMail).toBe(isOn);
    }
    const member = await app.signedIn((await app.person(team, 'member')).email, '/account');
    await member.getByRole('region', { name: 'Profil' }).waitFor();
    expect(await member.getByRole('region', { name: 'Wöchentliche E-Mail' }).count()).toBe(0);
  });

  it('changes the person’s name, password and language, and ends other sessions: at once, one or all', async () => {
    const team = await app.team();
    const { email } = team.owner;
    const elsewhere = makeBrowser(app.service);
    await elsewhere.signIn(email, password);
    const page = await app.signedIn(email, '/account');
    await page.getByLabel(exactly('Name')).fill('Mia Berg');
    await page.getByRole('button', { name: 'Namen speichern' }).click();
    await page.getByText('Name gespeichert.').waitFor();
    expect(await personOf(email)).toMatchObject({ name: 'Mia Berg', language: 'de' });

    app.expectFailures(page, 422);
    await page.getByLabel(say.current).fill('not the password');
    await page.getByLabel(exactly('Neues Passwort')).fill(another);
    await page.getByRole('button', { name: say.changePassword }).click();
    await page.getByRole('alert').getByText('Das Passwort ist falsch.').waitFor();
    await page.getByLabel(say.current).fill(password);
    await page.getByRole('button', { name: say.changePassword }).click();
    await page.getByText(/^Passwort geändert/).waitFor();
    const typed = [page.getByLabel(say.current), page.getByLabel(exactly('Neues Passwort'))];
    expect(await Promise.all(typed.map((field) => field.inputValue()))).toEqual(['', '']);
    expect(await elsewhere.isSignedIn()).toBe(false);

    const [phone, desk] = [makeBrowser(app.service), makeBrowser(app.service, { userAgent: 'curl/8' })];
    for (const one of [phone, desk]) expect((await one.signIn(email, another)).status).toBe(200);
    await page.reload();
    const sessions = page.getByRole('table', { name: 'Sitzungen' });
    await sessions.getByText('Dieser Browser').waitFor();
    expect(await sessions.getByRole('row').count()).toBe(4);
    await sessions.getByRole('button', { name: 'Firefox abmelden' }).click();
    await page.getByText('Sitzung beendet.').waitFor();
    expect([await phone.isSignedIn(), await desk.isSignedIn()]).toEqual([false, true]);

    await page.getByRole('radiogroup').getByText('English').click();
    await page.getByRole('heading', { level: 1, name: 'Account and security' }).waitFor();
    await expect.poll(async () => (await personOf(email)).language).toBe('en');
    await page.getByLabel(exactly('Name')).fill('Not sent yet');
    await expect.poll(() => countKept(page)).toBeGreaterThan(2);
    await page.getByRole('button', { name: say.everywhere }).click();
    await page.getByRole('dialog').getByRole('checkbox').check();
    const sent = page.waitForRequest(/account\.signOutEverywhere/);
    await page.getByRole('dialog').getByRole('button', { name: say.everywhere }).click();
    expect((await sent).postDataJSON()).toEqual({ keep_assistants: true });
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await countKept(page)).toBe(1);
    expect(await desk.isSignedIn()).toBe(false);
  });

  it('sets up the second factor with an app, and turns it off again', async () => {
    const team = await app.team();
    const { email } = team.owner;
    const page = await app.signedIn(email, '/account');
    const panel = page.getByRole('region', { name: 'Zwei-Faktor-Authentifizierung' });
    await panel.getByRole('button', { name: 'Einrichten' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(exactly(say.yourPassword)).fill(password);
    await dialog.getByRole('button', { name: 'Weiter' }).click();
    await dialog.getByRole('img', { name: 'QR-Code für die Authenticator-App' }).waitFor();
    await expectAccessible(page);
    const secret = (await dialog.getByTestId('totp-secret').innerText()).replaceAll(' ', '');
    // As apps show it.
    await dialog.getByLabel(exactly('Code aus der App')).fill(totp(secret).replace(/^.../, '$& '));
    await dialog.getByRole('button', { name: 'Aktivieren' }).click();
    const shown = (await dialog.getByTestId('secret').innerText()).trim().split('\n');
    expect(shown).toHaveLength(10);
    await expectAccessible(page);
    const { name, content } = await downloadBy(page, dialog.getByRole('button', { name: 'Herunterladen' }));
    expect(name).toBe('backup-codes.txt');
    expect(content.toString().trim().split('\n')).toEqual(shown);
    await dialog.getByRole('button', { name: say.kept }).click();
    await panel.getByText('Noch 10 Wiederherstellungscodes verfügbar.').waitFor();
    expect((await makeBrowser(app.service).signIn(email, password)).data).toEqual({ next: 'second_factor' });

    await panel.getByRole('button', { name: 'Neue Wiederherstellungscodes' }).click();
    await dialog.getByLabel(exactly(say.yourPassword)).fill(password);
    await dialog.getByRole('button', { name: 'Neue Wiederherstellungscodes erstellen' }).click();
    const fresh = (await dialog.getByTestId('secret').innerText()).trim().split('\n');
    expect(fresh).not.toEqual(shown);
    await dialog.getByRole('button', { name: say.kept }).click();

    await panel.getByRole('button', { name: 'Deaktivieren', exact: true }).click();
    await dialog.getByLabel(exactly(say.yourPassword)).fill(password);
    await dialog.getByRole('button', { name: 'Deaktivieren' }).click();
    await page.getByText('Zwei-Faktor-Authentifizierung deaktiviert.').waitFor();
    expect((await makeBrowser(app.service).signIn(email, password)).data).toEqual({ next: 'signed_in' });
  });
});
