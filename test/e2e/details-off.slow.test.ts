import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { aScoredTraining } from '../support/practice.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent } from '../support/webhooks.ts';
import { goWithin, hasBrowser, useApp, inFilters } from './support/app.ts';

const say = {
  hidden: 'Personenbezogene Daten ausgeblendet',
  closed: 'Wegen Datenschutz nicht verfügbar',
  exportData: 'Daten exportieren',
} as const;

describe.skipIf(!hasBrowser)('while a team hides member-level data', () => {
  const app = useApp();

  it('each page shows its owner what is left, and says what is hidden', async () => {
    const { service } = app;
    const team = await app.team({ memberDetail: false, members: 1 });
    const { email, member_id } = await app.person(team, 'admin', ['schnittstellen']);
    const { id: keyId } = await team.aKey({ by: member_id });
    const own = await aScoredTraining(service, team, { userId: team.owner.user_id });
    await aScoredTraining(service, team, { userId: team.members[0]?.user_id ?? '' });
    const endpointId = await anEndpoint(service, team);
    const eventId = await anEvent(service, team, { data: { user_id: makeId() } });
    const deliveryId = await aDelivery(service, team, { endpointId, eventId, status: 'ok' });
    await anAttempt(service, team, { deliveryId });

    const page = await app.signedIn(team.owner.email, '/');
    const people = await page.getByRole('region', { name: 'Ihr Team' }).boundingBox();
    const programs = await page.getByRole('region', { name: 'Programme' }).boundingBox();
    expect(people?.y).toBeLessThan(programs?.y ?? 0);

    await goWithin(page, '/trainings');
    await page.getByText(say.hidden).waitFor();
    expect(await page.getByRole('link', { name: 'Einstellungen öffnen' }).getAttribute('href')).toBe(
      '/settings/privacy',
    );
    const links = page.getByRole('table', { name: 'Ihre Trainings' }).locator('tbody').getByRole('link');
    await links.first().waitFor();
    expect(await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')))).toEqual([
      `/trainings/${own}`,
    ]);

    // What can be created still can be.
    await goWithin(page, '/assignments');
    await page.getByText(say.closed).waitFor();
    await page.getByRole('button', { name: 'Neue Aufgabe' }).click();
    await page.getByRole('button', { name: 'Aufgabe zuweisen' }).waitFor();
    await goWithin(page, '/cases');
    await page.getByText(say.closed).waitFor();
    await page.getByRole('tab', { name: 'Privat' }).click();
    await page.getByText('Noch keine privaten Fälle').waitFor();
    expect(new URL(page.url()).search).toBe('?view=mine');

    await goWithin(page, '/audit');
    await page.getByText('Personenbezogene Daten sind ausgeblendet').waitFor();
    await page.getByRole('button', { name: 'Details: Einstellungen des Teams geändert' }).click();
    await page.getByText(/Ja.*→.*Nein/).waitFor();

    await goWithin(page, `/webhooks/${endpointId}/deliveries/${deliveryId}`);
    await page.getByText(/Der Request-Body ist nicht verfügbar/).waitFor();
    // What the receiver answered may repeat the request.
    await page.getByText(/Header und Body der Antwort sind ausgeblendet/).waitFor();
    expect(await page.getByText('thanks').count()).toBe(0);
    expect(await page.getByText('user_id').count()).toBe(0);

    await goWithin(page, '/settings/export');
    await page.getByText('Der Export ist nicht verfügbar, solange personenbezogene Daten ausgeblendet sind.').waitFor();
    expect(await page.getByRole('button', { name: say.exportData }).isDisabled()).toBe(true);

    await goWithin(page, '/members');
    await page.locator(`a[href$="/members/${member_id}"]`).click();
    await page.getByText('2FA', { exact: true }).waitFor();
    await page.getByText(email).first().waitFor();
    await page.getByText(say.hidden).waitFor();
    for (const name of ['Fortschritt', 'Letzte Trainings', 'Aufgaben', 'Fälle im Team']) {
      expect(await page.getByRole('heading', { name }).count()).toBe(0);
    }
    await page.locator(`a[href$="/keys/${keyId}"]`).click();
    await page.getByRole('heading', { level: 1 }).getByText('test').waitFor();
    await page.getByText(email).waitFor();
  });

  it('an admin sees neither the export nor former members, and a member no comparison', async () => {
    const team = await app.team({ memberDetail: false });
    const admin = await app.signedIn((await app.person(team, 'admin')).email, '/settings/export');
    // There is no such page for them: they are at the first one.
    await admin.waitForURL('**/settings');
    await admin.getByRole('region', { name: 'Team' }).waitFor();
    expect(await admin.getByText(say.exportData).count()).toBe(0);
    await goWithin(admin, '/members');
    await admin.getByRole('table').getByText(team.owner.email).waitFor();
    await inFilters(admin, async (filters) => {
      expect(await filters.getByLabel('Status').getByRole('option').count()).toBeGreaterThan(1);
      expect(await filters.getByRole('option', { name: 'Ehemalige' }).count()).toBe(0);
    });

    // A link from before member details were switched off.
    await admin.goto('/members?inactive=true');
    await admin.getByRole('table').getByText(team.owner.email).waitFor();

    const member = await app.signedIn((await app.person(team, 'member')).email, '/analytics');
    const board = member.getByRole('region', { name: 'Rangliste' });
    await board.getByText(say.hidden).waitFor();
    expect(await board.getByRole('link').count()).toBe(0);
  });
});
