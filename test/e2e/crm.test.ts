import { describe, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { certificates } from '../support/certificates.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { aFeed, aFeedConnection, aSync, localFeeds, page as pageOf, token } from '../support/feed.ts';
import { expectAccessible, hasBrowser, languages, once, schemesOf, useApp } from './support/app.ts';
import { aSyncWorker } from './support/crm.ts';

const words = {
  de: {
    none: 'Noch kein CRM verbunden',
    connectTo: 'CRM verbinden',
    feed: 'Generischer Feed',
    url: 'Adresse des Feeds',
    token: 'Zugriffstoken',
    name: 'Name',
    test: 'Zugangsdaten testen',
    succeeded: 'Der Test war erfolgreich',
    failed: 'Der Test ist fehlgeschlagen',
    tokenRefused: 'Das CRM hat das Zugriffstoken abgelehnt (401). Geben Sie ein neues ein.',
    notPublic: /nicht öffentlich/,
    connect: 'Verbinden',
    syncNow: 'Jetzt abgleichen',
    history: 'Verlauf',
    byHand: 'Manuell gestartet',
    first: 'Erster Abgleich',
    noApi: 'Ihr Tarif enthält die API nicht',
    notScheduled: 'Nicht geplant',
    successful: 'Erfolgreich',
    all: 'Alle Verbindungen',
    objections: 'Einwände',
    amount: '18.400,50 €',
    exact: '12.345.678.901.234.567,891 €',
    edit: 'Bearbeiten',
    save: 'Speichern',
    every: 'Abgleich alle',
    anHour: '1 Stunde',
    notes: 'Auch aus Notizen mit einem Präfix',
    prefix: 'Präfix der Notizen',
    notesWith: 'Verlustgrund, Notizen mit „Einwand:“',
    pause: 'Pausieren',
    paused: 'Pausiert',
    resume: 'Fortsetzen',
    active: 'Aktiv',
    renew: 'Token erneuern …',
    testAndSave: 'Testen und speichern',
    refused: 'Zugangsdaten abgelehnt',
    disconnect: 'Trennen …',
    forGood: 'Endgültig trennen',
    lost: /1 Deal und 0 Einwände verschwinden sofort/,
    gone: 'Diese Verbindung gibt es nicht',
    never: 'Noch nie abgeglichen',
    more: 'Weitere laden',
    notOpen: 'Diese Seite ist nicht für Sie freigegeben',
    trainings: 'Trainings',
  },
  en: {
    none: 'No CRM connected yet',
    connectTo: 'Connect a CRM',
    feed: 'Generic feed',
    url: 'Feed URL',
    token: 'Access token',
    name: 'Name',
    test: 'Test credentials',
    succeeded: 'The test succeeded',
    failed: 'The test failed',
    tokenRefused: 'The CRM refused the access token (401). Enter a new one.',
    notPublic: /public/,
    connect: 'Connect',
    syncNow: 'Sync now',
    history: 'History',
    byHand: 'Started manually',
    first: 'First sync',
    noApi: 'Your plan does not include the API',
    notScheduled: 'Not scheduled',
    successful: 'Successful',
    all: 'All connections',
    objections: 'Objections',
    amount: '€18,400.50',
    exact: '€12,345,678,901,234,567.891',
    edit: 'Edit',
    save: 'Save',
    every: 'Sync every',
    anHour: '1 hour',
    notes: 'Also from notes with a prefix',
    prefix: 'Prefix of the notes',
    notesWith: 'Lost reason, notes with “Einwand:”',
    pause: 'Pause',
    paused: 'Paused',
    resume: 'Resume',
    active: 'Active',
    renew: 'Renew token …',
    testAndSave: 'Test and save',
    refused: 'Credentials refused',
    disconnect: 'Disconnect …',
    forGood: 'Disconnect for good',
    lost: /1 deal and 0 objections disappear/,
    gone: 'There is no such connection',
    never: 'Never synced',
    more: 'Load more',
    notOpen: 'This page is not open to you',
    trainings: 'Trainings',
  },
} as const;

const environment = localFeeds((await certificates()).caFile());

describe.skipIf(!hasBrowser).each(languages)('CRM connections (%s)', (language) => {
  const app = useApp({ environment });
  const said = words[language];

  it('a CRM is connected after a test of its credentials, synced by hand, and its deals are on the page and in the API', async () => {
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
    await dialog.getByRole('radio', { name: said.feed }).click();
    await dialog.getByLabel(said.url).fill(`${feed.url}/crm`);
    await dialog.getByLabel(said.token).fill('wrong');
    await dialog.getByRole('button', { name: said.test }).click();
    await dialog.getByText(said.failed).waitFor();
    await dialog.getByText(said.tokenRefused).waitFor();
    expect(await dialog.getByLabel(said.token).getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel(said.token).fill(token);
    await dialog.getByText(said.failed).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: said.test }).click();
    await dialog.getByText(said.succeeded).waitFor();
    expect((await team.client.get('/crm/deals')).data).toEqual([]);
    expect(await app.service.database.prisma.crmConnection.count({ where: { tenantId: team.id } })).toBe(0);
    await dialog.getByLabel(said.name, { exact: true }).fill('Sales');
    await dialog.getByRole('button', { name: said.connect }).click();

    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    const history = page.getByRole('table', { name: said.history });
    await history.getByText(said.successful).waitFor();
    await history.getByText(said.first).waitFor();
    deals = [first, second];
    await page.getByRole('button', { name: said.syncNow }).click();
    await history.getByText(said.byHand).waitFor();
    await expect.poll(() => history.getByText(said.successful).count(), { timeout: 45_000 }).toBe(2);
    // Deals, objections, deleted.
    const counts = history.getByRole('row').filter({ hasText: said.byHand }).getByText(/^\d+$/);
    expect(await counts.allInnerTexts()).toEqual(['2', '1', '0']);
    expect(await page.content()).not.toContain(token);

    await page.getByRole('link', { name: said.all }).click();
    await page.getByRole('tab', { name: 'Deals' }).click();
    const table = page.getByRole('table', { name: 'Deals' });
    await table.getByText('Hall 4').waitFor();
    await table.getByText(said.amount).waitFor();
    await table.getByText(said.exact).waitFor();
    expect(await table.getByRole('row').count()).toBe(1 + 2);
    await page.getByRole('tab', { name: said.objections }).click();
    const row = page.getByRole('table', { name: said.objections }).getByRole('row').filter({ hasText: 'Hall 4' });
    await row.getByText('Too <b>expensive</b>.').waitFor();

    const client = await team.aClient({ scopes: ['cases:read'] });
    expect((await client.get('/crm/deals')).data).toMatchObject([
      { external_id: 'D-2', amount: '12345678901234567.891' },
      { external_id: 'D-1', amount: '18400.50', currency: 'EUR' },
    ]);
    expect((await client.get('/crm/objections')).data).toMatchObject([{ text: objection.text }]);
  });

  it.runIf(once(language))(
    'a forbidden address is refused at its field, nothing is stored, and choosing another CRM clears the token',
    async () => {
      const team = await app.team();
      const page = await app.signedIn(team.owner.email, '/crm', { language });
      app.expectFailures(page, 422);
      await page.getByRole('button', { name: said.connectTo }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(said.token).fill('a-token-of-hubspot');
      await dialog.getByRole('radio', { name: said.feed }).click();
      expect(await dialog.getByLabel(said.token).inputValue()).toBe('');
      await dialog.getByLabel(said.url).fill('https://10.0.0.1/');
      await dialog.getByLabel(said.token).fill(token);
      await dialog.getByRole('button', { name: said.connect }).click();
      await dialog.getByText(said.notPublic).waitFor();
      expect(await dialog.getByLabel(said.url).getAttribute('aria-invalid')).toBe('true');
      expect(await app.service.database.prisma.crmConnection.count({ where: { tenantId: team.id } })).toBe(0);
      await expectAccessible(page);
    },
  );

  it.runIf(once(language))(
    'one is changed, paused, resumed, and its token renewed after a test of the new one',
    async () => {
      const team = await app.team();
      const renewed = 'another-token';
      const feed = await aFeed(({ headers }) =>
        headers.authorization === `Bearer ${renewed}` ? pageOf({}) : { status: 401 },
      );
      const id = await aFeedConnection(team, feed);
      await aSync(app.service, team, id);
      const stored = () =>
        app.service.database.prisma.crmConnection.findFirstOrThrow({ where: { tenantId: team.id, id } });
      const page = await app.signedIn(team.owner.email, '/crm', { language });
      app.expectFailures(page, 422);
      await page.getByText(said.refused).waitFor();
      await page.getByText(said.tokenRefused).waitFor();
      await page.getByRole('link', { name: said.feed }).click();
      await page.getByRole('alert').getByRole('button', { name: said.renew }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(said.token).fill('still-wrong');
      await dialog.getByRole('button', { name: said.testAndSave }).click();
      await dialog.getByText(said.tokenRefused).waitFor();
      await dialog.getByLabel(said.token).fill(renewed);
      await dialog.getByRole('button', { name: said.testAndSave }).click();
      await page.getByText(said.active, { exact: true }).waitFor();
      expect(await stored()).toMatchObject({ status: 'active' });

      await page.getByRole('button', { name: said.pause }).click();
      await page.getByText(said.paused, { exact: true }).waitFor();
      expect(await stored()).toMatchObject({ status: 'paused', nextSyncAt: null });
      await page.getByRole('button', { name: said.resume }).click();
      await page.getByText(said.active, { exact: true }).waitFor();
      expect(await stored()).toMatchObject({ status: 'active', nextSyncAt: expect.any(Date) });

      await page.getByRole('button', { name: said.edit }).click();
      await dialog.getByLabel(said.name, { exact: true }).fill('Nord');
      await dialog.getByLabel(said.every).selectOption({ label: said.anHour });
      await dialog.getByRole('button', { name: said.save }).click();
      await page.getByRole('heading', { level: 1, name: 'Nord' }).waitFor();
      expect(await stored()).toMatchObject({ label: 'Nord', intervalSeconds: 3_600 });
    },
  );

  it.runIf(once(language))('one of HubSpot says where its objections come from, which can be changed', async () => {
    const team = await app.team();
    const id = await aCrmConnection(app.service, team);
    const page = await app.signedIn(team.owner.email, `/crm/${id}`, { language });
    await page.getByRole('button', { name: said.edit }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: said.notes }).check();
    await dialog.getByLabel(said.prefix).fill('Einwand:');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: said.save }).click();
    await page.getByText(said.notesWith).waitFor();
    const { settings } = await app.service.database.prisma.crmConnection.findFirstOrThrow({ where: { id } });
    expect(settings).toMatchObject({ notePrefix: 'Einwand:', objectionProperty: null, objectionCategory: 'other' });
  });

  it.runIf(once(language))(
    'disconnecting first lists what is deleted, and then hides it everywhere at once',
    async () => {
      const team = await app.team();
      const id = await aFeedConnection(team, await aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]));
      await aSync(app.service, team, id);
      const page = await app.signedIn(team.owner.email, `/crm/${id}`, { language });
      await page.getByRole('button', { name: said.disconnect }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(said.lost).waitFor();
      await expectAccessible(page);
      expect((await team.client.get('/crm/deals')).data).toHaveLength(1);
      await dialog.getByRole('button', { name: said.forGood }).click();
      await page.getByText(said.none).waitFor();
      expect((await team.client.get('/crm/deals')).data).toEqual([]);
      app.expectFailures(page, 404);
      await page.goto(`${app.service.origin}/crm/${id}`);
      await page.getByText(said.gone).waitFor();
    },
  );

  it.runIf(once(language))(
    'on a plan without the API, the page says so, and nothing can be connected or synced',
    async () => {
      const team = await app.team();
      const feed = await aFeed([{}]);
      const id = await aFeedConnection(team, feed);
      await team.change({ plan: 'basic' });
      const page = await app.signedIn(team.owner.email, '/crm', { language });
      await page.getByText(said.noApi).waitFor();
      await page.getByText(said.notScheduled).waitFor();
      await page.getByText(`${new URL(feed.url).host}/crm`, { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: said.connectTo }).isDisabled()).toBe(true);
      await expectAccessible(page);
      await page.goto(`${app.service.origin}/crm/${id}`);
      await page.getByText(said.noApi).waitFor();
      expect(await page.getByRole('button', { name: said.syncNow }).isDisabled()).toBe(true);
      await expectAccessible(page);
    },
  );

  it.runIf(once(language))('deals are listed page by page', async () => {
    const team = await app.team();
    const connection = await aCrmConnection(app.service, team);
    const createdAt = app.service.clock.now();
    await app.service.database.prisma.crmDeal.createMany({
      data: Array.from({ length: 53 }, () => {
        const id = newId();
        return { tenantId: team.id, connectionId: connection, id, externalId: id, createdAt };
      }),
    });
    const page = await app.signedIn(team.owner.email, '/crm?view=deals', { language });
    const rows = page.getByRole('table', { name: 'Deals' }).getByRole('row');
    await expect.poll(() => rows.count(), { timeout: 45_000 }).toBe(1 + 50);
    await page.getByRole('button', { name: said.more }).click();
    await expect.poll(() => rows.count(), { timeout: 45_000 }).toBe(1 + 53);
  });

  it.each(schemesOf[language])('the dialog and both lists are readable for everybody (%s)', async (scheme) => {
    const team = await app.team();
    const connection = await aCrmConnection(app.service, team);
    const deal = await aDeal(app.service, team, connection, { title: 'Hall 4', outcome: 'lost', lostReason: 'Price' });
    await anObjection(app.service, team, deal);
    for (const view of ['deals', 'objections']) {
      const page = await app.signedIn(team.owner.email, `/crm?view=${view}`, { language, scheme });
      await page.getByText('Hall 4').waitFor();
      await expectAccessible(page);
    }
    const page = await app.signedIn(team.owner.email, '/crm', { language, scheme });
    await page.getByRole('button', { name: said.connectTo }).click();
    await page.getByRole('dialog').getByRole('button', { name: said.test }).waitFor();
    await expectAccessible(page);
  });

  it.runIf(once(language))('is for the owner and admins alone', async () => {
    const team = await app.team();
    const member = await app.person(team, 'member');
    const admin = await app.person(team, 'admin');
    const page = await app.signedIn(member.email, '/crm', { language });
    await page.getByText(said.notOpen).waitFor();
    await page.getByRole('link', { name: said.trainings }).waitFor();
    expect(await page.getByRole('link', { name: 'CRM' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: said.connectTo }).count()).toBe(0);
    const theirs = await app.signedIn(admin.email, '/crm', { language });
    await theirs.getByRole('button', { name: said.connectTo }).waitFor();
    expect(await theirs.getByRole('link', { name: 'CRM' }).count()).toBe(1);
    expect(await theirs.getByText(said.notOpen).count()).toBe(0);
  });
});
