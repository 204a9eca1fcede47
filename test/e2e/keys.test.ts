import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { allScopes, keyTemplates } from '../../src/core/scopes.ts';
import { makeClient } from '../support/client.ts';
import { anAnswer } from '../support/requests.ts';
import type { TestTeam } from '../support/team.ts';
import { expectAccessible, hasBrowser, languages, useApp, schemesOf, once } from './support/app.ts';

const words = {
  de: {
    title: 'API-Schlüssel',
    newKey: 'Neuer Schlüssel',
    first: 'Ersten Schlüssel anlegen',
    none: 'Noch kein Schlüssel',
    name: 'Name',
    readAssignments: /^Lesen und Aufgaben vergeben/,
    custom: /^Eigene Auswahl/,
    selectNone: 'Keine auswählen',
    cases: /cases:read/,
    webhooks: /webhooks:manage/,
    addresses: 'Erlaubte IP-Adressen',
    expires: 'Läuft ab',
    noScope: 'Wählen Sie mindestens eine Berechtigung.',
    noAddress: /Eine Zeile ist keine Adresse/,
    make: 'Schlüssel anlegen',
    shown: 'Ihr neuer Schlüssel',
    kept: 'Ich habe ihn aufbewahrt',
    replace: 'Ablösen',
    days: 'Wie viele Tage der alte noch gilt',
    makeNew: 'Neuen Schlüssel anlegen',
    newShown: 'Der neue Schlüssel',
    former: 'den früheren Schlüssel',
    replacing: 'Dieser Schlüssel wird abgelöst',
    revoke: 'Widerrufen',
    revoked: 'Der Schlüssel ist widerrufen.',
    table: 'Tabelle',
    days30: 'Anfragen je Tag',
    latest: 'Letzte Anfragen mit diesem Schlüssel',
    allRequests: 'Alle Anfragen mit diesem Schlüssel',
    noRight: /fehlt die Berechtigung, Schlüssel anzulegen/,
    noPlan: /Ihr Tarif enthält die API nicht/,
    soon: 'Dieser Schlüssel läuft bald ab',
  },
  en: {
    title: 'API keys',
    newKey: 'New key',
    first: 'Create the first key',
    none: 'No key yet',
    name: 'Name',
    readAssignments: /^Read, and give assignments/,
    custom: /^Custom/,
    selectNone: 'Select none',
    cases: /cases:read/,
    webhooks: /webhooks:manage/,
    addresses: 'Allowed IP addresses',
    expires: 'Expires',
    noScope: 'Choose at least one scope.',
    noAddress: /A line is neither an address/,
    make: 'Create key',
    shown: 'Your new key',
    kept: 'I have kept it',
    replace: 'Replace',
    days: 'Days that the old one still works',
    makeNew: 'Create new key',
    newShown: 'The new key',
    former: 'the former key',
    replacing: 'This key is being replaced',
    revoke: 'Revoke',
    revoked: 'The key is revoked.',
    table: 'Table',
    days30: 'Requests a day',
    latest: 'Latest requests with this key',
    allRequests: 'All requests with this key',
    noRight: /do not have permission to create keys/,
    noPlan: /Your plan does not include the API/,
    soon: 'This key expires soon',
  },
} as const;

