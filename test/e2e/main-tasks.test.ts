import { describe, expect, it } from 'vitest';
import { anEmail } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint } from '../support/webhooks.ts';
import { countClicks, hasBrowser, useApp } from './support/app.ts';

// What people come for takes few clicks. For the first key, see keys.slow.test.ts.

describe.skipIf(!hasBrowser)('the main tasks', () => {
  const app = useApp();

  it('why an endpoint fails: two clicks from the overview', async () => {
    const team = await app.team();
    const endpointId = await anEndpoint(app.service, team, { failingSince: app.service.clock.now() });
    const deliveryId = await aDelivery(app.service, team, { endpointId, status: 'gave_up' });
    await anAttempt(app.service, team, { deliveryId, code: 500 });
    const page = await app.signedIn(team.owner.email, '/');
    const clicks = await countClicks(page);
    await page
      .getByRole('region', { name: 'Handlungsbedarf' })
      .locator(`a[href="/webhooks/${endpointId}"]`)
      .first()
      .click();
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
