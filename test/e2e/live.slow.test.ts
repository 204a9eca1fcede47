import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { theRequests } from '../support/logs.ts';
import { hasBrowser, passTimeUntil, useApp } from './support/app.ts';

describe.skipIf(!hasBrowser)('the live view', () => {
  const app = useApp();

  const request = (page: Page, route: string) => page.getByRole('cell', { name: `GET ${route}`, exact: true });

  /** The view of a team whose key has sent so many requests, in a browser whose clock stands still. */
  const opened = async (sent: number) => {
    const team = await app.team();
    const { id: key } = await team.aKey();
    await theRequests(
      app.service,
      team,
      key,
      Array.from({ length: sent }, () => ({ route: '/me' })),
    );
    const page = await app.signedIn(team.owner.email, '/account', { unused: true });
    await page.clock.install();
    await page.goto('/live');
    await request(page, '/me').first().waitFor();
    return { page, team, key };
  };

  it('shows each request once, soon after it was made, also one that is older than the newest and was written later', async () => {
    const { page, team, key } = await opened(1);
    const { clock } = app.service;
    await theRequests(app.service, team, key, [{ route: '/cases' }]);
    await passTimeUntil(page, request(page, '/cases'));
    clock.forward(-secondsToMs(20));
    await theRequests(app.service, team, key, [{ route: '/users' }]);
    clock.forward(secondsToMs(20));
    await passTimeUntil(page, request(page, '/users'));
    await passTimeUntil(page, page.getByRole('status').filter({ hasText: '2 neue Einträge' }));
    for (const route of ['/me', '/cases', '/users']) expect(await request(page, route).count(), route).toBe(1);
  });

  it('moves nothing while the reader has scrolled down, but says how many are new', async () => {
    const { page, team, key } = await opened(60);
    await page.evaluate('window.scrollTo(0, 600)');
    await theRequests(app.service, team, key, [{ route: '/cases' }, { route: '/users' }]);
    const news = page.getByRole('button', { name: '2 neue Einträge' });
    await passTimeUntil(page, news);
    expect(await request(page, '/cases').count()).toBe(0);
    await news.click();
    await request(page, '/cases').waitFor();
    await news.waitFor({ state: 'detached' });
  });

  it('asks for nothing while it is paused, and goes on afterwards', async () => {
    const { page, team, key } = await opened(1);
    await page.getByRole('button', { name: 'Pausieren' }).click();
    await page.getByText('Pausiert', { exact: true }).waitFor();
    let calls = 0;
    page.on('request', (sent) => (calls += sent.url().includes('/requests.list') ? 1 : 0));
    await theRequests(app.service, team, key, [{ route: '/cases' }]);
    await page.clock.fastForward('01:00');
    expect([calls, await request(page, '/cases').count()]).toEqual([0, 0]);
    await page.getByRole('button', { name: 'Fortsetzen' }).click();
    await passTimeUntil(page, request(page, '/cases'));
  });
});
