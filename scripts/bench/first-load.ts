// Measures the app on a slow connection (400 kbit/s, 400 ms) with an empty cache: the time until the sign-in page and the overview are
// readable, and the time until something changes after a click there. Then the CPU time of a page on a fast connection.

import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { below } from './bounds.ts';
import { installedChromium } from './chromium.ts';
import { startDemoService } from './demo-service.ts';
import { signIn } from './sign-in.ts';
import type { Cookie } from './sign-in.ts';
import { median } from './statistics.ts';

const bytesPerSecond = 400_000 / 8;
const slow = { offline: false, latency: 400, downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
const mostSeconds = 6;
const mostMsToMove = 100;
const runs = 3;
const loadsForCpu = 10;

/** `npm run bench -- first-load PART` measures only this part. */
const wants = (part: string): boolean => part.includes(process.argv[3] ?? '');

interface FirstPage {
  name: string;
  path: string;
  isSignedIn: boolean;
  /** A selector of the elements that must be readable. */
  readable: string;
}

const firstPages: readonly FirstPage[] = [
  { name: 'sign-in', path: '/sign-in', isSignedIn: false, readable: 'main h1, input[name=password]' },
  // The heading, and the last of the five numbers.
  { name: 'overview', path: '/', isSignedIn: true, readable: 'main h1, main dl > div:nth-child(5) dd' },
];

type Kind = 'document' | 'script' | 'style' | 'font' | 'data' | 'other';

const kinds: Readonly<Record<string, Kind>> = {
  Document: 'document',
  Script: 'script',
  Stylesheet: 'style',
  Font: 'font',
  Fetch: 'data',
  XHR: 'data',
};

interface Load {
  bytes: Map<Kind, number>;
  requests: number;
  /** Seconds since the address was opened. */
  firstPaint: number;
  readable: number;
  quiet: number;
}

const sum = (values: Iterable<number>): number => [...values].reduce((all, value) => all + value, 0);

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** Counts a page's requests and their transferred bytes, including headers. */
const countTraffic = async (cdp: CDPSession) => {
  const kindOf = new Map<string, Kind>();
  const bytes = new Map<Kind, number>();
  const codings = new Set<string>();
  let quietAt = 0;
  let open = 0;
  cdp.on('Network.requestWillBeSent', ({ requestId, type = '' }) => {
    kindOf.set(requestId, kinds[type] ?? 'other');
    open += 1;
  });
  cdp.on('Network.responseReceived', ({ response: { headers } }) => {
    codings.add(headers['Content-Encoding'] ?? headers['content-encoding'] ?? 'identity');
  });
  const end = (): void => {
    open -= 1;
    quietAt = performance.now();
  };
  cdp.on('Network.loadingFailed', end);
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kindOf.get(requestId) ?? 'other';
    bytes.set(kind, (bytes.get(kind) ?? 0) + encodedDataLength);
    end();
  });
  await cdp.send('Network.enable');
  return { kindOf, bytes, codings, quietSince: () => (open > 0 ? undefined : quietAt) };
};

const newContext = async (browser: Browser, origin: string, cookies: readonly Cookie[]): Promise<BrowserContext> => {
  const context = await browser.newContext({ locale: 'de-DE', viewport: { width: 1440, height: 900 } });
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: origin, httpOnly: true, sameSite: 'Lax' })));
  return context;
};

/** Takes the time in the page, at the frame that shows all of `readable`: `readableAt` is a promise of it. */
const noteReadable = (readable: string): string => `
  window.readableAt = new Promise((resolve) => {
    const parts = ${JSON.stringify(readable.split(', '))};
    const look = () => {
      const isThere = parts.every((part) => document.querySelector(part)?.checkVisibility({ opacityProperty: true }));
      if (isThere) resolve(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  });`;

const quietForMs = 2_000;

const load = async (browser: Browser, origin: string, page: FirstPage, cookies: readonly Cookie[], coding: string) => {
  const context = await newContext(browser, origin, page.isSignedIn ? cookies : []);
  try {
    const tab = await context.newPage();
    const cdp = await context.newCDPSession(tab);
    const traffic = await countTraffic(cdp);
    await cdp.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': coding } });
    await cdp.send('Network.emulateNetworkConditions', slow);
    await tab.addInitScript(noteReadable(page.readable));
    const openedAt = performance.now();
    await tab.goto(`${origin}${page.path}`, { waitUntil: 'commit', timeout: 60_000 });
    await tab.evaluate('readableAt');
    let quietAt = traffic.quietSince();
    while (quietAt === undefined || performance.now() - quietAt < quietForMs) {
      await tab.waitForTimeout(100);
      quietAt = traffic.quietSince();
    }
    const [readable, firstPaint] = z
      .tuple([z.number(), z.number()])
      .parse(
        await tab.evaluate(`Promise.all([readableAt, performance.getEntriesByName('first-paint')[0]?.startTime ?? 0])`),
      );
    const { bytes, kindOf, codings } = traffic;
    const seen: Load = {
      bytes,
      requests: kindOf.size,
      firstPaint: firstPaint / 1000,
      readable: readable / 1000,
      quiet: (quietAt - openedAt) / 1000,
    };
    return { ...seen, codings };
  } finally {
    await context.close();
  }
};

