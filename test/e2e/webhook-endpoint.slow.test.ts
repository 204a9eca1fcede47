import { describe, expect, it } from 'vitest';
import { probes } from '../../src/modules/webhooks/probes.ts';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { verifyWebhook } from '../../src/packages/client/webhooks.ts';
import { aDispatcher, localEgress, aWorker, untilAllAre } from '../support/worker.ts';
import { aDelivery, anAttempt, anEndpoint } from '../support/webhooks.ts';
import { aReceiver } from '../support/receiver.ts';
import { expectAccessible, hasBrowser, useApp, typeToConfirm, filterBy } from './support/app.ts';
import { anEndpointTo, somebodyJoins } from './support/webhooks.ts';

const said = {
  reactivate: 'Wieder aktivieren',
  open: 'Verpasste Ereignisse nachholen …',
  recover: 'Nachholen',
  older: 'Auch 1 Ereignis, das älter als der Endpunkt ist',
  save: 'Speichern',
  url: 'URL',
  deliveries: 'Zustellungen',
  gaveUp: 'Endgültig fehlgeschlagen',
  attempts: 'Zustellversuche',
  verdict: 'Nicht bestanden',
} as const;

describe.skipIf(!hasBrowser)('a webhook endpoint', () => {
  const app = useApp();

  it('is disabled and reactivated, and then recovers the events that it missed', async () => {
    const team = await app.team();
    const receiver = await aReceiver();
    await somebodyJoins(team);
    const { id } = await anEndpointTo(team, receiver);
    await aDispatcher(app.service);
    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`);
    await page.getByRole('button', { name: 'Deaktivieren …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deaktivieren' }).click();
    await page.getByText('Deaktiviert', { exact: true }).waitFor();
    const now = async () => (await team.client.get('/webhook-endpoints')).data[0]?.['status'];
    expect(await now()).toBe('disabled');
    for (const _ of [1, 2]) await somebodyJoins(team);
    await page.getByRole('button', { name: said.reactivate }).click();
    await page.getByText('Noch nichts zugestellt', { exact: true }).waitFor();
    expect(await now()).toBe('active');
    expect(receiver.received).toEqual([]);

    await page.getByRole('button', { name: said.open }).click();
    const since = page.locator('input[type=datetime-local]');
    const chosen = await since.inputValue();
    await since.fill('2099-01-01T00:00');
    await page.getByRole('button', { name: said.recover, exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(/^Spätester Wert: \d\d\.\d\d\.\d{4}, \d\d:\d\d\.$/)
      .waitFor();
    await since.fill(chosen);
    await page.getByText('2 verpasste Ereignisse seit diesem Zeitpunkt.').waitFor();
    await page.getByRole('button', { name: said.recover, exact: true }).click();
    await page.getByText('2 Ereignisse werden erneut gesendet.').waitFor();
    const joined = Array.from({ length: 2 }, () => 'member.joined');
    expect((await receiver.untilReceived(2)).map(({ body }) => JSON.parse(body).type)).toEqual(joined);
    await page.getByRole('checkbox', { name: said.older }).check();
    await page.getByRole('button', { name: said.recover, exact: true }).click();
    await page.getByText('1 Ereignis wird erneut gesendet.').waitFor();
    expect((await receiver.untilReceived(3)).map(({ body }) => JSON.parse(body).type)).toEqual([...joined, joined[0]]);
    await page.getByRole('button', { name: 'Fertig' }).click();
    await page.getByRole('button', { name: said.open }).click();
    await page.getByRole('button', { name: said.recover, exact: true }).click();
    await page.getByText('Keine verpassten Ereignisse seit diesem Zeitpunkt.').waitFor();
  });

  it('checks its receiver, and explains the receiver’s mistakes', async () => {
    const team = await app.team();
    const receiver = await aReceiver();
    const { id } = await anEndpointTo(team, receiver);
    aWorker(app.service, { platform: { ...app.service.platform, egress: await localEgress(app.service) } });
    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`);
    await page.getByRole('button', { name: 'Prüfung starten' }).click();
    await page.getByText('Ihr Empfänger hat die Prüfung nicht bestanden.').waitFor();
    const results = page.getByRole('table', { name: 'Ergebnisse der Prüfung' });
    const row = results.getByRole('row').filter({ hasText: 'Abgelaufene Signatur (10 Minuten alt)' });
    await row.getByText(said.verdict).waitFor();
    await row.getByText(/Ihr Server nimmt eine \d+ Minuten alte Signatur an/).waitFor();
    expect(await row.getByRole('link').getAttribute('href')).toBe(
      `${app.service.platform.publicUrl}/developers/${probes.stale.section}`,
    );
    expect(await results.getByText('Bestanden', { exact: true }).count()).toBe(5);
    const [check] = (await team.client.get(`/webhook-endpoints/${id}/checks`)).data;
    expect(check).toMatchObject({ status: 'completed', grade: 'failed' });

    // The verdict is in the rows of a phone too.
    await page.setViewportSize({ width: 390, height: 900 });
    await row.getByText(said.verdict).waitFor();
  });

  it('shows why the service paused it, and is reactivated there', async () => {
    const team = await app.team();
    const now = app.service.clock.now();
    const id = await anEndpoint(app.service, team, {
      status: 'disabled_failures',
      failingSince: later(now, -daysToMs(3)),
    });
    const deliveryId = await aDelivery(app.service, team, { endpointId: id, status: 'gave_up' });
    await anAttempt(app.service, team, { deliveryId, code: null });
    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`);
    const alert = page.getByRole('alert').filter({ hasText: 'Endpunkt pausiert' });
    await alert.getByText(/3 Tage lang keine Zustellung/).waitFor();
    await alert.getByText('The connection was refused.').waitFor();
    await expectAccessible(page);
    await alert.getByRole('button', { name: said.reactivate }).click();
    await alert.waitFor({ state: 'detached' });
    expect((await team.client.get('/webhook-endpoints')).data[0]).toMatchObject({ id, status: 'active' });
  });

  it('can be changed, with refusals at the fields, and deleted after a confirmation with the consequences', async () => {
    const team = await app.team();
    const receiver = await aReceiver();
    const { id } = await anEndpointTo(team, receiver);
    const [endpoint] = (await team.client.get('/webhook-endpoints')).data;
    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`);
    app.expectFailures(page, 422);
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'training.completed' }).check();
    await dialog.getByLabel(said.url).fill('https://10.0.0.1/');
    await dialog.getByRole('button', { name: said.save }).click();
    await dialog.getByText(/Die Adresse .* ist nicht öffentlich/).waitFor();
    await dialog.getByLabel(said.url).fill(`${receiver.url}/elsewhere`);
    await dialog.getByRole('button', { name: said.save }).click();
    await page.getByRole('heading', { level: 1, name: `${receiver.url}/elsewhere` }).waitFor();
    expect((await team.client.get('/webhook-endpoints')).data).toEqual([
      { ...endpoint, url: `${receiver.url}/elsewhere`, events: ['training.completed', 'member.joined'] },
    ]);

    await page.getByRole('button', { name: 'Löschen …' }).click();
    for (const text of [/Das Signaturgeheimnis wird ungültig/, /werden verworfen/])
      await dialog.getByText(text).waitFor();
    await typeToConfirm(page, `${receiver.url}/elsewhere`);
    await dialog.getByRole('button', { name: 'Endpunkt löschen' }).click();
    await page.getByText('Noch keine Endpunkte').waitFor();
    expect(new URL(page.url()).pathname).toBe('/webhooks');
    expect((await team.client.get('/webhook-endpoints')).data).toEqual([]);
    // Its page is not found, and sends no further requests.
    await page.goto(`/webhooks/${id}`);
    await page.getByText('Endpunkt nicht gefunden').waitFor();
  });

  it('gets a new secret by a second endpoint: its dialog shows what the receiver answers to both, can be closed halfway, and ends with the first', async () => {
    const team = await app.team();
    const known = { secrets: ['none'] };
    const accepted: string[] = [];
    const receiver = await aReceiver({
      answer: async ({ headers, body }) => {
        const event = await verifyWebhook({ headers, body, secret: known.secrets }).catch(() => undefined);
        if (event) accepted.push(event.type);
        return { status: event ? 204 : 400 };
      },
    });
    const { id, secret } = await anEndpointTo(team, receiver);
    const endpoints = async () => (await team.client.get('/webhook-endpoints')).data.map((one) => String(one['id']));
    await aDispatcher(app.service);
    await somebodyJoins(team);
    await untilAllAre(app.service, 'failed', id, 1);
    known.secrets = [secret];

    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`);
    const dialog = page.getByRole('dialog');
    const press = (name: string) => dialog.getByRole('button', { name, exact: true }).last().click();
    const begin = async () => {
      await page.getByRole('button', { name: 'Signaturgeheimnis erneuern …' }).click();
      await press('Zweiten Endpunkt anlegen');
      const shown = await dialog.getByTestId('secret').innerText();
      await page.keyboard.press('Escape');
      await press('Ich habe das Signaturgeheimnis gespeichert');
      return shown;
    };
    const answerTo = (which: string) => dialog.locator('dl > div').filter({ hasText: which });
    const ending = dialog.getByRole('button', { name: 'Ersten Endpunkt löschen' });

    const renewed = await begin();
    await dialog.getByText('Das neue Geheimnis wurde noch nicht angenommen').waitFor();
    expect(await ending.isDisabled()).toBe(true);
    await press('Testereignisse senden');
    await answerTo('Bisheriges Geheimnis')
      .getByText(/HTTP 204/)
      .waitFor();
    await answerTo('Neues Geheimnis')
      .getByText(/HTTP 400/)
      .waitFor();
    expect(await ending.isDisabled()).toBe(true);
    await expectAccessible(page);
    await press('Schließen');
    const [second = '', ...others] = await endpoints();
    expect(others).toEqual([id]);

    // Either page offers to go on.
    await page.getByRole('button', { name: 'Fortfahren …' }).waitFor();
    await page.getByRole('link', { name: 'Zum zweiten Endpunkt' }).click();
    await page.getByRole('link', { name: 'Zum ersten Endpunkt' }).waitFor();
    await page.getByRole('button', { name: 'Fortfahren …' }).click();
    known.secrets = [renewed];
    await press('Testereignisse senden');
    await answerTo('Bisheriges Geheimnis')
      .getByText(/HTTP 400/)
      .waitFor();
    await answerTo('Neues Geheimnis')
      .getByText(/HTTP 204/)
      .waitFor();
    await dialog.getByText('Das neue Geheimnis wurde angenommen').waitFor();
    expect(accepted).not.toContain('member.joined');
    await ending.click();
    await page.getByText('Signaturgeheimnis erneuert. Der erste Endpunkt ist gelöscht.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await endpoints()).toEqual([second]);
    await page.getByRole('button', { name: 'Signaturgeheimnis erneuern …' }).waitFor();
    // The event that the first endpoint could not deliver.
    await expect.poll(() => accepted).toContain('member.joined');

    // On the page of the first endpoint it ends with the list.
    known.secrets = [await begin()];
    await press('Testereignisse senden');
    await dialog.getByText('Das neue Geheimnis wurde angenommen').waitFor();
    await ending.click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/webhooks');
    const left = await endpoints();
    expect([left.length, left.includes(second)]).toEqual([1, false]);
  });

  it('has headers of its own, whose values are entered and never shown', async () => {
    const team = await app.team();
    const receiver = await aReceiver();
    const { id } = await anEndpointTo(team, receiver);
    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`);
    const dialog = page.getByRole('dialog');
    const headersNow = async () => (await team.client.get('/webhook-endpoints')).data[0]?.['headers'];
    const save = () => dialog.getByRole('button', { name: said.save }).click();
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await dialog.getByRole('button', { name: 'Header hinzufügen' }).click();
    await dialog.getByLabel('Name von Header 1').fill('X-Gateway-Key');
    await save();
    await dialog.getByText('Geben Sie zu jedem Header Name und Wert ein.').waitFor();
    await dialog.getByLabel('Wert von Header 1').fill('a secret of the gateway');
    await expectAccessible(page);
    await save();
    await page.getByText('X-Gateway-Key', { exact: true }).waitFor();
    expect(await headersNow()).toEqual({ 'X-Gateway-Key': null });

    // They stay when something else changes, and are replaced or removed as a whole.
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await dialog.getByLabel('Beschreibung').fill('Our gateway');
    await save();
    await page.getByText('Our gateway', { exact: true }).waitFor();
    expect(await headersNow()).toEqual({ 'X-Gateway-Key': null });
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await dialog.getByRole('button', { name: 'Header ersetzen' }).click();
    expect(await dialog.getByLabel('Wert von Header 1').inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Abbrechen' }).click();

    // Another URL does not get the stored values: the form asks for them again. Another spelling is no other URL.
    const asked = dialog.getByText('Gespeicherte Werte werden nicht an eine andere URL gesendet.');
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await dialog.getByLabel(said.url).fill(`${receiver.url.replace('https:', 'HTTPS:')}/hooks#`);
    await dialog.getByRole('button', { name: 'Header ersetzen' }).waitFor();
    expect(await asked.count()).toBe(0);
    await dialog.getByLabel(said.url).fill(`${receiver.url}/elsewhere`);
    await asked.waitFor();
    expect(await dialog.getByLabel('Name von Header 1').inputValue()).toBe('X-Gateway-Key');
    await expectAccessible(page);
    await save();
    await dialog.getByText('Geben Sie zu jedem Header Name und Wert ein.').waitFor();
    expect(await headersNow()).toEqual({ 'X-Gateway-Key': null });
    await dialog.getByLabel('Wert von Header 1').fill('a secret of the gateway');
    await save();
    await page.getByRole('heading', { level: 1, name: `${receiver.url}/elsewhere` }).waitFor();
    expect(await headersNow()).toEqual({ 'X-Gateway-Key': null });

    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await dialog.getByRole('button', { name: 'Header ersetzen' }).click();
    await dialog.getByRole('button', { name: 'Header 1 entfernen' }).click();
    await save();
    await page.getByText('X-Gateway-Key', { exact: true }).waitFor({ state: 'detached' });
    expect(await headersNow()).toEqual({});
  });

  it('shows its health in a chart and in numbers, accessibly', async () => {
    const team = await app.team();
    const id = await anEndpoint(app.service, team);
    const now = app.service.clock.now();
    for (let ago = 0; ago < 12; ago += 1) {
      const start = later(new Date(Math.floor(now.getTime() / 900_000) * 900_000), -daysToMs(ago));
      const counted = { tenantId: team.id, endpointId: id, start, duration: 25 };
      await app.service.database.prisma.webhookQuarterHour.createMany({
        data: [
          { ...counted, delivered: true, attempts: 1_000 + ago },
          { ...counted, delivered: false, attempts: ago },
        ],
      });
    }
    for (const status of ['ok', 'failed', 'gave_up'] as const)
      await aDelivery(app.service, team, { endpointId: id, status });
    const page = await app.signedIn(team.owner.email, `/webhooks/${id}`, { scheme: 'dark' });
    const chart = page.getByRole('slider', { name: said.attempts });
    await chart.waitFor();
    // Today and the six days before.
    await page.getByRole('definition').filter({ hasText: '99,7' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: '7.021' }).waitFor();
    const programs = page.getByRole('link', { name: 'Programme zum Kopieren' });
    expect(await programs.getAttribute('href')).toBe('/developers/de/webhook-signatures');
    await page.getByRole('button', { name: 'Als Tabelle' }).click();
    const days = page.getByRole('table', { name: said.attempts }).getByRole('row');
    await expect.poll(() => days.count()).toBe(1 + 7);
  });

  it('lists its deliveries page by page, by the filters in the URL', async () => {
    const team = await app.team();
    const { service } = app;
    const { prisma } = service.database;
    const endpointId = await anEndpoint(service, team);
    await aDelivery(service, team, { endpointId, status: 'gave_up' });
    const made = { tenantId: team.id, endpointId, eventId: makeId(), createdAt: service.clock.now() };
    await prisma.webhookDelivery.createMany({
      data: Array.from({ length: 105 }, () => ({ ...made, id: makeId(), eventType: 'member.joined', status: 'ok' })),
    });
    await aDelivery(service, team, { endpointId, status: 'ok', type: 'ping' });
    const id = await aDelivery(service, team, { endpointId, status: 'failed' });
    const nextTryAt = later(service.clock.now(), -60_000);
    await prisma.webhookDelivery.update({ where: { tenantId_id: { tenantId: team.id, id } }, data: { nextTryAt } });

    const page = await app.signedIn(team.owner.email, `/webhooks/${endpointId}`);
    const rows = page.getByRole('table', { name: said.deliveries }).getByRole('row');
    await rows.nth(50).waitFor();
    // Its time has come.
    await rows.getByText('Nächster Versuch in Kürze').waitFor();
    await page.getByRole('button', { name: 'Weitere laden' }).click();
    await expect.poll(() => rows.count()).toBe(1 + 100);
    await filterBy(page, 'Status', { label: said.gaveUp });
    await rows.getByText(said.gaveUp).waitFor();
    expect(await rows.count()).toBe(1 + 1);
    expect(new URL(page.url()).search).toBe('?status=gave_up');
    await page.goto(`/webhooks/${endpointId}?status=ok&event_type=ping`);
    await expect.poll(() => rows.count()).toBe(1 + 1);
  });
});
