import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, goWithin, hasBrowser, passTimeUntil, useApp, filterBy } from './support/app.ts';

/** How a call fails while no process answers: without a proxy, and as the proxies of docs/deploy/proxy answer then. */
const outages: [what: string, (route: Route) => Promise<void>][] = [
  ['refuses connections', (route) => route.abort('connectionrefused')],
  ...[502, 503, 504].map((status): (typeof outages)[number] => [
    `has a proxy that answers ${status}`,
    (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        headers: { 'Retry-After': '2' },
        body: JSON.stringify({
          type: '/developers/errors#unavailable',
          title: 'Temporarily unavailable',
          status,
          code: 'unavailable',
          request_id: crypto.randomUUID(),
        }),
      }),
  ]),
  ['has a proxy that answers 503 without a body', (route) => route.fulfill({ status: 503 })],
];

describe.skipIf(!hasBrowser)('a page', () => {
  const app = useApp();

  it.each(outages)(
    'says once that the server %s, shows no time of data that it does not have, and recovers by itself',
    async (_what, fail) => {
      const team = await app.team({ members: 2 });
      const page = await app.signedIn(team.owner.email, '/members', { language: 'en', unused: true });
      await page.clock.install();
      await page.getByRole('table', { name: 'Members' }).waitFor();
      app.expectOutage(page);
      const calls = /\/trpc\/|\/readyz/;
      await page.route(calls, fail);
      const banner = page.getByRole('status').filter({ hasText: 'The server can’t be reached at the moment' });
      const said = async () => (await page.locator('body').innerText()).match(/can’t be reached|could not be/g);

      // A page without data.
      await goWithin(page, '/assignments');
      await banner.waitFor();
      await passTimeUntil(page, page.getByText('Not loaded yet.'));
      expect(await said()).toEqual(['can’t be reached']);
      expect(await page.getByText(/Showing data from/).count()).toBe(0);
      expect(await page.getByRole('alert').count()).toBe(0);
      await expectAccessible(page);

      // A page that still shows its data.
      await goWithin(page, '/members');
      await passTimeUntil(page, banner.getByText(/Showing data from \d/));
      await page.getByRole('table', { name: 'Members' }).waitFor();
      expect(await said()).toEqual(['can’t be reached']);

      await page.unroute(calls);
      await passTimeUntil(page, banner, false);
      await goWithin(page, '/assignments');
      await page.getByText('No assignments yet').waitFor();
    },
  );

  it('whose team sends too much at once loads by itself once there is room', async () => {
    const team = await app.team({ members: 2 });
    const page = await app.signedIn(team.owner.email, '/', { language: 'en' });
    app.expectFailures(page, 429);
    const { promise: over, resolve: release } = Promise.withResolvers<void>();
    const { database } = app.service;
    const holds = Promise.allSettled(
      Array.from({ length: 12 }, () => [
        database.transaction(() => over, { group: team.id }),
        database.reading(team.id, () => over),
      ]).flat(),
    );
    const refused = page.waitForResponse((one) => one.status() === 429 && one.url().includes('/members.list'));
    await goWithin(page, '/members');
    await refused;
    release();
    await holds;
    await page.getByRole('table', { name: 'Members' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('that is only for admins says so in one heading, with the way to the overview', async () => {
    const team = await app.team();
    const { email } = await app.person(team, 'member');
    const page = await app.signedIn(email, '/members', { language: 'en' });
    expect(await page.getByRole('heading').allTextContents()).toEqual(['This page is for admins']);
    await page.getByRole('link', { name: 'Go to overview' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByRole('region', { name: 'Your next assignments' }).waitFor();
  });

  const shownIn = (page: Page, ...selectors: string[]) =>
    Promise.all(selectors.map((selector) => page.locator(selector).first().isVisible()));

  it('is printed without the navigation, the header and what can only be clicked', async () => {
    const team = await app.team({ members: 2 });
    const page = await app.signedIn(team.owner.email, '/members', { language: 'en' });
    await page.getByRole('table', { name: 'Members' }).waitFor();
    const parts = [
      'nav',
      'header',
      'main h1',
      'main table',
      'main [data-creates]',
      'main input',
      'main [aria-haspopup=dialog]',
    ];
    expect(await shownIn(page, ...parts)).toEqual([true, true, true, true, true, true, true]);
    await page.emulateMedia({ media: 'print' });
    expect(await shownIn(page, ...parts)).toEqual([false, false, true, true, false, false, false]);
    // Nothing keeps room for what is not printed.
    expect(await page.evaluate(`getComputedStyle(document.querySelector('main#main')).paddingInlineStart`)).toBe('0px');
  });

  it('that lists former members does not speak of seats', async () => {
    const team = await app.team({ members: 1 });
    await team.client.delete(`/users/${team.members[0]?.id}`);
    const page = await app.signedIn(team.owner.email, '/members', { language: 'en' });
    await page.getByText(/seats taken\./).waitFor();
    await filterBy(page, 'Status', { label: 'Former members' });
    await page.getByText('People who are no longer in the team.').waitFor();
    expect(await page.getByText(/seats taken|pending invitations/).count()).toBe(0);
  });
});
