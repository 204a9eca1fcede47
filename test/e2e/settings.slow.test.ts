import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { anEmail, type TestTeam } from '../support/team.ts';
import { aScoredTraining } from '../support/practice.ts';
import { hasBrowser, holdRequests, useApp } from './support/app.ts';

const say = {
  save: 'Speichern',
  details: 'Personenbezogene Daten',
  leaderboard: 'Rangliste',
  switchOff: 'Daten ausblenden',
  sections: 'Abschnitte',
  exportData: 'Daten exportieren',
} as const;

const closedRoutes = operationsOf(publicRouter).flatMap(({ operation: { privacy, route } }) =>
  privacy === undefined ? [] : [route],
);

const ranked = async ({ client }: TestTeam): Promise<unknown> => (await client.get('/analytics/team')).body['members'];

describe.skipIf(!hasBrowser)('the settings page', () => {
  const app = useApp();

  const flip = async (page: Page, name: string, action: string) => {
    // The label covers its input field. The state from before an earlier change would open the opposite question.
    const flips = page.getByRole('switch', { name, checked: action === say.switchOff });
    await flips.waitFor({ state: 'attached' });
    await flips.press('Space');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: action }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  it('renames the team and sets its language, which its invitations then have, and keeps what is typed meanwhile', async () => {
    const team = await app.team({ name: 'Sales North' });
    const page = await app.signedIn(team.owner.email, '/settings');
    const form = page.getByRole('region', { name: 'Team' });
    const name = form.getByLabel('Name');
    await name.fill('Sales South');
    await form.getByLabel('Sprache').selectOption('en');
    // The change is saved, but the page still loads its other data.
    const release = await holdRequests(page, '**/team.settings*');
    await form.getByRole('button', { name: say.save }).click();
    await page.getByRole('banner').getByText('Sales South').waitFor();
    await name.fill('Sales South-West');
    release();
    await page.getByText('Einstellungen gespeichert.').waitFor();
    expect(await name.inputValue()).toBe('Sales South-West');

    const email = anEmail();
    await team.client.post('/users', { email });
    const [mail] = await app.service.mailsTo(email);
    expect(mail).toMatchObject({ language: 'en' });
    expect(JSON.stringify(mail)).toContain('Sales South');

    app.expectFailures(page, 422);
    await name.fill('x'.repeat(121));
    await form.getByRole('button', { name: say.save }).click();
    await page.getByText('Der Name ist zu lang oder enthält').waitFor();
  });

  it('says what people and programs no longer get, before it hides exactly that; and closes the leaderboard', async () => {
    const team = await app.team({ members: 5 });
    for (const { user_id } of team.members) await aScoredTraining(app.service, team, { userId: user_id ?? '' });
    const page = await app.signedIn(team.owner.email, '/settings/privacy');
    await page.getByRole('switch', { name: say.details }).press('Space');
    const dialog = page.getByRole('dialog');
    // What people notice is here, and what programs notice in the documentation.
    await dialog.getByText('Sie sehen keine Trainings, Bewertungen').waitFor();
    const link = dialog.getByRole('link', { name: 'Was sich in der API und in Webhooks ändert' });
    const documented = await fetch(`${app.service.origin}${await link.getAttribute('href')}.md`);
    expect(await documented.text()).toSatisfy((text: string) => closedRoutes.every((route) => text.includes(route)));
    await dialog.getByRole('button', { name: say.switchOff }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await team.client.get('/me')).body).toMatchObject({ privacy: { member_detail_enabled: false } });
    expect((await team.client.get('/trainings')).body).toMatchObject({ code: 'privacy_restricted' });
    expect((await team.client.get(`/users/${team.owner.member_id}`)).body).not.toHaveProperty('email');

    await flip(page, say.details, 'Daten anzeigen');
    expect((await team.client.get('/trainings')).status).toBe(200);

    expect(await ranked(team)).toHaveLength(5);
    await flip(page, say.leaderboard, say.switchOff);
    await page.getByRole('switch', { name: say.leaderboard, checked: false }).waitFor();
    expect(await ranked(team)).toEqual([]);
  });

  it('turns automatic reminders on and off', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/settings/reminders');
    for (const isOn of [true, false]) {
      const release = await holdRequests(page, '**/team.change');
      await page.getByRole('switch', { name: 'Automatisch an Aufgaben erinnern', checked: !isOn }).press('Space');
      // It shows at once what was chosen.
      await page.getByRole('switch', { checked: isOn }).waitFor({ state: 'attached' });
      release();
      const stored = () => app.service.database.prisma.team.findFirstOrThrow({ where: { id: team.id } });
      await expect.poll(async () => (await stored()).remindersEnabled).toBe(isOn);
    }
  });

  it('shows the limits of the plan and how much is left, and has links to the sections that the person may see', async () => {
    const team = await app.team({ seats: 1_200, rateLimit: 450, admins: 1, members: 1 });
    await team.anInvitedMember();
    const page = await app.signedIn(team.owner.email, '/settings/plan');
    const links = page.getByRole('navigation', { name: say.sections }).getByRole('link');
    const shown = async (...texts: string[]) => {
      // The id is in addresses, too.
      for (const text of texts) await page.getByText(text, { exact: text === team.id }).waitFor();
    };
    await shown(
      '4 von 1.200 Plätzen belegt',
      '1 Inhaber, 1 Admin, 2 Mitglieder, einschließlich offener Einladungen.',
      team.id,
    );
    await links.filter({ hasText: 'Limits' }).click();
    await shown('450 Anfragen pro Minute', '120 Anfragen pro Minute', '59 von 60 übrig in dieser Stunde');
    // Each section has an address, and the list says which is open.
    const all = await links.allTextContents();
    expect(all).toHaveLength(9);
    for (const name of all) {
      await links.filter({ hasText: name }).first().click();
      await page.getByRole('region', { name, exact: true }).waitFor();
      expect(await page.locator('main section h2').allTextContents()).toEqual([name]);
      expect(await links.and(page.locator('[aria-current=page]')).allTextContents()).toEqual([name]);
    }
    expect(new URL(page.url()).pathname).toBe('/settings/export');

    const { email } = await app.person(team, 'admin');
    const theirs = await app.signedIn(email, '/settings/company-account');
    const closed = theirs.getByRole('region', { name: 'Firmenkonto' });
    await closed.getByText(/^Nur der Inhaber und Admins mit der Berechtigung für API-Schlüssel/).waitFor();
    await closed.getByRole('link', { name: team.owner.email }).waitFor();
    expect(await theirs.getByRole('navigation', { name: say.sections }).getByRole('link').allTextContents()).toEqual(
      all.slice(0, -1),
    );
  });
});
