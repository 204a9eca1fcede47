import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { allScopes, keyTemplates } from '../../src/core/scopes.ts';
import { makeClient } from '../support/client.ts';
import { aUsedKey } from '../support/logs.ts';
import { countClicks, expectAccessible, hasBrowser, holdRequests, useApp, typeToConfirm } from './support/app.ts';

const language = 'en';
const w = {
  newKey: 'New key',
  name: 'Name',
  readAssignments: /^Read and create assignments/,
  cases: /cases:read/,
  addresses: 'Allowed IP addresses',
  make: 'Create key',
  shown: 'Your new key',
  replace: 'Rotate',
  revoke: 'Revoke',
} as const;

describe.skipIf(!hasBrowser)('API keys', () => {
  const app = useApp();

  const clientWith = (key: string) => makeClient(app.service.baseUrl, key);

  /** Reads the key that is shown once, and confirms that it is saved. */
  const keep = async (page: Page, title: string): Promise<string> => {
    const dialog = page.getByRole('dialog', { name: title });
    const key = await dialog.getByTestId('secret').innerText();
    await dialog.getByRole('button', { name: 'I have saved the key' }).click();
    await dialog.waitFor({ state: 'detached' });
    return key;
  };

  it('guide to the first key, made from a template, which is shown once and works: five clicks from the overview to a command that tries it', async () => {
    const team = await app.team();
    await app.service.database.prisma.apiKey.deleteMany({ where: { tenantId: team.id } });
    const page = await app.signedIn(team.owner.email, '/', { language });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clicks = await countClicks(page);
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click();
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'Create first key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(w.name).fill('Reports');
    await dialog.getByRole('radio', { name: w.readAssignments }).click();
    await dialog.getByRole('switch', { name: 'Show routes' }).press('Space');
    await dialog.getByText('POST /assignments', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: w.make }).click();

    const shown = page.getByRole('dialog', { name: w.shown });
    await shown.waitFor();
    await expectAccessible(page);
    await shown.getByRole('button', { name: 'Copy command' }).click();
    expect(await clicks()).toBe(5);
    const line = await shown.getByText(`${app.service.origin}/api/public/v1/me`).innerText();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(line);
    const secret = await shown.getByTestId('secret').innerText();
    expect(line).toBe(`curl -H "Authorization: Bearer ${secret}" ${app.service.origin}/api/public/v1/me`);
    // Only the button closes the dialog.
    await page.keyboard.press('Escape');
    await page.goBack();
    const leaving = "dispatchEvent(new Event('beforeunload', { cancelable: true }))";
    expect(await page.evaluate(leaving)).toBe(false);
    const key = await keep(page, w.shown);
    const { status, body } = await clientWith(key).get('/me');
    const template: readonly string[] = keyTemplates.read_assignments;
    expect([status, body['scopes']]).toEqual([200, allScopes.filter((scope) => template.includes(scope))]);
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    expect(await page.evaluate(leaving)).toBe(true);
    expect(await page.content()).not.toContain(key.slice(-43));
  });

  it('that somebody found are reported without signing in; their page warns, and has the ways to end them', async () => {
    const team = await app.team();
    const { id, text } = await team.aKey();
    const finder = await app.open('/report-key', { language });
    await finder.getByLabel('API key').fill(`KEY=${text}`);
    await expectAccessible(finder);
    await finder.getByRole('button', { name: 'Report key' }).click();
    await finder.getByRole('heading', { level: 1, name: 'Thank you for your report' }).waitFor();
    await expectAccessible(finder);
    expect(await finder.content()).not.toContain(text);
    await finder.getByRole('button', { name: 'Report another key' }).click();
    expect(await finder.getByLabel('API key').inputValue()).toBe('');

    const page = await app.signedIn(team.owner.email, '/keys', { language });
    await page.getByText('Reported as found').first().waitFor();
    await page.goto(`/keys/${id}`);
    await page.getByRole('note').getByText('This key was found').waitFor();
    await page.getByRole('button', { name: w.replace }).waitFor();
    await page.getByRole('button', { name: w.revoke }).waitFor();
    await expectAccessible(page);
  });

  it('allow exactly the chosen scopes, addresses and time, and are shown even if the person presses Escape too early', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/keys', { language });
    await page.getByRole('button', { name: w.newKey }).click();
    const dialog = page.getByRole('dialog');
    // All fields fit into a window of a usual size, without scrolling.
    const last = await dialog.getByLabel(w.addresses).boundingBox();
    const buttons = await dialog.getByRole('button', { name: w.make }).boundingBox();
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThan(buttons?.y ?? 0);
    // The dialog opens with the focus in its first field.
    await dialog.getByLabel(w.name).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('CRM');
    // The scopes can be chosen without a click before.
    await dialog.getByRole('checkbox', { name: w.cases }).waitFor();
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(0);
    // Nor does a selection of one's own begin with the scopes of a template.
    await dialog.getByRole('radio', { name: w.readAssignments }).click();
    await dialog.getByRole('radio', { name: /^Custom/ }).click();
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(0);
    await dialog.getByRole('button', { name: w.make }).click();
    const noScope = dialog.getByText('Select at least one scope.');
    await noScope.and(page.locator(':focus')).waitFor();
    const place = await noScope.boundingBox();
    expect(place?.y).toBeGreaterThan(0);
    expect(place?.y).toBeLessThan(880);
    await dialog.getByRole('checkbox', { name: w.cases }).check();
    await dialog.getByRole('checkbox', { name: /webhooks:manage/ }).check();
    await dialog.getByLabel('Expires').selectOption('90');
    await dialog.getByLabel(w.addresses).fill('127.0.0.1\n10.0.0');
    app.expectFailures(page, 422);
    await dialog.getByRole('button', { name: w.make }).click();
    await dialog.getByText(/valid IP address/).waitFor();
    await dialog.getByLabel(w.addresses).fill('127.0.0.0/8\n\n 2001:db8::1 ');
    const release = await holdRequests(page, '**/keys.create');
    const asked = page.waitForRequest('**/keys.create');
    await dialog.getByRole('button', { name: w.make }).click();
    await asked;
    await page.keyboard.press('Escape');
    release();
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

  it('are replaced: both keys work during the grace period, each page links to the other; and revoked', async () => {
    const team = await app.team();
    const old = await team.aKey({ scopes: ['users:read'] });
    const page = await app.signedIn(team.owner.email, `/keys/${old.id}`, { language });
    await page.getByRole('button', { name: w.replace }).click();
    await page.getByRole('dialog').getByLabel('Grace period for the old key (days)').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Create new key' }).click();
    const key = await keep(page, 'New key');
    expect((await clientWith(key).get('/me')).body['scopes']).toEqual(['users:read']);
    expect((await clientWith(old.text).get('/me')).status).toBe(200);
    await page.getByRole('link', { name: 'the previous key' }).click();
    await page.getByRole('note', { name: 'This key is being rotated' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/keys/${old.id}`);
    expect(await page.getByRole('button', { name: w.replace }).count()).toBe(0);

    expect((await clientWith(key).get('/me')).status).toBe(200);
    await app.service.requestLog.write();
    await page.getByRole('link', { name: 'the new key' }).first().click();
    await page.reload();
    await page.getByRole('button', { name: w.revoke }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('GET /me', { exact: true }).waitFor();
    await typeToConfirm(page, await page.locator('main h1').innerText());
    await dialog.getByRole('button', { name: w.revoke }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await clientWith(key).get('/me')).status).toBe(401);
    await page.getByText('Key revoked.').first().waitFor();
    await page.getByRole('button', { name: w.revoke }).waitFor({ state: 'detached' });
  });

  it('are found by a pasted key, whose secret part gets into neither the field, the address nor a request', async () => {
    const team = await app.team();
    const { id, text } = await team.aKey({});
    const [shown, secret] = [text.slice(0, text.lastIndexOf('_')), text.slice(text.lastIndexOf('_') + 1)];
    const page = await app.signedIn(team.owner.email, '/keys', { language });
    const rows = page.getByRole('table', { name: 'Team API keys' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.getByLabel('Name or prefix').fill(text);
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.getByRole('link').first().getAttribute('href')).toBe(`/keys/${id}`);
    expect(await page.getByLabel('Name or prefix').inputValue()).toBe(shown);
    expect(new URL(page.url()).searchParams.get('search')).toBe(shown);
    expect(urls.filter((url) => url.includes(shown))).not.toEqual([]);
    expect(urls.filter((url) => url.includes(secret))).toEqual([]);
  });

  it('show their requests, and that they expire soon', async () => {
    const team = await app.team();
    const { id } = await aUsedKey(app.service, team, { expiresAt: later(app.service.clock.now(), daysToMs(5)) });
    const page = await app.signedIn(team.owner.email, `/keys/${id}`, { language });
    await page.getByText('As a table', { exact: true }).click();
    const today = page.getByRole('table', { name: 'Requests per day' }).getByRole('row').nth(1);
    await today.waitFor();
    expect(await today.getByRole('cell').allInnerTexts()).toEqual([expect.any(String), '1', '1', '1', '1', '4']);
    const latest = page.getByRole('table', { name: 'Latest requests with this key' }).getByRole('row');
    await latest.nth(4).waitFor();
    expect(await latest.count()).toBe(5);
    await page.getByRole('note', { name: 'This key expires soon' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All requests with this key' }).click();
    await page.waitForURL((url) => url.pathname === '/requests' && url.searchParams.get('key') === id);
  });

  it('have whole names and prefixes in compact rows, and explain to people without the right what is missing', async () => {
    const team = await app.team();
    const name = 'Abgleich mit dem CRM';
    await app.service.database.prisma.apiKey.updateMany({ where: { tenantId: team.id }, data: { name } });
    const { email } = await app.person(team, 'admin');
    const page = await app.signedIn(email, '/keys', { language });
    await page.getByRole('note', { name: /don’t have permission to create keys/ }).waitFor();
    expect(await page.getByRole('button', { name: w.newKey }).count()).toBe(0);
    await page.evaluate(`localStorage.setItem('density', 'compact')`);
    await page.reload();
    const cell = page.locator('[data-density=compact]').getByRole('cell').filter({ hasText: name });
    const search = page.getByLabel('Name or prefix');
    await search.fill('another name');
    await page.getByText('No keys match these filters').waitFor();
    await search.fill('abgleich');
    await cell.waitFor();
    expect(
      await cell.evaluate((one) =>
        [one, ...one.querySelectorAll('*')].every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth + 1),
      ),
    ).toBe(true);
  });
});
