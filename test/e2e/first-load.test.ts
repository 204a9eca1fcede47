import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { hasBrowser, useApp } from './support/app.ts';

const mostBytes = 250_000;

/** Counts what comes over the wire as scripts from now on. */
const countScripts = (page: Page): (() => number) => {
  let bytes = 0;
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    const { 'content-encoding': coding, 'content-length': length } = response.headers();
    bytes += coding === undefined ? Infinity : Number(length);
  });
  return () => bytes;
};

describe.skipIf(!hasBrowser)('the first load', () => {
  const app = useApp();

  it.each(['/sign-in', '/'])(
    'of %s takes less than 250 kB of compressed scripts, all of them from here',
    async (path) => {
      const team = await app.team();
      const page =
        path === '/' ? await app.signedIn(team.owner.email, '/account') : await app.open('/developers/errors');
      const cookies = await page.context().cookies();
      const fresh = await app.open('/developers/errors');
      await fresh.context().addCookies(cookies);
      const elsewhere: string[] = [];
      fresh.on('request', (request) => {
        if (!request.url().startsWith(app.service.origin)) elsewhere.push(request.url());
      });
      const bytes = countScripts(fresh);
      await fresh.goto(new URL(path, app.service.origin).href);
      await fresh.locator('main h1').waitFor();
      await fresh.waitForLoadState('networkidle');
      expect(new URL(fresh.url()).pathname).toBe(path);
      expect(bytes()).toBeGreaterThan(50_000);
      expect(bytes()).toBeLessThan(mostBytes);
      expect(elsewhere).toEqual([]);
    },
  );
});
