import { describe, expect, it } from 'vitest';
import { daysToMs, minutesToMs } from '../../src/core/clock.ts';
import { anAnswer, theRequests } from '../support/logs.ts';
import { hasBrowser, passTimeUntil, useApp, filterBy, inFilters } from './support/app.ts';

const w = {
  table: 'Anfragen',
  status: 'Status',
  noMatch: 'Keine Anfragen entsprechen den Filtern',
  refresh: 'Aktualisieren',
  age: /Angezeigt wird der Stand von \d\d:\d\d/,
} as const;

describe.skipIf(!hasBrowser)('the request log', () => {
  const app = useApp();

  it('shows a request made over REST, and finds it by its id, with the details of the answer', async () => {
    const team = await app.team();
    const client = await team.aClient({ scopes: ['users:read'] });
    await client.get('/me');
    const refused = await client.get('/cases');
    expect(refused.status).toBe(403);
    await app.service.requestLog.write();
    const page = await app.signedIn(team.owner.email, '/requests');
    const rows = page.getByRole('table', { name: w.table, exact: true }).getByRole('row');
    await rows.nth(2).waitFor();
    const id = refused.headers.get('X-Request-Id') ?? '';
    await page.getByLabel('Anfrage-ID').fill(id);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('request_id') === id);
    await page.getByRole('cell', { name: 'GET /me', exact: true }).waitFor({ state: 'detached' });
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(2);
    const code = rows.nth(1).getByRole('link', { name: 'insufficient_scope' });
    expect(await code.getAttribute('href')).toMatch(/^\/developers\/(de|en)\/errors#insufficient_scope$/);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: `Details: GET /cases` }).click();
    const panel = page.getByRole('complementary', { name: 'GET /cases' });
    const copied = panel.getByRole('button', { name: 'Kopiert' }).waitFor();
    await Promise.all([copied, panel.getByRole('button', { name: 'Anfrage-ID kopieren' }).click()]);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);

    await panel.getByRole('link', { name: 'Seite öffnen' }).click();
    await page.getByRole('heading', { level: 1, name: 'GET /cases', exact: true }).waitFor();
    const command = page.getByRole('group', { name: 'Befehl zum Wiederholen' });
    expect(await command.textContent()).toBe(
      `curl -i '${app.service.origin}/api/public/v1/cases' \\\n  -H "Authorization: Bearer $API_KEY"`,
    );
    await page.getByText('127.0.0.1', { exact: true }).waitFor();
    await page.getByText('cases:read', { exact: true }).waitFor();
    await page.reload();
    await command.waitFor();
  });

  it('keeps its filters in the URL', async () => {
    const team = await app.team();
    const [a, b] = [(await team.aKey()).id, (await team.aKey()).id];
    await theRequests(app.service, team, a, [
      {},
      { status: 404, code: 'not_found', route: '/cases/{case_id}' },
      { status: 503 },
    ]);
    await theRequests(app.service, team, b, [
      { status: 404, code: 'not_found', route: '/users/{member_id}' },
      { status: 201 },
    ]);
    const page = await app.signedIn(team.owner.email, `/requests?key=${a}`);
    const rows = page.getByRole('table', { name: w.table, exact: true }).getByRole('row');
    await rows.nth(3).waitFor();
    await filterBy(page, 'Fehler', 'not_found');
    await page.getByRole('cell', { name: 'GET /users', exact: true }).first().waitFor({ state: 'detached' });
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(2);
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ key: a, code: 'not_found' });
    await filterBy(page, w.status, '2xx');
    await page.getByText(w.noMatch).waitFor();
    await page.getByRole('button', { name: 'Filter zurücksetzen' }).first().click();
    await rows.nth(4).waitFor();
    await page.goto('/requests?status=5xx');
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(2);

    // A selection in the chart is a filter too.
    const chart = page.getByRole('slider', { name: 'Anfragen im Zeitverlauf' });
    await chart.focus();
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toContain('Fehlgeschlagen (5xx) 1');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('since'));
    const since = new Date(new URL(page.url()).searchParams.get('since') ?? '');
    expect([since.getTime() < Date.now() - daysToMs(1), since.getTime() > Date.now() - daysToMs(2)]).toEqual([
      true,
      true,
    ]);
    await rows.nth(1).waitFor();
    await inFilters(page, (filters) =>
      filters
        .getByText(/^(Mo|Di|Mi|Do|Fr|Sa|So)\., \d{1,2}\. \S+ \d{4}, \d\d:\d\d$/)
        .first()
        .waitFor(),
    );
    await chart.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByText(w.noMatch).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('since') && !url.searchParams.has('until'));
    await rows.nth(1).waitFor();
  });

  it('has one period for its chart and its list, whose first row is on the screen', async () => {
    const team = await app.team();
    const key = (await team.aKey()).id;
    const { clock } = app.service;
    await theRequests(app.service, team, key, [{ route: '/me' }]);
    clock.forward(-daysToMs(3));
    await theRequests(app.service, team, key, [{ route: '/cases' }]);
    clock.forward(daysToMs(3));
    const page = await app.signedIn(team.owner.email, '/requests');
    const rows = page.getByRole('table', { name: w.table, exact: true }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    const first = await rows.first().boundingBox();
    expect((first?.y ?? 900) + (first?.height ?? 0)).toBeLessThan(900);

    const period = page.getByRole('radiogroup', { name: 'Zeitraum' });
    await period.getByText('24 Stunden').click();
    await page.getByRole('cell', { name: 'GET /cases', exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => rows.count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?period=24h');
    // A filter that reaches further back takes the chart with it.
    await filterBy(page, 'Zeitraum', '7d');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await period.getByRole('radio', { name: '7 Tage' }).isChecked()).toBe(true);
  });

  it('is empty at first, without filters, and can be reloaded by hand and by itself, and shows equal refused requests in one row', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/requests', { unused: true });
    await page.getByText('Noch keine Anfragen').waitFor();
    const filter = page.getByRole('button', { name: 'Filter', exact: true });
    expect(await filter.count()).toBe(0);
    const { id } = await team.aKey();
    await theRequests(app.service, team, id, [{ route: '/me' }]);
    await page.getByRole('button', { name: w.refresh }).click();
    const row = page.getByRole('cell', { name: 'GET /me', exact: true });
    await row.waitFor();
    await filter.waitFor();

    // Rows that can't be loaded again stay, and the page says how old they are.
    app.expectFailures(page, 500);
    const calls = '**/trpc/app/requests.list**';
    const problem = { code: 'internal', status: 500, title: '', request_id: '' };
    const json = { error: { message: '', code: -32_603, data: { problem } } };
    await page.route(calls, (route) => route.fulfill({ status: 500, json }));
    await page.getByRole('button', { name: w.refresh }).click();
    await page.getByText(w.age).waitFor();
    await row.waitFor();
    await page.unroute(calls);
    await page.getByRole('button', { name: 'Jetzt erneut versuchen' }).click();
    await page.getByText(w.age).waitFor({ state: 'detached' });

    await page.clock.install();
    await page.getByRole('switch', { name: 'Automatisch aktualisieren' }).click();

    // Equal requests that were refused are one row, which is written when its minute is over.
    const { clock, requestLog } = app.service;
    const refused = { status: 429, code: 'rate_limited', route: undefined, refusedAtGate: true };
    clock.forward(-minutesToMs(1));
    for (let count = 0; count < 1_244; count += 1) requestLog.note(anAnswer(team, id, refused));
    clock.forward(minutesToMs(1));
    await theRequests(app.service, team, id, [{ route: '/cases' }]);
    await passTimeUntil(page, page.getByRole('cell', { name: 'GET /cases', exact: true }));
    const refusals = page.getByRole('row').filter({ hasText: '1.234 Anfragen' });
    await refusals.waitFor();
    expect(await refusals.count()).toBe(1);
    expect(await refusals.textContent()).toContain('× 1.234');
    await refusals.getByRole('button').first().click();
    await page.getByText('1.234 abgelehnte Anfragen in derselben Minute').waitFor();

    // Rows that the reader is looking at do not move: who loads older ones gets no new ones by themselves.
    const older = page.getByRole('button', { name: 'Weitere laden' });
    await theRequests(
      app.service,
      team,
      id,
      Array.from({ length: 60 }, () => ({ route: '/me' })),
    );
    await passTimeUntil(page, older);
    await older.click();
    await page.getByRole('switch', { name: 'Automatisch aktualisieren', checked: false }).waitFor();
  });
});
