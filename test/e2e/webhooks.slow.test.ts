import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { aDispatcher } from '../support/worker.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';
import { aReceiver } from '../support/receiver.ts';

const language = 'de';
const said = {
  url: 'URL',
  create: 'Endpunkt anlegen',
  paused: 'Pausiert',
  disabled: 'Deaktiviert',
  never: 'Noch nichts zugestellt',
  delivering: 'Stellt zu',
  failing: 'Gestört',
  since: /^Fehler seit/,
} as const;

describe.skipIf(!hasBrowser)('webhook endpoints', () => {
  const app = useApp();

  it('an endpoint is created after refusals at the fields, its secret shown once, and a test arrives with a valid signature', async () => {
    const team = await app.team();
    const receiver = await aReceiver();
    await aDispatcher(app.service);
    const page = await app.signedIn(team.owner.email, '/webhooks', { language });
    await page.getByText('Noch keine Endpunkte').waitFor();
    await page.getByRole('button', { name: 'Neuer Endpunkt' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(said.url).fill('http://hooks.example.com/');
    await dialog.getByRole('button', { name: said.create }).click();
    await dialog.getByText('Wählen Sie mindestens ein Ereignis aus.').waitFor();
    await dialog.getByText(/muss mit https:\/\/ beginnen/).waitFor();
    await dialog.getByRole('checkbox', { name: 'evaluation.completed' }).check();
    await dialog.getByRole('checkbox', { name: 'member.joined' }).check();
    app.expectFailures(page, 422);
    await dialog.getByRole('button', { name: said.create }).click();
    await dialog.getByText(/muss mit https:\/\/ beginnen/).waitFor();
    expect(await dialog.getByLabel(said.url).getAttribute('aria-invalid')).toBe('true');
    expect((await team.client.get('/webhook-endpoints')).data).toEqual([]);
    await dialog.getByLabel(said.url).fill(`${receiver.url}/hooks`);
    await dialog.getByLabel('Beschreibung').fill('Scores <b>for</b> our dashboard');
    await dialog.getByRole('button', { name: 'Beispiel für evaluation.completed' }).click();
    const example = await dialog.getByRole('group', { name: 'Body von evaluation.completed' }).innerText();
    expect(JSON.parse(example)).toMatchObject({ type: 'evaluation.completed', data: { score: expect.any(Number) } });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: said.create }).click();

    const shown = dialog.getByTestId('secret');
    const secret = await shown.innerText();
    const { y = -1, height = 0 } = (await shown.boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(page.viewportSize()?.height ?? 0);
    await dialog.getByRole('link', { name: 'Programme zum Kopieren' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Ich habe das Signaturgeheimnis gespeichert' }).click();
    await page.getByRole('heading', { level: 1, name: `${receiver.url}/hooks` }).waitFor();
    const [endpoint] = (await team.client.get('/webhook-endpoints')).data;
    expect(endpoint).toMatchObject({
      url: `${receiver.url}/hooks`,
      description: 'Scores <b>for</b> our dashboard',
      events: ['evaluation.completed', 'member.joined'],
      status: 'active',
    });
    expect(new URL(page.url()).pathname).toBe(`/webhooks/${String(endpoint?.['id'])}`);
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Testereignis senden' }).click();
    await page.getByRole('region', { name: 'Testereignis' }).getByText('Zugestellt').waitFor();
    const [received] = await receiver.untilReceived(1);
    const body = received?.body ?? '';
    const signature = received?.headers['svc-signature'];
    expect(verifyWebhook({ body, signature, secrets: secret })).toMatchObject({ type: 'ping', tenant_id: team.id });
  });

  it('the list shows the state of each endpoint, accessibly', async () => {
    const team = await app.team();
    const failingSince = new Date(app.service.clock.now().getTime() - 80 * 3_600_000);
    const since = { failingSince };
    await anEndpoint(app.service, team, { description: said.never });
    const failedOnce = { lastSuccessAt: failingSince, failingSince: app.service.clock.now(), failedAgainAt: null };
    await anEndpoint(app.service, team, { description: said.delivering, ...failedOnce });
    await anEndpoint(app.service, team, { description: said.failing, lastSuccessAt: failingSince, ...since });
    await anEndpoint(app.service, team, { description: said.disabled, status: 'disabled', ...since });
    await anEndpoint(app.service, team, { description: said.paused, status: 'disabled_failures', ...since });
    const page = await app.signedIn(team.owner.email, '/webhooks', { language, scheme: 'dark' });
    await page.getByRole('row').nth(5).waitFor();
    const states = [said.never, said.delivering, said.failing, said.disabled, said.paused];
    await page.getByText(said.since).nth(1).waitFor();
    expect(await page.getByText(said.since).count()).toBe(2);
    for (const state of states) {
      const row = page.getByRole('row').filter({ hasText: state });
      expect([state, await row.getByText(state, { exact: true }).count()]).toEqual([state, 2]);
    }
  });
});
