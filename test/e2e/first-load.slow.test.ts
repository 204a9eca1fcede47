import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { aCatalogItem, aScoredTraining } from '../support/practice.ts';
import { hasBrowser, useApp } from './support/app.ts';

/** Each file costs a round trip, and browsers request six at a time. */
const maxScripts = 8;

const overviewCalls = ['audit.actions', 'entrance.who', 'members.count', 'overview.show', 'teamAnalytics.scores'];

/** Each page with everything that its first visit transfers, headers included, and its calls, once each. */
const pages = {
  // Browsers offer passkeys in the field for the email address.
  'the sign-in': { path: '/sign-in', maxBytes: 200_000, calls: ['entrance.passkeyQuestion', 'entrance.who'] },
  'the overview of a new team': { path: '/', maxBytes: 230_000, calls: overviewCalls },
  // With its chart.
  'the overview of a team that practises': { path: '/', maxBytes: 250_000, calls: overviewCalls, practises: true },
} as const;

/** Counts what the page loads from now on. */
const countLoaded = (page: Page) => {
  const seen = { sizes: new Array<Promise<number>>(), scripts: 0, otherCodings: new Array<string>() };
  page.on('requestfinished', (request) => {
    const sizeOf = async () => {
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      return responseBodySize + responseHeadersSize;
    };
    seen.sizes.push(sizeOf());
  });
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    seen.scripts += 1;
    if (response.headers()['content-encoding'] !== 'br') seen.otherCodings.push(response.url());
  });
  return seen;
};

describe.skipIf(!hasBrowser)('the first load', () => {
  const app = useApp();

  it.each(Object.entries(pages))('of %s takes little, in few files, all of them from here', async (_of, page) => {
    const { path, maxBytes, calls } = page;
    const team = await app.team({ members: 1 });
    if ('practises' in page) {
      const situationId = await aCatalogItem(app.service, { dimension: 'situation' });
      await aScoredTraining(app.service, team, { userId: team.members[0]?.user_id ?? '', situationId });
    }
    const fresh = await app.open('/developers/errors', { unused: true });
    if (path === '/') {
      const signedIn = await app.signedIn(team.owner.email, '/account');
      await fresh.context().addCookies(await signedIn.context().cookies());
    }
    const seen = countLoaded(fresh);
    const elsewhere: string[] = [];
    const called: string[] = [];
    fresh.on('request', (request) => {
      if (!request.url().startsWith(app.service.origin)) elsewhere.push(request.url());
      const [, name] = /\/trpc\/\w+\/([\w.]+)/.exec(request.url()) ?? [];
      if (name !== undefined) called.push(name);
    });
    await fresh.goto(path);
    // The last call comes after the answer to another one.
    await expect.poll(() => called.toSorted()).toEqual(calls);
    await fresh.waitForLoadState('networkidle');
    expect(new URL(fresh.url()).pathname).toBe(path);
    const bytes = (await Promise.all(seen.sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    expect(seen.otherCodings).toEqual([]);
    expect(seen.scripts).toBeLessThanOrEqual(maxScripts);
    expect(called.toSorted()).toEqual(calls);
    expect(elsewhere).toEqual([]);
  });
});
