// The first load of pages on a slow network: 400 ms until an answer begins, 50 kB/s, and nothing in the cache. The
// person has used the app in this browser before.

import { chromium, type Page } from 'playwright-core';
import { atMost, median } from '../kit/figures.ts';

const network = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const visits = 3;
const maxSeconds = { readable: 4, rows: 10 };

interface SlowPage {
  path: string;
  /** A selector for elements that are there once the page has its data. */
  rows: string;
  maxKilobytes?: number;
}

const pages: readonly SlowPage[] = [
  { path: '/', rows: 'main dl dd', maxKilobytes: 250 },
  { path: '/members', rows: 'main tbody tr' },
  { path: '/trainings', rows: 'main tbody tr' },
  { path: '/analytics', rows: 'main tbody tr' },
];

/** Opens a page; returns the seconds until its heading and its data are there, and what was transferred until then. */
const load = async (page: Page, origin: string, { path, rows }: SlowPage) => {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Network.emulateNetworkConditions', network);
  let bytes = 0;
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  const opened = page.goto(`${origin}${path}`, { waitUntil: 'commit' });
  await page.locator('h1').first().waitFor();
  const readable = seconds();
  await page.locator(rows).first().waitFor();
  const data = seconds();
  await opened;
  await page.waitForLoadState('networkidle');
  await protocol.detach();
  return { readable, data, kilobytes: bytes / 1_000 };
};

export const measureSlowNetwork = async (origin: string, cookie: string, browserPath: string): Promise<void> => {
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const headers = { extraHTTPHeaders: { cookie } };
    const before = await browser.newContext(headers);
    const first = await before.newPage();
    await first.goto(origin, { waitUntil: 'networkidle' });
    const storageState = await before.storageState();
    await before.close();
    for (const one of pages) {
      const seen = [];
      for (let visit = 0; visit < visits; visit += 1) {
        const context = await browser.newContext({ ...headers, storageState });
        seen.push(await load(await context.newPage(), origin, one));
        await context.close();
      }
      console.log(`\nfirst load on a slow network: ${one.path} (median of ${visits})`);
      atMost('something to read', median(seen.map(({ readable }) => readable)), maxSeconds.readable, ' s');
      atMost('its data', median(seen.map(({ data }) => data)), maxSeconds.rows, ' s');
      const kilobytes = median(seen.map((visit) => visit.kilobytes));
      if (one.maxKilobytes === undefined) console.log(`  transferred: ${kilobytes.toFixed(0)} kB`);
      else atMost('transferred', kilobytes, one.maxKilobytes, ' kB');
    }
  } finally {
    await browser.close();
  }
};
