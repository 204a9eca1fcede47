import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { makeClient } from '../support/client.ts';
import { anEmail } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint } from '../support/webhooks.ts';
import { hasBrowser, useApp } from './support/app.ts';

// What people come for takes few clicks. Typing into a field that already has the focus takes none.

/** Counts the clicks on a page from now on, until it is loaded anew. */
const countClicks = async (page: Page): Promise<() => Promise<unknown>> => {
  await page.evaluate(`window.clicks = 0; addEventListener('pointerdown', () => (window.clicks += 1), true)`);
  return () => page.evaluate('window.clicks');
};

describe.skipIf(!hasBrowser)('the main tasks', () => {
  const app = useApp();

  it('a new key, and a command that tries it: five clicks from the overview', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clicks = await countClicks(page);
    await page.getByRole('navigation').getByRole('link', { name: 'API-Schlüssel' }).click();
    await page.getByRole('button', { name: 'Neuer Schlüssel' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('Reports');
    await dialog.getByRole('radio', { name: /^Nur lesen/ }).click();
    await dialog.getByRole('button', { name: 'Schlüssel anlegen' }).click();
    await page.getByRole('button', { name: 'Befehl kopieren' }).click();
    expect(await clicks()).toBe(5);
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    const [, key = '', url = ''] = /^curl -H "Authorization: Bearer (\S+)" (\S+)$/.exec(command) ?? [];
    expect(url).toBe(`${app.service.origin}/api/public/v1/me`);
    expect((await makeClient(app.service.baseUrl, key).get('/me')).status).toBe(200);
  });

  it('why an endpoint fails: two clicks from the overview', async () => {
    const team = await app.team();
    const endpointId = await anEndpoint(app.service, team, { failingSince: app.service.clock.now() });
    const deliveryId = await aDelivery(app.service, team, { endpointId, status: 'gave_up' });
    await anAttempt(app.service, team, { deliveryId, code: 500 });
    const page = await app.signedIn(team.owner.email, '/');
    const clicks = await countClicks(page);
    await page.getByRole('region', { name: 'Handlungsbedarf' }).locator(`a[href="/webhooks/${endpointId}"]`).click();
    await app.settled(page); // a click on a row that is rendered anew is lost
    await page.getByRole('main').locator(`a[href$="/deliveries/${deliveryId}"]`).first().click();
    const answer = page.getByRole('group', { name: 'Response-Body (Anfang)' });
    await answer.waitFor();
    expect(await answer.innerText()).toBe('thanks');
    await page.getByText('500').first().waitFor();
    expect(await clicks()).toBe(2);
  });

  it('60 people from a file are invited: four clicks', async () => {
    const team = await app.team({ seats: 100 });
    const emails = Array.from({ length: 60 }, (_, index) => anEmail(`person-${index}`));
    const page = await app.signedIn(team.owner.email, '/members');
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Mehrere Personen einladen' }).click();
    const dialog = page.getByRole('dialog');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'CSV-Datei wählen' }).click(),
    ]);
    await chooser.setFiles({ name: 'team.csv', mimeType: 'text/csv', buffer: Buffer.from(emails.join('\n')) });
    await dialog.getByRole('button', { name: '60 Personen einladen' }).click();
    await dialog.getByText('60 Einladungen gesendet.').waitFor();
    await dialog.getByRole('button', { name: 'Fertig' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await clicks()).toBe(4);
    const { data } = await team.client.get('/users?limit=200');
    expect(data.slice(1).map(({ email }) => email)).toEqual(emails);
  });
});
