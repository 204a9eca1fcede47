// Measures main tasks of an admin in the app, with 200,000 logged requests and 200,000 deliveries in the team: the number of clicks for a
// new key, and the time from a pasted id to the page of its object.

import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { publicEventId } from '../../src/webhooks/message.ts';
import { longList, withBigTeam } from './big-team.ts';
import type { BigTeam } from './big-team.ts';
import { atMost, below } from './bounds.ts';
import { installedChromium } from './chromium.ts';
import { signIn } from './sign-in.ts';
import { median } from './statistics.ts';

const clicksAllowed = 6;
const foundWithinS = 2;
const ids = 7;

/** Counts real clicks; the click that a label passes on to its field is not counted again. */
const countClicks = `
  globalThis.clicks = 0;
  addEventListener('pointerdown', () => { globalThis.clicks += 1; }, true);`;

/** A key with two scopes and an address, from the overview until the key is shown. */
const makeKey = async (page: Page): Promise<void> => {
  await page.locator('main h1').waitFor();
  const started = performance.now();
  await page.evaluate(countClicks);
  await page.getByRole('navigation').getByRole('link', { name: 'API-Schlüssel' }).click();
  await page.getByRole('button', { name: 'Neuer Schlüssel' }).click();
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  // The first field has the focus.
  await page.keyboard.type('CRM');
  await page.getByRole('checkbox', { name: /cases:read/ }).click();
  await page.getByRole('checkbox', { name: /assignments:read/ }).click();
  await page.getByRole('textbox', { name: 'Erlaubte IP-Adressen' }).click();
  await page.keyboard.type('203.0.113.7');
  await page.getByRole('button', { name: 'Schlüssel anlegen' }).click();
  await page.getByTestId('secret').waitFor();
  const clicks = z.number().parse(await page.evaluate('globalThis.clicks'));
  const seconds = (performance.now() - started) / 1_000;
  console.log(
    `\nA key with two scopes and an address: ${seconds.toFixed(1)} s of the browser, without reading and thinking`,
  );
  atMost('clicks', clicks, clicksAllowed);
};

/** Puts a text into the clipboard and pastes it, as if the reader had copied it from a log. */
const paste = async (page: Page, text: string): Promise<void> => {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+V');
};

const Ids = z.array(z.object({ id: z.string(), shown: z.string() }));

/** Ids of rows that are spread over the whole table. */
const someIds = async ({ client, id }: BigTeam, table: string, shown: string) => {
  const { rows } = await client.query(
    `select id, ${shown} as shown from (select *, row_number() over (order by id) as n, count(*) over () as rows from ${table} where tenant_id = $1) as numbered
      where n % (rows / ${ids}) = rows / ${2 * ids} limit ${ids}`,
    [id],
  );
  return Ids.parse(rows);
};

interface Found {
  text: string;
  /** Goes from the pasted id to the expected page. */
  follow: (page: Page) => Promise<void>;
}

const measure = async (page: Page, name: string, found: readonly Found[]): Promise<void> => {
  const times: number[] = [];
  for (const { text, follow } of found) {
    await page.getByRole('navigation').getByRole('link', { name: 'Übersicht' }).click();
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    await page.waitForLoadState('networkidle');
    const started = performance.now();
    await paste(page, text);
    await follow(page);
    times.push((performance.now() - started) / 1_000);
  }
  console.log(`\n${name} (${times.map((time) => time.toFixed(2)).join(' ')} s)`);
  below('median', median(times), foundWithinS, ' s');
  below('slowest', Math.max(...times), foundWithinS, ' s');
};

const findAll = async (page: Page, team: BigTeam): Promise<void> => {
  const requests = await someIds(team, 'request_log_entry', 'request_id');
  await measure(
    page,
    'A request found by its pasted id',
    requests.map(({ shown }) => ({
      text: shown,
      follow: (at) => at.locator('main').getByText(shown).first().waitFor(),
    })),
  );
  const deliveries = await someIds(team, 'webhook_delivery', 'event_id');
  await measure(
    page,
    'A delivery found by the pasted id of its event, with one click',
    deliveries.map(({ id, shown }) => ({
      text: publicEventId(shown),
      follow: async (at) => {
        await at.locator(`main a[href$="/deliveries/${id}"]`).first().click();
        await at.locator('main').getByText(id).first().waitFor();
      },
    })),
  );
};

export const run = (): Promise<void> =>
  withBigTeam(async (team) => {
    const executablePath = installedChromium();
    if (executablePath === undefined) throw new Error('This bench needs Chromium, and there is none.');
    console.log(`The other lists have ${longList} rows each.`);
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    try {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        locale: 'de-DE',
        bypassCSP: true,
      });
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: team.origin });
      const cookies = await signIn(team.origin, team.owner);
      await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: team.origin })));
      const page = await context.newPage();
      await page.goto(team.origin);
      await makeKey(page);
      await page.goto(team.origin);
      await findAll(page, team);
    } finally {
      await browser.close();
    }
  });
