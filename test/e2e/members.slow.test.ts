import { describe, expect, it } from 'vitest';
import { minutesToMs } from '../../src/core/clock.ts';
import type { Page } from 'playwright-core';
import { setInvitationsInHour } from '../support/budgets.ts';
import { renamePerson } from '../support/people.ts';
import { anEmail, type TestTeam } from '../support/team.ts';
import { downloadBy, expectAccessible, hasBrowser, useApp, typeToConfirm, filterBy } from './support/app.ts';

const say = {
  send: 'Einladung senden',
  several: 'Mehrere Personen einladen',
  list: 'Liste',
  check: 'Prüfen',
  sendAll: '3 Personen einladen',
  malformed: [
    'Keine E-Mail-Adresse: Das @ fehlt',
    'Unbekannte Rolle: chef',
    'Unbekannte Sprache: fr',
    'Doppelter Eintrag, siehe Zeile 2',
    'Bereits Mitglied',
  ],
  emailIn: 'E-Mail in Zeile',
  changeRole: 'Rolle ändern',
  jump: 'Zu Namen springen',
  actions: 'Aktionen für',
  promote: 'Zum Admin machen',
  demote: 'Zum Mitglied machen',
  yesRemove: 'Entfernen',
  yesWithdraw: 'Zurückziehen',
  invited: 'Eingeladen',
  search: 'Name oder E-Mail',
  nobody: 'Keine Mitglieder entsprechen den Filtern',
  policy: 'Freigaben ansehen',
  selection: 'Aktionen für die Auswahl',
  selectAll: 'Alle geladenen Zeilen auswählen',
} as const;

const usersOf = async ({ client }: TestTeam) => (await client.get('/users')).data;
const userWith = async (team: TestTeam, email: string) => (await usersOf(team)).find((user) => user['email'] === email);

