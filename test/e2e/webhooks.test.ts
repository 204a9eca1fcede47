import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifyWebhook } from '../../src/receivers/verify-webhook.ts';
import { aDispatcher } from '../support/deliveries.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { expectAccessible, hasBrowser, languages, useApp, schemesOf, once } from './support/app.ts';
import { aReceiver } from './support/webhooks.ts';
import { eventually } from '../support/eventually.ts';

const words = {
  de: {
    none: 'Noch kein Endpunkt',
    add: 'Neuer Endpunkt',
    url: 'Adresse',
    description: 'Beschreibung',
    create: 'Endpunkt anlegen',
    example: 'Beispiel für evaluation.completed',
    body: 'Inhalt von evaluation.completed',
    check: 'Prüfung in Node',
    kept: 'Geheimnis ist gesichert',
    test: 'Test senden',
    outcome: 'Ihr Test',
    delivered: 'Zugestellt',
    chooseOne: 'Wählen Sie mindestens ein Ereignis.',
    refused: /Das wird nicht angenommen: .*https:\/\//,
    notPublic: /Das wird nicht angenommen: .*public/,
    paused: 'Pausiert, weil nichts ankam',
    disabled: 'Von Ihnen abgeschaltet',
    failing: /^Gestört seit/,
  },
  en: {
    none: 'No endpoint yet',
    add: 'New endpoint',
    url: 'URL',
    description: 'Description',
    create: 'Create endpoint',
    example: 'Example of evaluation.completed',
    body: 'Body of evaluation.completed',
    check: 'Check in Node',
    kept: 'I have kept the secret',
    test: 'Send test',
    outcome: 'Your test',
    delivered: 'Delivered',
    chooseOne: 'Choose at least one event.',
    refused: /Not accepted: .*https:\/\//,
    notPublic: /Not accepted: .*public/,
    paused: 'Paused, nothing got through',
    disabled: 'Disabled by you',
    failing: /^Failing since/,
  },
} as const;

const Program = z.object({
  isGenuine: z.custom<(body: string, header: string | string[] | undefined, secret: string) => boolean>(),
});

/** The program that the app shows, running. */
const programFrom = async (text: string) =>
  Program.parse(await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`)).isGenuine;

describe.skipIf(!hasBrowser).each(languages)('webhook endpoints (%s)', (language) => {
  const app = useApp();
  const said = words[language];

  it('an endpoint is made, its secret shown once, and a test arrives that the secret proves', async () => {
    const team = await app.team();
    const receiver = await aReceiver();
    await aDispatcher(app.service);
    const page = await app.signedIn(team.owner.email, '/webhooks', { language });
    await page.getByText(said.none).waitFor();
    await page.getByRole('button', { name: said.add }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(said.url).fill(`${receiver.url}/hooks`);
    await dialog.getByLabel(said.description).fill('Scores <b>for</b> our dashboard');
    await dialog.getByRole('button', { name: said.example }).click();
    const example = await dialog.getByRole('group', { name: said.body }).innerText();
    expect(JSON.parse(example)).toMatchObject({ type: 'evaluation.completed', data: { score: expect.any(Number) } });
    await dialog.getByRole('checkbox', { name: 'evaluation.completed' }).check();
    await dialog.getByRole('checkbox', { name: 'member.joined' }).check();
    await dialog.getByRole('button', { name: said.create }).click();

    const secret = await dialog.getByTestId('secret').innerText();
    const isGenuine = await programFrom(await dialog.getByRole('group', { name: said.check }).innerText());
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: said.kept }).click();
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

    await page.getByRole('button', { name: said.test }).click();
    await page.getByRole('region', { name: said.outcome }).getByText(said.delivered).waitFor();
    const [received] = await receiver.untilReceived(1);
    const body = received?.body ?? '';
    const signature = received?.headers['svc-signature'];
    expect(verifyWebhook({ body, signature, secrets: secret })).toMatchObject({ type: 'ping', tenant_id: team.id });
    expect(isGenuine(body, signature, secret)).toBe(true);
    expect(isGenuine(`${body} `, signature, secret)).toBe(false);
    expect(isGenuine(body, signature, `${secret}x`)).toBe(false);
    expect(isGenuine(body, undefined, secret)).toBe(false);
    await eventually(async () => {
      const [after] = (await team.client.get('/webhook-endpoints')).data;
      expect(after?.['last_success_at']).toEqual(expect.any(String));
    });
  });

  it.runIf(once(language))(
    'an address where nothing may be sent is refused at its field, and so is having no event',
    async () => {
      const team = await app.team();
      const page = await app.signedIn(team.owner.email, '/webhooks', { language });
      app.expectFailures(page, 422);
      await page.getByRole('button', { name: said.add }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(said.url).fill('http://hooks.example.com/');
      await dialog.getByRole('button', { name: said.create }).click();
      await dialog.getByText(said.chooseOne).waitFor();
      await dialog.getByRole('checkbox', { name: 'training.completed' }).check();
      await dialog.getByRole('button', { name: said.create }).click();
      await dialog.getByText(said.refused).waitFor();
      await dialog.getByLabel(said.url).fill('https://10.0.0.1/');
      await dialog.getByRole('button', { name: said.create }).click();
      await dialog.getByText(said.notPublic).waitFor();
      expect(await dialog.getByLabel(said.url).getAttribute('aria-invalid')).toBe('true');
      expect((await team.client.get('/webhook-endpoints')).data).toEqual([]);
      await expectAccessible(page);
    },
  );

  it.each(schemesOf[language])(
    'the list says how each endpoint stands, readable for everybody (%s)',
    async (scheme) => {
      const team = await app.team();
      const failingSince = new Date(app.service.clock.now().getTime() - 80 * 3_600_000);
      await anEndpoint(app.service, team);
      await anEndpoint(app.service, team, { status: 'disabled' });
      await anEndpoint(app.service, team, { status: 'disabled_failures', failingSince });
      const page = await app.signedIn(team.owner.email, '/webhooks', { language, scheme });
      for (const text of [said.paused, said.disabled, said.failing]) await page.getByText(text).waitFor();
      expect(await page.getByRole('row').count()).toBe(4);
      await expectAccessible(page);
      await page.getByRole('button', { name: said.add }).click();
      await page.getByRole('checkbox', { name: 'training.completed' }).waitFor();
      await page.getByRole('button', { name: said.example }).click();
      await page.getByRole('group', { name: said.body }).waitFor();
      await expectAccessible(page);
    },
  );

  it.runIf(once(language))('is for the owner and admins alone', async () => {
    const team = await app.team();
    const member = await app.person(team, 'member');
    const page = await app.signedIn(member.email, '/webhooks', { language });
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: said.add }).count()).toBe(0);
  });
});
