import { describe, expect, it } from 'vitest';
import { aCrmConnection, aDeal, aFeed, aFeedConnection, aSync, page as pageOf, token } from '../support/crm.ts';
import { expectAccessible, hasBrowser, useApp, typeToConfirm, filterBy } from './support/app.ts';
import { aSyncWorker } from './support/crm.ts';

const said = {
  none: 'No CRM connected yet',
  connectTo: 'Connect a CRM',
  feed: 'Generic feed',
  url: 'Feed URL',
  token: 'Access token',
  name: 'Name',
  test: 'Test credentials',
  failed: 'Test failed',
  tokenRefused: 'The CRM refused the access token (401). Enter a new one.',
  connect: 'Connect',
  byHand: 'Started manually',
  successful: 'Successful',
  objections: 'Objections',
  edit: 'Edit',
  save: 'Save',
  active: 'Active',
  failing: 'Sync failing',
  testAndSave: 'Test and save',
} as const;

describe.skipIf(!hasBrowser)('CRM connections', () => {
  const app = useApp();
  const language = 'en';

  it('a CRM is connected after refusals at the fields and a test of its credentials, synced by hand, and its deals are on the page and in the API', async () => {
    const team = await app.team();
    const first = { id: 'D-1', outcome: 'open', title: 'Hall 4', amount: '18400.50', currency: 'EUR', probability: 40 };
    const second = { ...first, id: 'D-2', title: 'Hall 5', amount: '12345678901234567.891' };
    let deals = [first];
    const objection = { id: 'O-1', deal_id: 'D-1', category: 'price', text: 'Too <b>expensive</b>.', lang: 'en' };
    const feed = await aFeed(({ headers }) =>
      headers.authorization === `Bearer ${token}` ? pageOf({ deals, objections: [objection] }) : { status: 401 },
    );
    aSyncWorker(app.service);
    const page = await app.signedIn(team.owner.email, '/crm', { language });
    app.expectFailures(page, 422);
    await page.getByText(said.none).waitFor();
    await page.getByRole('button', { name: said.connectTo }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(said.token).fill('a-token-of-hubspot');
    await dialog.getByRole('radio', { name: said.feed }).click();
    expect(await dialog.getByLabel(said.token).inputValue()).toBe('');
    await dialog.getByLabel(said.url).fill('https://10.0.0.1/');
    await dialog.getByLabel(said.token).fill(token);
    await dialog.getByRole('button', { name: said.connect }).click();
    await dialog.getByText(/public/).waitFor();
    expect(await dialog.getByLabel(said.url).getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel(said.url).fill(`${feed.url}/crm`);
    await dialog.getByLabel(said.token).fill('wrong');
    await dialog.getByRole('button', { name: said.test }).click();
    await dialog.getByText(said.failed).waitFor();
    await dialog.getByText(said.tokenRefused).waitFor();
    expect(await dialog.getByLabel(said.token).getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel(said.token).fill(token);
    await dialog.getByText(said.failed).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: said.test }).click();
    await dialog.getByText('Test succeeded').waitFor();
    expect((await team.client.get('/crm/deals')).data).toEqual([]);
    expect(await app.service.database.prisma.crmConnection.count({ where: { tenantId: team.id } })).toBe(0);
    await dialog.getByLabel(said.name, { exact: true }).fill('Sales');
    await dialog.getByRole('button', { name: said.connect }).click();

    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    const history = page.getByRole('table', { name: 'History' });
    await history.getByText(said.successful).waitFor();
    await history.getByText('First sync').waitFor();
    deals = [first, second];
    await page.getByRole('button', { name: 'Sync now' }).click();
    await history.getByText(said.byHand).waitFor();
    await expect.poll(() => history.getByText(said.successful).count()).toBe(2);
    // Deals, objections, deleted.
    const counts = history.getByRole('row').filter({ hasText: said.byHand }).getByText(/^\d+$/);
    expect(await counts.allInnerTexts()).toEqual(['2', '1', '0']);
    expect(await page.content()).not.toContain(token);

    await page.getByRole('link', { name: '← CRM' }).click();
    await page.getByRole('tab', { name: 'Deals' }).click();
    const table = page.getByRole('table', { name: 'Deals' });
    await table.getByText('Hall 4').waitFor();
    await table.getByText('€18,400.50').waitFor();
    await table.getByText('€12,345,678,901,234,567.891').waitFor();
    expect(await table.getByRole('row').count()).toBe(1 + 2);
    await page.getByRole('tab', { name: said.objections }).click();
    const row = page.getByRole('table', { name: said.objections }).getByRole('row').filter({ hasText: 'Hall 4' });
    await row.getByText('Too <b>expensive</b>.').waitFor();
    await row.getByText('Price', { exact: true }).waitFor();

    const client = await team.aClient({ scopes: ['cases:read'] });
    expect((await client.get('/crm/deals')).data).toMatchObject([
      { external_id: 'D-2', amount: '12345678901234567.891' },
      { external_id: 'D-1', amount: '18400.50', currency: 'EUR' },
    ]);
    expect((await client.get('/crm/objections')).data).toMatchObject([{ text: objection.text }]);
  });

  it('deals are searched, filtered by status, connection and close date, and ordered by amount over all of them', async () => {
    const team = await app.team();
    const [one, two] = [await aCrmConnection(app.service, team), await aCrmConnection(app.service, team)];
    const thisMonth = app.service.clock.now();
    const halls = Array.from({ length: 60 }, (_, at) => at + 1);
    await Promise.all(
      halls.map((n) =>
        aDeal(app.service, team, one, {
          externalId: `D-${n}`,
          title: `Hall ${n}`,
          amount: String(n),
          currency: 'EUR',
        }),
      ),
    );
    await aDeal(app.service, team, two, { title: 'Fleet', amount: '-3', closeDate: thisMonth });
    await aDeal(app.service, team, two, { title: 'Lost hall', outcome: 'lost', closeDate: new Date('2020-01-31') });
    const page = await app.signedIn(team.owner.email, '/crm?view=deals', { language });
    const rows = page.getByRole('table', { name: 'Deals' }).locator('tbody tr');
    const titles = async () => (await rows.allInnerTexts()).map((row) => row.split('\n')[0]);
    await page.getByText('62 entries').waitFor();
    // The latest close date first; those without one come after all others.
    expect((await titles()).slice(0, 2)).toEqual(['Fleet', 'Lost hall']);
    await page.getByRole('button', { name: 'Amount' }).click();
    await expect.poll(async () => (await titles()).slice(0, 3)).toEqual(['Lost hall', 'Fleet', 'Hall 1']);
    await page.getByRole('button', { name: 'Amount' }).click();
    await expect.poll(async () => (await titles()).slice(0, 2)).toEqual(['Hall 60', 'Hall 59']);
    await page.getByRole('searchbox', { name: 'Search by title or CRM ID' }).fill('d-60 hall');
    await page.getByText('1 match', { exact: true }).waitFor();
    expect(await titles()).toEqual(['Hall 60']);
    await page.reload();
    await page.getByText('1 match', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await filterBy(page, 'Connection', two);
    await page.getByText('2 matches').waitFor();
    await filterBy(page, 'Status', { label: 'Lost' });
    await expect.poll(titles).toEqual(['Lost hall']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await filterBy(page, 'Close date', { label: 'This month' });
    await expect.poll(titles).toEqual(['Fleet']);
    await page.getByRole('searchbox', { name: 'Search by title or CRM ID' }).fill('nothing');
    await page.getByText('No deals match these filters').waitFor();
  });

  it('a connection is changed, paused, resumed, its token renewed after a test of the new one; disconnecting lists what is deleted', async () => {
    const team = await app.team();
    const renewed = 'another-token';
    const feed = await aFeed(({ headers }) =>
      headers.authorization === `Bearer ${renewed}`
        ? pageOf({ deals: [{ id: 'a', outcome: 'open' }] })
        : { status: 401 },
    );
    const id = await aFeedConnection(team, feed);
    await aSync(app.service, team, id);
    const stored = () =>
      app.service.database.prisma.crmConnection.findFirstOrThrow({ where: { tenantId: team.id, id } });
    const page = await app.signedIn(team.owner.email, '/crm', { language });
    app.expectFailures(page, 422);
    await page.getByText('Credentials rejected').waitFor();
    await page.getByText(said.tokenRefused).waitFor();
    await page.getByRole('link', { name: said.feed }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Renew token …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(said.token).fill('still-wrong');
    await dialog.getByRole('button', { name: said.testAndSave }).click();
    await dialog.getByText(said.tokenRefused).waitFor();
    await dialog.getByLabel(said.token).fill(renewed);
    await dialog.getByRole('button', { name: said.testAndSave }).click();
    // The token is accepted, but the last sync has failed: the worst is the status.
    await page.getByText(said.failing, { exact: true }).waitFor();
    expect(await page.getByText(said.active, { exact: true }).count()).toBe(0);
    expect(await stored()).toMatchObject({ status: 'active' });

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ status: 'paused', nextSyncAt: null });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(said.failing, { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ status: 'active', nextSyncAt: expect.any(Date) });

    await page.getByRole('button', { name: said.edit }).click();
    await dialog.getByLabel(said.name, { exact: true }).fill('Nord');
    await dialog.getByLabel('Sync every').selectOption({ label: '1 hour' });
    await dialog.getByRole('button', { name: said.save }).click();
    await page.getByRole('heading', { level: 1, name: 'Nord' }).waitFor();
    expect(await stored()).toMatchObject({ label: 'Nord', intervalSeconds: 3_600 });

    await aSync(app.service, team, id);
    await page.reload();
    await page.getByText(said.active, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Disconnect …' }).click();
    await dialog.getByText(/1 deal and 0 objections will be deleted/).waitFor();
    await expectAccessible(page);
    expect((await team.client.get('/crm/deals')).data).toHaveLength(1);
    await typeToConfirm(page, 'Nord');
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText(said.none).waitFor();
    expect((await team.client.get('/crm/deals')).data).toEqual([]);
    app.expectFailures(page, 404);
    await page.goto(`/crm/${id}`);
    await page.getByText('Connection not found').waitFor();
  });

  it('a connection to HubSpot shows the source of its objections, which can be changed', async () => {
    const team = await app.team();
    const id = await aCrmConnection(app.service, team);
    const page = await app.signedIn(team.owner.email, `/crm/${id}`, { language });
    await page.getByRole('button', { name: said.edit }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Lost reason and notes with a prefix' }).check();
    await dialog.getByLabel('Prefix of the notes').fill('Einwand:');
    await dialog.getByRole('button', { name: said.save }).click();
    await page.getByText('Lost reason, notes with “Einwand:”').waitFor();
    const { settings } = await app.service.database.prisma.crmConnection.findFirstOrThrow({ where: { id } });
    expect(settings).toMatchObject({ note_prefix: 'Einwand:', objection_property: null, objection_category: 'other' });
  });
});
