import { describe, expect, it } from 'vitest';
import { aScoredTraining, aCatalogItem } from '../support/practice.ts';
import { hasBrowser, holdRequests, useApp } from './support/app.ts';

/** A network on the road: 400 ms until an answer begins, 50 kB/s. */
const slowly = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

describe.skipIf(!hasBrowser)('on a slow network', () => {
  const app = useApp();

  it('the first visit has something to read within 4 seconds, then the shape of the list, then rows with their names', async () => {
    const team = await app.team({ members: 3 });
    const situationId = await aCatalogItem(app.service, { dimension: 'situation', nameEn: 'Price talk' });
    for (const { user_id } of team.members) {
      await aScoredTraining(app.service, team, { userId: user_id ?? '', situationId });
    }
    const signedIn = await app.signedIn(team.owner.email, '/account', { language: 'en' });
    const page = await app.open('/developers/errors', { unused: true, language: 'en' });
    await page.context().addCookies(await signedIn.context().cookies());
    const protocol = await page.context().newCDPSession(page);
    await protocol.send('Network.enable');
    await protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
    await protocol.send('Network.emulateNetworkConditions', slowly);

    // The list comes only after its placeholder was looked at.
    const release = await holdRequests(page, '**/trpc/app/sessions.list*');
    const began = performance.now();
    const opened = page.goto('/trainings', { waitUntil: 'commit' });
    await page.locator('svg text').filter({ hasText: 'Team Customer API' }).waitFor();
    await page.getByText('Wird geladen … / Loading …').waitFor();
    expect(performance.now() - began).toBeLessThan(4_000);
    await opened;

    await page.getByRole('heading', { level: 1, name: 'Trainings' }).waitFor();
    // While the list loads, its table stands there with its heading and rows.
    const waiting = page.getByRole('status', { name: 'Loading' }).first();
    const height = await waiting.evaluate((element) => element.getBoundingClientRect().height);
    expect(height).toBeGreaterThan(300);
    release();
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
});