describe.skipIf(!hasBrowser)('the members page', () => {
  const app = useApp();

  const rowOf = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email });
  const choose = async (page: Page, email: string, action: string) => {
    await rowOf(page, email).getByRole('button', { name: say.actions }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const confirm = async (page: Page, action: string) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  it('invites many from a file, leaves out malformed lines and shows the result of each', async () => {
    const team = await app.team({ seats: 2 });
    const [first, third, fourth] = [anEmail('first'), anEmail('third'), anEmail('fourth')];
    const page = await app.signedIn(team.owner.email, '/members');
    await page.getByRole('button', { name: say.several }).click();
    const dialog = page.getByRole('dialog');
    // In the format of a German spreadsheet program.
    const rows = [
      'Rolle;E-Mail;Abteilung;Sprache',
      `Admin;${first};Vertrieb;de`,
      `;${team.owner.email};;`,
      ';"=cmd|\'/c calc\'!A1";;',
      `chef;${anEmail()};;`,
      `;${anEmail()};;fr`,
      `;${first.toUpperCase()};;`,
      `;"Drei, Tina <${third}>";;en`,
      `Mitglied;${fourth};;`,
    ];
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'team.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`\uFEFF${rows.join('\r\n')}\r\n`),
    });
    const preview = dialog.getByRole('table', { name: 'Vorschau' });
    await preview.waitFor();
    for (const flaw of say.malformed) await preview.getByText(flaw).waitFor();
    await dialog.getByText('Nur noch 1 Platz ist frei.').waitFor();
    await dialog.getByText('Abteilung').waitFor();
    await dialog.getByRole('button', { name: say.sendAll }).click();

    await dialog.getByText('1 Einladung gesendet. 5 Personen wurden nicht eingeladen.').waitFor();
    const results = dialog.getByRole('table', { name: 'Ergebnis' });
    for (const flaw of say.malformed.slice(0, 3)) await results.getByText(flaw).waitFor();
    for (const email of [third, fourth]) {
      await results.getByRole('row').filter({ hasText: email }).getByText('Kein Platz frei', { exact: true }).waitFor();
    }
    await dialog.getByText('1 ohne weiteren Schritt').click();
    await dialog.getByRole('listitem').filter({ hasText: first }).getByText('Eingeladen').waitFor();
    await expectAccessible(page);
    expect((await usersOf(team)).map((user) => user['email'])).toEqual([team.owner.email, first]);
    expect(await userWith(team, first)).toMatchObject({ role: 'admin' });
    await dialog.getByRole('button', { name: 'Rest bearbeiten' }).click();
    // What had a mistake is still there.
    const list = await dialog.getByLabel(say.list).inputValue();
    expect(list).toContain(`${third},member,en,Tina Drei\n${fourth},member,`);
    for (const flaw of ["=cmd|'/c calc'!A1", ',chef,', ',fr,']) expect(list).toContain(flaw);
  });

  it('lets mistakes of a pasted list be corrected in place, and invites the others meanwhile', async () => {
    const team = await app.team();
    const [bare, right, noAt, chief] = [anEmail('bare'), anEmail('right'), anEmail('no-at'), anEmail('chief')];
    const page = await app.signedIn(team.owner.email, '/members');
    await page.getByRole('button', { name: say.several }).click();
    const dialog = page.getByRole('dialog');
    const pasted = [bare, `Berg, Mia;${right};admin`, `${noAt.replace('@', '')};en`, `${chief};chef`];
    await dialog.getByLabel(say.list).fill(pasted.join('\n'));
    await dialog.getByRole('button', { name: say.check }).click();
    await dialog.getByRole('button', { name: '2 Personen einladen' }).waitFor();
    // An address of somebody who is in the team is recognized after the correction, too.
    await dialog.getByLabel(`${say.emailIn} 3`).fill(team.owner.email);
    await page.keyboard.press('Tab');
    await dialog.getByText('Bereits Mitglied').waitFor();
    await dialog.getByLabel(`${say.emailIn} 3`).fill(noAt);
    await dialog.getByLabel(`Rolle in Zeile 4`).selectOption('admin');
    await dialog.getByRole('button', { name: '4 Personen einladen' }).click();
    await dialog.getByText('4 Einladungen gesendet.').waitFor();
    expect((await usersOf(team)).map(({ email, role }) => [email, role]).slice(1)).toEqual([
      [bare, 'member'],
      [right, 'admin'],
      [noAt, 'member'],
      [chief, 'admin'],
    ]);
    await dialog.getByRole('button', { name: 'Fertig' }).click();
    await rowOf(page, right).getByText('Mia Berg').waitFor();
  });

  it('explains why a person can’t be invited, and invites them with a role, in a language', async () => {
    const team = await app.team({ seats: 1 });
    const email = anEmail('Invited');
    const page = await app.signedIn(team.owner.email, '/members');
    await page.getByRole('button', { name: 'Einladen', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nicht genügend Plätze').waitFor();
    await dialog.getByLabel('E-Mail').fill(email);
    await dialog.getByLabel('Rolle').selectOption('admin');
    await dialog.getByLabel('Sprache der Einladung').selectOption('en');
    await dialog.getByRole('button', { name: say.send }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: 'Alle Plätze sind belegt. Entfernen Sie ein Mitglied' })
      .waitFor();

    await team.change({ seats: 20 });
    await dialog.getByRole('button', { name: say.send }).click();
    await dialog.waitFor({ state: 'hidden' });
    await rowOf(page, email.toLowerCase()).getByText(say.invited).first().waitFor();
    await page.getByText('2 von 20 Plätzen belegt.').waitFor();
    expect(await userWith(team, email.toLowerCase())).toMatchObject({ role: 'admin', status: 'invited' });
    const [mail] = await app.service.mailsTo(email.toLowerCase());
    expect(mail).toMatchObject({ kind: 'invitation', language: 'en' });
  });

  it('lets invitations beyond the hour’s limit wait, says when they are sent, and cancels them', async () => {
    const team = await app.team({ seats: 100 });
    // In the middle of a minute: the next sending may be a second later.
    const inHalfAnHour = Math.floor(app.service.clock.now().getTime() / 60_000) * 60_000 + minutesToMs(30.5);
    const endsAt = new Date(inHalfAnHour);
    await setInvitationsInHour(app.service, team, 59, endsAt);
    const [one, two, three] = [anEmail('one'), anEmail('two'), anEmail('three')];
    const page = await app.signedIn(team.owner.email, '/members');
    await page.getByRole('button', { name: say.several }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(say.list).fill([one, two, three].join(';'));
    await dialog.getByRole('button', { name: say.check }).click();
    await dialog.getByText('2 Einladungen werden später gesendet').first().waitFor();
    await dialog.getByRole('button', { name: say.sendAll }).click();
    await dialog.getByText('1 Einladung gesendet. 2 Einladungen werden später gesendet.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Fertig' }).click();
    await dialog.waitFor({ state: 'hidden' });

    const notice = page.getByRole('status').filter({ hasText: '2 Einladungen warten' });
    const clock = new Intl.DateTimeFormat('de-DE', { timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(endsAt);
    // In the half hour before midnight, the day is said too.
    await notice.filter({ hasText: new RegExp(`Nächster Versand: (\\S+, )?${clock}`) }).waitFor();
    await notice.getByRole('button', { name: 'Anzeigen' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: `Einladung an ${two} löschen` }).click();
    await rowOf(page, two).waitFor({ state: 'detached' });
    await rowOf(page, three).waitFor();
    await dialog.getByRole('button', { name: 'Alle löschen' }).click();
    await page
      .getByRole('dialog', { name: '1 wartende Einladung löschen?' })
      .getByRole('button', { name: 'Löschen', exact: true })
      .click();
    await expect.poll(() => dialog.count()).toBe(0);
    await notice.waitFor({ state: 'detached' });
    expect((await usersOf(team)).map((user) => user['email'])).toEqual([team.owner.email, one]);
    expect(await app.service.database.prisma.waitingInvitation.count({ where: { tenantId: team.id } })).toBe(0);
  });

  it('lets the owner make a member an admin, give the right to keys, and hand the team over after its name was typed', async () => {
    const team = await app.team({ name: 'Sales North' });
    const { email, member_id } = await app.person(team, 'member');
    const page = await app.signedIn(team.owner.email, '/members');
    await choose(page, email, say.promote);
    await confirm(page, say.promote);
    await rowOf(page, email).getByText('Admin', { exact: true }).waitFor();
    expect((await team.client.get(`/users/${member_id}`)).body).toMatchObject({ role: 'admin' });

    // The last admin stays one.
    app.expectFailures(page, 409);
    await choose(page, email, say.demote);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: say.demote, exact: true }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Machen Sie zuerst ein anderes Mitglied zum Admin.' }).waitFor();
    await expectAccessible(page);
    expect((await team.client.get(`/users/${member_id}`)).body).toMatchObject({ role: 'admin' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    await choose(page, email, 'Berechtigung für API-Schlüssel erteilen');
    await confirm(page, 'Berechtigung erteilen');
    await rowOf(page, email)
      .getByRole('button', { name: /^Details: / })
      .click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('definition').getByText(/API/).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    await choose(page, email, 'Team übergeben …');
    const handOver = dialog.getByRole('button', { name: 'Team übergeben', exact: true });
    expect(await handOver.isDisabled()).toBe(true);
    await dialog.getByLabel('Geben Sie zur Bestätigung den Namen des Teams ein').fill('Sales North');
    await expect.poll(() => handOver.isEnabled()).toBe(true);
    await handOver.click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await team.client.get(`/users/${member_id}`)).body).toMatchObject({ role: 'owner' });
    expect((await team.client.get(`/users/${team.owner.member_id}`)).body).toMatchObject({ role: 'admin' });
    // The new owner can't be changed, and the reader, no longer the owner, can't give rights any more.
    await rowOf(page, email).getByRole('button', { name: say.actions }).click();
    await page.getByRole('menuitem', { name: say.policy }).waitFor();
    expect(await page.getByRole('menuitem').count()).toBe(3);
  });

  it('sends an expired invitation again, and withdraws it, also several at once; the list can be downloaded', async () => {
    const team = await app.team();
    const invited = await team.anInvitedMember();
    const others = [await team.anInvitedMember(), await team.anInvitedMember(), await team.anInvitedMember()];
    const email = invited.email ?? '';
    await app.service.database.prisma.invitation.updateMany({
      where: { tenantId: team.id },
      data: { expiresAt: new Date(0) },
    });
    const page = await app.signedIn(team.owner.email, '/members?status=invited');
    await rowOf(page, email).getByText('Einladung abgelaufen').waitFor();
    await choose(page, email, 'Einladung erneut senden');
    await confirm(page, 'Erneut senden');
    await rowOf(page, email).getByText(say.invited, { exact: true }).waitFor();
    expect(await app.service.mailsTo(email)).toHaveLength(2);

    await choose(page, email, 'Einladung zurückziehen …');
    await confirm(page, say.yesWithdraw);
    await rowOf(page, email).waitFor({ state: 'detached' });
    expect((await team.client.get(`/users/${invited.id}`)).status).toBe(404);

    const boxOf = (at: number) => rowOf(page, others[at]?.email ?? '').getByRole('checkbox');
    const bar = page.getByRole('toolbar', { name: say.selection });
    await boxOf(0).focus();
    await page.keyboard.press('Space');
    await boxOf(2).click({ modifiers: ['Shift'] });
    await bar.getByText('3 von 3 ausgewählt').waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Person', exact: true }).click();
    await page.waitForURL(/sort=name/);
    const file = await downloadBy(page, page.getByRole('button', { name: 'CSV' }));
    expect(file.name).toMatch(/^Mitglieder-.*\.csv$/);
    const lines = file.content.toString().trimEnd().split('\r\n');
    expect(lines.map((line) => line.split(';')[2])).toEqual([
      'E-Mail',
      ...others.map((other) => other.email ?? '').toSorted(new Intl.Collator('en').compare),
    ]);

    await page.getByRole('checkbox', { name: say.selectAll }).click();
    await bar.getByRole('button', { name: 'Einladungen zurückziehen' }).click();
    await typeToConfirm(page, '3');
    await confirm(page, say.yesWithdraw);
    await page.getByText(say.nobody).waitFor();
    expect(await usersOf(team)).toHaveLength(1);
  });

  it('says how many members there are, and jumps to the names of a letter', async () => {
    const team = await app.team({ members: 1 });
    for (const name of ['k-', 'z-']) await team.anInvitedMember({ email: anEmail(name) });
    await renamePerson(app.service, team, team.members[0]?.user_id ?? '', 'Zoë Adler');
    const page = await app.signedIn(team.owner.email, '/members');
    await page.getByText('4 Einträge', { exact: true }).waitFor();
    await filterBy(page, say.jump, 'z');
    await rowOf(page, 'k-').waitFor({ state: 'detached' });
    await rowOf(page, 'z-').waitFor();
    await rowOf(page, 'Zoë Adler').waitFor();
    // The list was also empty for a moment while it loaded.
    expect(await rowOf(page, 'k-').count()).toBe(0);
    await page.getByText('4 Einträge', { exact: true }).waitFor();
    await page.getByLabel(say.search).fill('k-');
    await filterBy(page, say.jump, '');
    await rowOf(page, 'k-').waitFor();
    await page.getByText('1 Treffer', { exact: true }).waitFor();
  });

  it('changes the role of several members, and says for whom it was not possible', async () => {
    const team = await app.team({ members: 2, admins: 1 });
    const page = await app.signedIn(team.owner.email, '/members?status=active');
    const bar = page.getByRole('toolbar', { name: say.selection });
    await page.getByRole('checkbox', { name: say.selectAll }).click();
    await bar.getByRole('button', { name: say.changeRole }).click();
    await page.getByRole('menuitem', { name: 'Zu Mitgliedern machen' }).click();
    await confirm(page, say.changeRole);
    const failures = page.getByRole('alert').filter({ hasText: 'Bei 1 von 3 war das nicht möglich' });
    await failures.getByText('Ein Team braucht mindestens einen aktiven Admin.').waitFor();
    await expectAccessible(page);
    expect((await usersOf(team)).map(({ role }) => role).toSorted()).toEqual(['admin', 'member', 'member', 'owner']);
  });

  it('takes eight keys from the search to another role', async () => {
    const team = await app.team({ members: 2 });
    const { email } = await app.person(team, 'member');
    const page = await app.signedIn(team.owner.email, '/members');
    const rows = page.getByRole('table', { name: 'Mitglieder' }).getByRole('row');
    const focused = async (name: string) => {
      await page.getByRole('button', { name }).and(page.locator(':focus')).waitFor();
    };
    await rows.nth(3).waitFor();
    await page.getByLabel(say.search).fill(email);
    await page.getByText('1 Treffer', { exact: true }).waitFor();
    await rows.nth(2).waitFor({ state: 'detached' });
    await page.getByLabel(say.search).focus();
    for (const key of ['Tab', 'j']) await page.keyboard.press(key);
    await focused('Details: ');
    for (const key of ['Shift+Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('menuitem', { name: say.promote }).waitFor();
    // The first letter of the entry.
    for (const key of ['z', 'Enter']) await page.keyboard.press(key);
    await focused('Abbrechen');
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByText(/ ist jetzt Admin\.$/).waitFor();
    expect(await userWith(team, email)).toMatchObject({ role: 'admin' });
  });

  it('finds people by the filters in the URL, with the keyboard only, and removes one after saying what that does', async () => {
    const team = await app.team({ members: 2 });
    const { email, member_id } = await app.person(team, 'member');
    const page = await app.signedIn(team.owner.email, '/members?role=member');
    const table = page.getByRole('table', { name: 'Mitglieder' });
    await table.getByRole('row').nth(3).waitFor();
    await page.getByText('3 Treffer', { exact: true }).waitFor();
    expect(await table.getByRole('row').count()).toBe(4);
    await page.getByLabel(say.search).focus();
    await page.keyboard.type(email.toUpperCase());
    await page.waitForURL(/search=/);
    await table.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await page.reload();
    await rowOf(page, email).getByRole('button', { name: say.actions }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: say.policy }).waitFor();
    expect(await page.getByRole('menuitem', { name: say.policy }).getAttribute('href')).toBe(
      `/catalog?member=${member_id}`,
    );

    await page.getByRole('menuitem', { name: 'Aus dem Team entfernen …', exact: true }).click();
    await page.getByRole('dialog').getByText('Alle Aufgaben der Person werden zurückgezogen').waitFor();
    await confirm(page, say.yesRemove);
    await page.getByText(say.nobody).waitFor();
    expect((await team.client.get(`/users/${member_id}`)).status).toBe(404);
  });
});