const printLoads = (name: string, coding: string, loads: readonly Load[]): void => {
  const [{ bytes, requests } = { bytes: new Map<Kind, number>(), requests: 0 }] = loads;
  const of = (what: (load: Load) => number): string =>
    `${median(loads.map(what)).toFixed(2)} s (${loads.map((one) => what(one).toFixed(2)).join(' ')})`;
  console.log(`\n${name}, ${coding}, median of ${loads.length}`);
  console.log(`  ${kilobytes(sum(bytes.values()))} in ${requests} requests:`);
  console.log(`    ${[...bytes].map(([kind, count]) => `${kind} ${kilobytes(count)}`).join(', ')}`);
  console.log(`  first paint ${of(({ firstPaint }) => firstPaint)}`);
  console.log(`  network quiet ${of(({ quiet }) => quiet)}`);
  below('readable', median(loads.map(({ readable }) => readable)), mostSeconds, ' s');
};

/**
 * Measures the time from a click to a visible change: the next frame after the document changed. For the progress bar it is the start of
 * its animation, because the bar is in the document before it becomes visible.
 */
const noteMoves = `
  (() => {
    let clickedAt, resolve;
    const note = () => requestAnimationFrame(() => setTimeout(() => resolve?.(performance.now() - clickedAt)));
    const isBar = (node) => node instanceof Element && 'progress' in node.dataset;
    const begin = (event) => {
      clickedAt = event.timeStamp;
      window.movedAfterMs = new Promise((done) => { resolve = done; });
    };
    addEventListener('click', begin, { capture: true });
    addEventListener('keydown', begin, { capture: true });
    addEventListener('animationstart', note, { capture: true });
    new MutationObserver((records) => {
      const isOther = records.some(({ type, addedNodes, removedNodes, target }) =>
        type === 'childList' ? [...addedNodes, ...removedNodes].some((node) => !isBar(node)) : !isBar(target));
      if (isOther) note();
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  })();`;

interface Click {
  name: string;
  act: (page: Page) => Promise<void>;
}

const link = (name: string): Click => ({
  name: `${name} in the navigation`,
  act: (page) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click(),
});

const button = (name: string, label: string): Click => ({
  name,
  act: (page) => page.getByRole('button', { name: label }).first().click(),
});

/** Ten clicks, each of which needs code that the page has not loaded yet. Dialogs and menus are closed afterwards. */
const clicks: readonly Click[] = [
  button('the account menu', 'Ihr Konto'),
  button('the search', 'Suchen'),
  link('API-Schlüssel'),
  button('a new key', 'Neuer Schlüssel'),
  link('Mitglieder'),
  button('an invitation', 'Einladen'),
  link('Webhooks'),
  button('a new endpoint', 'Neuer Endpunkt'),
  link('Anfragen'),
  link('Einstellungen'),
];

const measureClicks = async (browser: Browser, origin: string, cookies: readonly Cookie[]): Promise<void> => {
  const context = await newContext(browser, origin, cookies);
  try {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    const traffic = await countTraffic(cdp);
    await cdp.send('Network.emulateNetworkConditions', slow);
    await page.addInitScript(noteMoves);
    await page.goto(origin, { timeout: 60_000 });
    await page.locator('main dl').first().waitFor();
    console.log('\nAfter a click something moves');
    for (const { name, act } of clicks) {
      await act(page);
      const moved = z.number().parse(await page.evaluate('movedAfterMs'));
      below(name, moved, mostMsToMove, ' ms');
      for (let quiet = traffic.quietSince(); quiet === undefined || performance.now() - quiet < 500;) {
        await page.waitForTimeout(100);
        quiet = traffic.quietSince();
      }
      await page.keyboard.press('Escape');
      await page.waitForTimeout(400);
    }
  } finally {
    await context.close();
  }
};

const Metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) });

/** The CPU time of the page's main thread until the page is complete, on an unlimited network. */
const measureCpu = async (
  browser: Browser,
  origin: string,
  page: FirstPage,
  cookies: readonly Cookie[],
): Promise<void> => {
  const seen: { task: number; script: number; layout: number }[] = [];
  for (let count = 0; count < loadsForCpu; count += 1) {
    const context = await newContext(browser, origin, page.isSignedIn ? cookies : []);
    try {
      const tab = await context.newPage();
      const cdp = await context.newCDPSession(tab);
      await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
      await tab.addInitScript(noteReadable(page.readable));
      await tab.goto(`${origin}${page.path}`);
      await tab.evaluate('readableAt');
      await tab.waitForLoadState('networkidle');
      const { metrics } = Metrics.parse(await cdp.send('Performance.getMetrics'));
      const msOf = (name: string) => 1000 * (metrics.find((metric) => metric.name === name)?.value ?? NaN);
      seen.push({ task: msOf('TaskDuration'), script: msOf('ScriptDuration'), layout: msOf('LayoutDuration') });
    } finally {
      await context.close();
    }
  }
  const of = (what: (one: (typeof seen)[number]) => number): string => `${median(seen.map(what)).toFixed(0)} ms`;
  console.log(
    `\n${page.name}, processor time of the page on a fast connection, median of ${loadsForCpu}:\n  ` +
      `all ${of(({ task }) => task)}, scripts ${of(({ script }) => script)}, layout ${of(({ layout }) => layout)}`,
  );
};

export const run = async (): Promise<void> => {
  const executablePath = installedChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium here.');
  await using service = await startDemoService();
  const { origin, team } = service;
  const cookies = await signIn(origin, team.owner);
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-extensions'],
  });
  try {
    for (const page of firstPages) {
      if (!wants(page.name)) continue;
      for (const coding of ['br', 'gzip']) {
        const loads = [];
        for (let count = 0; count < runs; count += 1) loads.push(await load(browser, origin, page, cookies, coding));
        printLoads(page.name, coding, loads);
      }
    }
    if (wants('clicks')) await measureClicks(browser, origin, cookies);
    if (wants('processor')) for (const page of firstPages) await measureCpu(browser, origin, page, cookies);
  } finally {
    await browser.close();
  }
};
