import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { hasBrowser, useApp } from './support/app.ts';

/** Sizes with gzip: browsers use Brotli, which is a sixth smaller, only over HTTPS. */
const mostBytes = { '/sign-in': 180_000, '/': 180_000 } as const;

/** Each file costs a round trip, and browsers request six at a time. */
const mostScripts = 8;

/** The calls of each page, once each. */
const calls = {
  '/sign-in': ['entrance.who'],
  '/': ['audit.actions', 'entrance.who', 'team.overview'],
} as const;

/** Counts the bytes of scripts over the network from now on. */
const countScripts = (page: Page) => {
  const seen = { bytes: 0, scripts: 0 };
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    const { 'content-encoding': coding, 'content-length': length } = response.headers();
    seen.scripts += 1;
    seen.bytes += coding === undefined ? Infinity : Number(length);
  });
  return seen;
};

describe.skipIf(!hasBrowser)('the first load', () => {
  const app = useApp();

  it.each(['/sign-in', '/'] as const)('of %s takes few compressed scripts, all of them from here', async (path) => {
    const team = await app.team();
    const page = path === '/' ? await app.signedIn(team.owner.email, '/account') : await app.open('/developers/errors');
    const cookies = await page.context().cookies();
    const fresh = await app.open('/developers/errors', { unused: true });
    await fresh.context().addCookies(cookies);
    const elsewhere: string[] = [];
    fresh.on('request', (request) => {
      if (!request.url().startsWith(app.service.origin)) elsewhere.push(request.url());
    });
    const seen = countScripts(fresh);
    const called: string[] = [];
    fresh.on('request', (request) => {
      const [, name] = /\/trpc\/\w+\/([\w.]+)/.exec(request.url()) ?? [];
      if (name !== undefined) called.push(name);
    });
    await fresh.goto(new URL(path, app.service.origin).href);
    await fresh.locator('main h1').waitFor();
    await fresh.waitForLoadState('networkidle');
    expect(new URL(fresh.url()).pathname).toBe(path);
    expect(seen.bytes).toBeGreaterThan(50_000);
    expect(seen.bytes).toBeLessThan(mostBytes[path]);
    expect(seen.scripts).toBeLessThanOrEqual(mostScripts);
    expect(called.toSorted()).toEqual(calls[path]);
    expect(elsewhere).toEqual([]);
  });
});
