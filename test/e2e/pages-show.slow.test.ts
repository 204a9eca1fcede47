import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { downloadBy, hasBrowser, openAnew, useApp, type AppTest } from './support/app.ts';
import { aKnownTeamWithPrograms } from './support/known-programs.ts';
import { aKnownTeam, withNames } from './support/known-team.ts';
import { saidBy } from './support/said.ts';
import {
  pages,
  programs,
  programsWithoutDetails,
  readers,
  suspended,
  withoutDetails,
  type Pages,
} from './support/shown-pages.ts';

// What each page says and offers to each reader, with the addresses of its links, and the file of each list. The files
// in pages-show/ are what they should show: read their differences after `npx vitest run FILE -u`.

/** Leaves charts and their values out, because weeks begin on other days in each run. */
const withoutCharts = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('[role=slider], table:has(caption) { display: none }');
  document.adoptedStyleSheets.push(sheet);
}`;

/** Shows times as they are stored. */
const asStored = `for (const time of document.querySelectorAll('time')) time.firstChild.nodeValue = time.dateTime`;

/** What the page says, or what is open on it or beside its list. */
const shownBy = async (page: Page): Promise<string> => {
  await page.evaluate(asStored);
  const opened = page.getByRole('dialog').or(page.getByRole('complementary'));
  const said = await saidBy((await opened.count()) > 0 ? opened : page.locator('#main'));
  // The headings of days, and the only week of a chart.
  return said.replaceAll(/"\w+day,? \d+ \w+"|(?<="Week: )[^"]+/g, 'DAY');
};

/** What the page says once it says it twice in a row: on a busy machine it is still drawing what it has loaded. */
const shownAtRest = async (app: AppTest, page: Page): Promise<string> => {
  let before = await shownBy(page);
  for (;;) {
    await app.settled(page);
    const now = await shownBy(page);
    if (now === before) return now;
    before = now;
  }
};

/** What the page says on paper. */
const printedBy = async (page: Page): Promise<string> => {
  await page.emulateMedia({ media: 'print' });
  const said = await saidBy(page.locator('#main'));
  await page.emulateMedia({ media: 'screen' });
  return said.replaceAll(/(?<=As of: )[^"\n]+/g, 'NOW');
};

/** What a button opens on top of the page, as a screen reader gets it. */
const openedBy = async (app: AppTest, page: Page, button: Locator): Promise<string> => {
  await button.click();
  const opened = page.getByRole('menu').or(page.getByRole('dialog'));
  await opened.waitFor();
  // A filter by member loads its options.
  if (await page.getByRole('dialog').isVisible()) await app.settled(page);
  const shown = await saidBy(opened);
  // The snapshot has no addresses of entries.
  const links = await opened
    .locator('a')
    .evaluateAll((all) => all.map((one) => `  - ${one.textContent}: ${one.getAttribute('href')}`));
  await page.keyboard.press('Escape');
  await opened.waitFor({ state: 'detached' });
  return [shown, ...links].join('\n');
};

/** The menus of the page and its rows, and the filters. */
const openedOn = async (app: AppTest, page: Page): Promise<string[]> => {
  const shown: string[] = [];
  const buttons = page
    .locator('#main button[aria-haspopup=menu]')
    .or(page.getByRole('button', { name: /^Filters( · \d+)?$/ }));
  for (const button of await buttons.all()) shown.push(await openedBy(app, page, button));
  return shown;
};

/** The views of a list, with the filters in the address of each. */
const viewsOf = async (page: Page, path: string): Promise<string[]> => {
  const shown: string[] = [];
  const button = page.getByRole('button', { name: 'Views', exact: true });
  const views = page.getByRole('dialog').getByRole('button');
  if (path.includes('?') || (await page.getByRole('button', { name: 'Filters' }).count()) === 0) return shown;
  await button.click();
  await page.getByRole('dialog').waitFor();
  for (const name of await views.allInnerTexts()) {
    await views.filter({ hasText: name }).click();
    await page.getByRole('button', { name, exact: true }).first().waitFor();
    shown.push(`- view "${name}": ${new URL(page.url()).search}`);
    await openAnew(page, path);
    await button.click();
    await page.getByRole('dialog').waitFor();
  }
  return shown;
};

/** The file of the page's list, if it has one. */
const fileOf = async (page: Page): Promise<string[]> => {
  const button = page.getByRole('button', { name: 'CSV', exact: true });
  if (!(await button.isVisible())) return [];
  const { content } = await downloadBy(page, button);
  return [content.toString().slice(1).trim()];
};

describe.skipIf(!hasBrowser)('pages', () => {
  const app = useApp();

  it.each([
    ['show', (app) => aKnownTeam(app, {}), pages],
    ['without details show', (app) => aKnownTeam(app, { memberDetail: false }), withoutDetails],
    ['of a suspended team show', (app) => aKnownTeam(app, { status: 'suspended' }), suspended],
    ['about programs show', (app) => aKnownTeamWithPrograms(app, {}), programs],
    [
      'about programs without details show',
      (app) => aKnownTeamWithPrograms(app, { memberDetail: false }),
      programsWithoutDetails,
    ],
  ] as const satisfies readonly (readonly [string, (app: AppTest) => ReturnType<typeof aKnownTeam>, Pages])[])(
    '%s each reader the values, links and actions that they should, and have the right files',
    async (...row) => {
      const [name, aTeamIn, pagesOf] = row;
      const known = await aTeamIn(app);
      const idOf = new Map([...known.names].map(([id, one]) => [one, id]));
      for (const reader of readers) {
        const paths = pagesOf[reader];
        if (paths === undefined) continue;
        const page = await app.signedIn(known.emails[reader], '/account', { language: 'en', width: 1920 });
        await page.evaluate(withoutCharts);
        const shown: string[] = [];
        for (const path of paths) {
          const address = path.replaceAll(/\b[A-Z]+(?:-[A-Z]+)*\b/g, (one) => idOf.get(one) ?? one);
          await openAnew(page, address);
          await app.settled(page);
          await page.locator('#main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
          const parts = [`# ${path}`, await shownAtRest(app, page)];
          if (path === '/') parts.push('# on paper', await printedBy(page));
          // What is open beside or above a list covers its buttons.
          if (!/peek=|_id=/.test(path))
            parts.push(...(await fileOf(page)), ...(await openedOn(app, page)), ...(await viewsOf(page, address)));
          shown.push(parts.join('\n'));
        }
        await expect(withNames(`${shown.join('\n\n')}\n`, known)).toMatchFileSnapshot(
          `pages-show/${name.replaceAll(' ', '-')}-${reader}.txt`,
        );
      }
    },
  );
});