describe.skipIf(!hasBrowser).each(languages)('API keys (%s)', (language) => {
  const app = useApp();
  const w = words[language];

  const clientWith = (key: string) => makeClient(app.service.baseUrl, key);

  /** Reads the key that is shown once and says that it is kept. */
  const keep = async (page: Page, title: string): Promise<string> => {
    const dialog = page.getByRole('dialog', { name: title });
    const key = await dialog.getByTestId('secret').innerText();
    await dialog.getByRole('button', { name: w.kept }).click();
    await dialog.waitFor({ state: 'detached' });
    return key;
  };

  const withoutKeys = async (team: TestTeam): Promise<void> => {
    await app.service.database.prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
  };

  /** A key that was asked with, well and badly. */
  const aUsedKey = async (team: TestTeam, options?: Parameters<TestTeam['aKey']>[0]) => {
    const made = await team.aKey(options);
    const { requestLog } = app.service;
    for (const said of [
      {},
      { status: 404, code: 'not_found', route: '/users/{member_id}' },
      { status: 429, code: 'rate_limited' },
      { status: 503, code: 'unavailable', method: 'POST', route: '/webhook-endpoints/{endpoint_id}/test' },
    ]) {
      requestLog.note(anAnswer(team, made.id, said));
    }
    await requestLog.write();
    return made;
  };

  it('lead to the first key, made of a template, that is shown once and works', async () => {
    const team = await app.team();
    await withoutKeys(team);
    const page = await app.signedIn(team.owner.email, '/requests', { language });
    await page.getByRole('navigation').getByRole('link', { name: w.title }).click();
    await page.getByText(w.none).waitFor();
    await page.getByRole('button', { name: w.first }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(w.name).fill('Reports');
    await dialog.getByRole('radio', { name: w.readAssignments }).click();
    await dialog.getByText('POST /assignments', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: w.make }).click();

    const shown = page.getByRole('dialog', { name: w.shown });
    const line = shown.getByText(`${app.service.origin}/api/public/v1/me`);
    expect(await line.innerText()).toContain(await shown.getByTestId('secret').innerText());
    // Nothing but the button closes it.
    await page.keyboard.press('Escape');
    await page.goBack();
    const key = await keep(page, w.shown);
    const { status, body } = await clientWith(key).get('/me');
    const template: readonly string[] = keyTemplates.read_assignments;
    expect([status, body['scopes']]).toEqual([200, allScopes.filter((scope) => template.includes(scope))]);
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    expect(await page.content()).not.toContain(key.slice(-43));
  });

  it('allow exactly what was chosen, from where and until when it was chosen', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/keys', { language });
    await page.getByRole('button', { name: w.newKey }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(w.name).fill('CRM');
    await dialog.getByRole('radio', { name: w.custom }).click();
    await dialog.getByRole('button', { name: w.selectNone }).click();
    await dialog.getByRole('button', { name: w.make }).click();
    await dialog.getByText(w.noScope).waitFor();
    await dialog.getByRole('checkbox', { name: w.cases }).check();
    await dialog.getByRole('checkbox', { name: w.webhooks }).check();
    await dialog.getByLabel(w.expires).selectOption('90');
    await dialog.getByLabel(w.addresses).fill('127.0.0.1\n10.0.0');
    app.expectFailures(page, 422);
    await dialog.getByRole('button', { name: w.make }).click();
    await dialog.getByText(w.noAddress).waitFor();
    await dialog.getByLabel(w.addresses).fill('127.0.0.0/8\n\n 2001:db8::1 ');
    await dialog.getByRole('button', { name: w.make }).click();
    const key = await keep(page, w.shown);
    const client = clientWith(key);
    expect((await client.get('/me')).body['scopes']).toEqual(['cases:read', 'webhooks:manage']);
    expect((await client.get('/cases')).status).toBe(200);
    expect((await client.get('/users')).status).toBe(403);
    const made = await app.service.database.prisma.apiKey.findFirst({ where: { tenantId: team.id, name: 'CRM' } });
    expect(made?.allowedIps).toEqual(['127.0.0.0/8', '2001:db8::1']);
    const daysLeft = ((made?.expiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(daysLeft).toBeGreaterThan(89.9);
    expect(daysLeft).toBeLessThan(90.1);
  });

  it.runIf(once(language))(
    'are replaced: both work until the grace period ends, and each leads to the other',
    async () => {
      const team = await app.team();
      const old = await team.aKey({ scopes: ['users:read'] });
      const page = await app.signedIn(team.owner.email, `/keys/${old.id}`, { language });
      await page.getByRole('button', { name: w.replace }).click();
      await page.getByRole('dialog').getByLabel(w.days).fill('2');
      await page.getByRole('dialog').getByRole('button', { name: w.makeNew }).click();
      const key = await keep(page, w.newShown);
      expect((await clientWith(key).get('/me')).body['scopes']).toEqual(['users:read']);
      expect((await clientWith(old.text).get('/me')).status).toBe(200);
      await page.getByRole('link', { name: w.former }).click();
      await page.getByRole('note', { name: w.replacing }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/keys/${old.id}`);
      expect(await page.getByRole('button', { name: w.replace }).count()).toBe(0);
      await app.service.database.prisma.apiKey.update({
        where: { tenantId_id: { tenantId: team.id, id: old.id } },
        data: { expiresAt: new Date() },
      });
      expect((await clientWith(old.text).get('/me')).status).toBe(401);
      expect((await clientWith(key).get('/me')).status).toBe(200);
    },
  );

  it('are revoked, and the next request gets 401', async () => {
    const team = await app.team();
    const { id, text } = await team.aKey();
    expect((await clientWith(text).get('/me')).status).toBe(200);
    const page = await app.signedIn(team.owner.email, `/keys/${id}`, { language });
    await page.getByRole('button', { name: w.revoke }).click();
    await page.getByRole('dialog').getByRole('button', { name: w.revoke }).click();
    await page.getByText(w.revoked).waitFor();
    expect((await clientWith(text).get('/me')).status).toBe(401);
    await page.getByRole('button', { name: w.revoke }).waitFor({ state: 'detached' });
  });

  it.runIf(once(language))('show what was asked with them', async () => {
    const team = await app.team();
    const { id } = await aUsedKey(team);
    const page = await app.signedIn(team.owner.email, `/keys/${id}`, { language });
    await page.getByText(w.table, { exact: true }).click();
    const today = page.getByRole('table', { name: w.days30 }).getByRole('row').nth(1);
    await today.waitFor();
    expect(await today.getByRole('cell').allInnerTexts()).toEqual([expect.any(String), '4', '1', '1', '1']);
    const latest = page.getByRole('table', { name: w.latest }).getByRole('row');
    await latest.nth(4).waitFor();
    expect(await latest.count()).toBe(5);
    await page.getByRole('link', { name: w.allRequests }).click();
    await page.waitForURL((url) => url.pathname === '/requests' && url.searchParams.get('key') === id);
  });

  it.runIf(once(language))(
    'say what is needed to make one, to whoever lacks the right and to a team whose plan lacks the API',
    async () => {
      const team = await app.team();
      const { email } = await app.person(team, 'admin');
      const page = await app.signedIn(email, '/keys', { language });
      await page.getByRole('note', { name: w.noRight }).waitFor();
      expect(await page.getByRole('button', { name: w.newKey }).count()).toBe(0);
      await team.change({ plan: 'basic' });
      const owners = await app.signedIn(team.owner.email, '/keys', { language });
      await owners.getByRole('note', { name: w.noPlan }).waitFor();
      expect(await owners.getByRole('button', { name: w.newKey }).count()).toBe(0);
    },
  );

  it.each(schemesOf[language])('are open to everybody (%s)', async (scheme) => {
    const team = await app.team();
    const { id } = await aUsedKey(team, { expiresAt: new Date(Date.now() + 5 * 86_400_000) });
    const page = await app.signedIn(team.owner.email, '/keys', { language, scheme });
    await page.getByRole('button', { name: w.newKey }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: w.custom }).click();
    await expectAccessible(page);
    await dialog.getByLabel(w.name).fill('x');
    await dialog.getByRole('button', { name: w.make }).click();
    await page.getByRole('dialog', { name: w.shown }).waitFor();
    await expectAccessible(page);
    await keep(page, w.shown);
    await page.goto(`${app.service.origin}/keys/${id}`);
    await page.getByRole('note', { name: w.soon }).waitFor();
    await page.getByRole('table', { name: w.latest }).waitFor();
    await expectAccessible(page);
    await page.getByText(w.table, { exact: true }).click();
    await page.getByRole('button', { name: w.replace }).click();
    await page.getByLabel(w.days).waitFor();
    await expectAccessible(page);
  });
});
