import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aScoredTraining, aCatalogItem } from '../support/practice.ts';
import { hasBrowser, holdRequests, useApp } from './support/app.ts';

/** A network on the road: 400 ms until an answer begins, 50 kB/s. */
const slowly = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** From now on nothing is in the browser's cache. */
const withoutCache = async (page: Page) => {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
  return protocol;
};

const frame = (page: Page) => page.locator('#frame');

/** What the frame has in common with the shell, in either of them. */
const parts = {
  frame: ['#frame > div > div:first-child', '#frame img', '#frame a', '#frame a > span', '#frame h1'],
  shell: ['header', 'header img', 'nav:not(main *) a', 'nav:not(main *) a > span', 'main h1'],
} as const;

/** Where the visible ones of these parts are, their texts and their colours. */
const looksOf = async (page: Page, selectors: readonly string[]): Promise<string[][]> =>
  z.array(z.array(z.string())).parse(
    await page.evaluate(`${JSON.stringify(selectors)}.map((selector) =>
      [...document.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .map((one) => {
          const text = document.createRange();
          text.selectNodeContents(one);
          const isText = one.matches('h1, span');
          const { left, top, width, height } = (isText ? text : one).getBoundingClientRect();
          const { color, backgroundColor } = getComputedStyle(one);
          const place = [left, top, width, height].map(Math.round);
          return [isText ? one.textContent : '', ...place, isText ? color : '', backgroundColor].join(' ');
        }))`),
  );

describe.skipIf(!hasBrowser)('on a slow network', () => {
  const app = useApp();

  it('a page has its frame before the app, then the shape of the list, then rows with their names', async () => {
    const team = await app.team({ members: 3 });
    const situationId = await aCatalogItem(app.service, { dimension: 'situation', nameEn: 'Price talk' });
    for (const { user_id } of team.members) {
      await aScoredTraining(app.service, team, { userId: user_id ?? '', situationId });
    }
    const page = await app.signedIn(team.owner.email, '/account', { unused: true, language: 'en' });
    const protocol = await withoutCache(page);
    await protocol.send('Network.emulateNetworkConditions', slowly);

    // The app comes only after its frame was looked at, and the list after its placeholder was.
    const releaseApp = await holdRequests(page, '**/assets/start-*.js');
    const releaseList = await holdRequests(page, '**/trpc/app/sessions.list*');
    const opened = page.goto('/trainings', { waitUntil: 'commit' });
    await frame(page).locator('h1').getByText('Trainings', { exact: true }).waitFor();
    await frame(page).getByText('Assignments', { exact: true }).waitFor();
    releaseApp();
    await opened;

    await page.getByRole('heading', { level: 1, name: 'Trainings' }).waitFor();
    // While the list loads, its table stands there with its heading and rows.
    const waiting = page.getByRole('status', { name: 'Loading' }).first();
    const height = await waiting.evaluate((element) => element.getBoundingClientRect().height);
    expect(height).toBeGreaterThan(300);
    releaseList();
    const table = page.getByRole('table', { name: 'Team trainings' });
    await table.locator('tbody tr').first().waitFor();
    const rows = await table.locator('tbody tr').allInnerTexts();
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toContain('Price talk');
      expect(row).toMatch(/member\./);
    }
    expect(await table.locator('.mantine-Skeleton-root').count()).toBe(0);
  });

  it.each([
    [1440, 'light', '/members'],
    [1100, 'dark', '/members'],
    [1100, 'light', '/settings/privacy'],
    [390, 'dark', '/'],
  ] as const)('at %i pixels, %s, the frame of %s is where the app has it', async (width, scheme, path) => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/account', { unused: true, width, scheme });
    await withoutCache(page);
    const release = await holdRequests(page, '**/assets/start-*.js');
    const opened = page.goto(path, { waitUntil: 'commit' });
    await frame(page).locator('img').waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    const before = await looksOf(page, parts.frame);
    release();
    await opened;
    await page.locator('main h1').waitFor();
    expect(await frame(page).locator('*').count()).toBe(0);
    const after = await looksOf(page, parts.shell);
    expect(before.slice(0, -1)).toEqual(after.slice(0, -1));
    expect(before[2]).toHaveLength(width < 992 ? 0 : 14);
    // Only the pages of the navigation have their name before the app.
    expect(before.at(-1)).toEqual(path === '/settings/privacy' ? [] : after.at(-1));
  });

  it('a browser that has shown no frame, or in which the person has signed out, has the placeholder', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/', { unused: true });
    const opened = async (path: string, kept?: string) => {
      if (kept !== undefined) await page.evaluate(`localStorage.setItem('frame', ${JSON.stringify(kept)})`);
      const release = await holdRequests(page, '**/assets/start-*.js');
      const going = page.goto(path, { waitUntil: 'commit' });
      await page.getByText('Wird geladen … / Loading …').waitFor();
      release();
      await going;
      await page.unroute('**/assets/start-*.js');
    };
    await withoutCache(page);
    // What no version has written stops nothing.
    await opened('/members', '{"groups":1}');
    await page.locator('main h1').waitFor();
    await page.getByRole('button', { name: 'Ihr Konto' }).click();
    await page.getByRole('menuitem', { name: 'Abmelden' }).click();
    await page.locator('input[name=email]').waitFor();
    await opened('/members');
    await page.locator('input[name=email]').waitFor();
  });
});
