import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { daysToMs } from '../../src/core/clock.ts';
import { makeBrowser } from '../support/browser-session.ts';
import { anAssignment } from '../support/assignments.ts';
import { aCase } from '../support/cases.ts';
import { aUsedKey } from '../support/requests.ts';
import { aScoredTraining } from '../support/trainings.ts';
import { aBusyTeam } from './support/busy-team.ts';
import {
  expectAccessible,
  expectDialogInView,
  expectNothingSticksOut,
  goWithin,
  hasBrowser,
  password,
  useApp,
} from './support/app.ts';

// What every-page.slow.test.ts and every-dialog.slow.test.ts do not open: states of the app's pages that take several
// steps, and the documentation. The quick tests check some more states on their way.

/** Pages are checked in both themes by every-page.slow.test.ts; for their dialogs, one is enough. */
const scheme = 'dark';

/** Accessible, and not wider than the window. */
const expectSound = async (page: Page): Promise<void> => {
  await expectAccessible(page);
  await expectNothingSticksOut(page, page.url(), page.viewportSize()?.width ?? 0);
};

describe.skipIf(!hasBrowser)('dialogs and states of the app are accessible:', () => {
  const app = useApp();

  it('the account on a phone, and the set-up of a second factor', async () => {
    const team = await app.team({ name: 'Nord' });
    const other = await app.team({ name: 'Ein Team mit einem sehr langen Namen für den ganzen Süden des Landes' });
    const { email } = team.owner;
    await app.service.database.prisma.person.update({
      where: { email },
      data: { name: 'Dr. Maximiliane von Hohenstein-Wittelsbach zu Oberkirchen' },
    });
    await other.anActiveMember({ email });
    for (const userAgent of ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Version/19.0 Safari/604.1', 'curl/8']) {
      await makeBrowser(app.service, { userAgent }).signIn(email, password);
    }
    const page = await app.signedIn(email, '/account', { scheme, width: 390 });
    await page.getByRole('table', { name: 'Ihre Teams' }).waitFor();
    await page.getByRole('table', { name: 'Sitzungen' }).waitFor();
    await expectSound(page);
    await page.getByRole('button', { name: 'Einrichten' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/^Ihr Passwort( \*)?$/)
      .waitFor();
    await expectAccessible(page);
  });

  it('a member’s overview, and the question before an assignment is finished', async () => {
    const { team } = await aBusyTeam(app);
    const person = await app.person(team, 'member');
    await aScoredTraining(app.service, team, { userId: person.user_id });
    await anAssignment(app.service, team, {
      memberId: person.member_id,
      title: 'Rückruf üben',
      dueDate: new Date('2026-01-02'),
    });
    const page = await app.signedIn(person.email, '/', { scheme });
    const finish = page.getByRole('button', { name: 'Als erledigt markieren: Rückruf üben' });
    await page.getByRole('table', { name: 'Ihre letzten Trainings' }).waitFor();
    await finish.waitFor();
    await expectAccessible(page);
    await finish.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Als erledigt markieren' }).waitFor();
    await expectAccessible(page);
  });

  it('an owner’s pages with open rows and dialogs', async () => {
    const { service } = app;
    const team = await app.team({ members: 3, admins: 1 });
    await team.change({ name: 'Another name' });
    await team.anInvitedMember();
    const { user_id: userId } = await app.person(team, 'member');
    // In one browser, because opening the app takes longer than checking a page.
    const page = await app.signedIn(team.owner.email, '/', { scheme });
    const dialog = page.getByRole('dialog');
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

    // A case with fields of every kind.
    const fields = { industry: 'energy', employees: 240, decided: true, objections: ['price', 'timing'] };
    await aCase(service, team, { userId, title: 'A whole one', personaId: 'p-1', fields, externalRef: { crm: 1 } });
    await goWithin(page, '/cases');
    await page.getByRole('link', { name: 'A whole one' }).click();
    await page.getByLabel('Wert 4').waitFor();
    await expectDialogInView(page);
    await expectAccessible(page);

    // A new key, a key that expires soon, and its rotation.
    const { id } = await aUsedKey(service, team, { expiresAt: new Date(Date.now() + daysToMs(5)) });
    await goWithin(page, '/keys');
    await button('Neuer Schlüssel').click();
    await expectDialogInView(page);
    await dialog.getByRole('radio', { name: /^Benutzerdefiniert/ }).click();
    await dialog.getByRole('checkbox', { name: 'cases:read' }).check();
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('x');
    await dialog.getByRole('button', { name: 'Schlüssel anlegen' }).click();
    const made = page.getByRole('dialog', { name: 'Ihr neuer Schlüssel' });
    await made.getByTestId('secret').waitFor();
    await expectAccessible(page);
    await made.getByRole('button', { name: 'Ich habe den Schlüssel gespeichert' }).click();
    await made.waitFor({ state: 'detached' });
    await goWithin(page, `/keys/${id}`);
    await page.getByRole('note', { name: 'Dieser Schlüssel läuft bald ab' }).waitFor();
    await page.getByRole('table', { name: 'Letzte Anfragen mit diesem Schlüssel' }).waitFor();
    await expectAccessible(page);
    await page.getByText('Als Tabelle', { exact: true }).click();
    await button('Rotieren').click();
    await page.getByLabel('Übergangsfrist für den alten Schlüssel (Tage)').waitFor();
    await expectAccessible(page);

    // The question before a list of invitations is thrown away.
    await goWithin(page, '/members');
    await button('Mehrere Personen einladen').click();
    await dialog.getByLabel('Liste').fill('a@example.com');
    await page.keyboard.press('Escape');
    await button('Verwerfen').waitFor();
    await expectAccessible(page);
    await button('Verwerfen').click();
    await dialog.waitFor({ state: 'hidden' });

    // A new webhook endpoint, with an example of its events.
    await goWithin(page, '/webhooks');
    await button('Neuer Endpunkt').click();
    await page.getByRole('checkbox', { name: 'training.completed' }).waitFor();
    await expectDialogInView(page);
    await button('Beispiel für evaluation.completed').click();
    await page.getByRole('group', { name: 'Body von evaluation.completed' }).waitFor();
    await expectAccessible(page);
  });
});

describe.skipIf(!hasBrowser)('the documentation', () => {
  const app = useApp();

  it.each([
    { width: 1440, scheme: 'light', language: 'de' },
    { width: 390, scheme: 'dark', language: 'en' },
  ] as const)('is accessible at $width px, $scheme, in $language', async (look) => {
    const page = await app.open('/developers', look);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(app.service.origin)) elsewhere.push(request.url());
    });
    for (const path of [
      'overview',
      'quick-start',
      'errors',
      'webhook-events',
      'reference/assignments',
      'search?q=webhook',
    ]) {
      await page.goto(`${app.service.origin}/developers/${look.language}/${path}`);
      await expectSound(page);
    }
    expect(elsewhere).toEqual([]);
  });
});
