import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { expectAccessible, expectNothingSticksOut, goWithin, hasBrowser, password, useApp } from './support/app.ts';
import { looks, type Look } from './support/looks.ts';
import type { TestTeam } from '../support/team.ts';
import { aWorld, script } from '../support/world.ts';
import { aScoredTraining } from '../support/practice.ts';

// Rules for every page of the app, including new ones: the list comes from the app.

const source = await readFile('src/web/pages.tsx', 'utf8');
const [inside = '', inFront = ''] = source.split('export const entrancePages');
const pathsIn = (text: string) => [...text.matchAll(/path: '([^']+)'/g)].flatMap(([, path]) => path ?? []);
const paths = pathsIn(inside);

/** The headings of each table that is shown, by its name. */
const headingsIn = async (page: Page): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found: unknown = await page.evaluate(`[...document.querySelectorAll('main table')]
    .filter((table) => table.parentElement.clientWidth > 1)
    .map((table) => [table.getAttribute('aria-label'), [...table.querySelectorAll('thead th')].map((th) => th.innerText.trim())])`);
  return new Map(z.array(z.tuple([z.string(), z.array(z.string())])).parse(found));
};

/** Columns for which there is no room are below the first one, or in the details of each row. */
const expectColumnsWithin = async (page: Page, before: ReadonlyMap<string, readonly string[]>): Promise<void> => {
  const now = await headingsIn(page);
  for (const [label, headings] of before) {
    const table = page.getByRole('table', { name: label, exact: true });
    const stacked: unknown =
      await page.evaluate(`[...document.querySelectorAll('main table tbody tr:first-child [data-column]')]
      .filter((cell) => cell.closest('table').getAttribute('aria-label') === ${JSON.stringify(label)})
      .map((cell) => cell.dataset.column)`);
    const found = [...(now.get(label) ?? []), ...z.array(z.string()).parse(stacked)];
    const gone = headings.filter((heading) => !found.includes(heading));
    if (gone.length === 0) continue;
    const opener = table.locator('tbody tr:first-child > td:last-child button[aria-expanded]').first();
    await opener.click();
    const names = await table.locator('tbody dt').allInnerTexts();
    expect(names, `the details of ${label}`).toEqual(expect.arrayContaining(gone));
    await opener.click();
  }
  // Below a resting mouse a tooltip would open, at any moment of the later checks.
  await page.mouse.move(0, 0);
};

/** Charts come in a file of their own, which the page loads when it needs one. */
const untilAllIsShown = async (page: Page, path: string): Promise<void> => {
  await expect.poll(() => page.locator('main .mantine-Skeleton-root').count(), { message: path }).toBe(0);
};

/** Nothing is wider than the page, and stored texts are only shown as text. */
const expectSoundAtItsWidths = async (page: Page, path: string, { width }: Look): Promise<void> => {
  await expectNothingSticksOut(page, path, width);
  if (width === 1440) {
    const before = await headingsIn(page);
    await page.setViewportSize({ width: 1024, height: 900 });
    await expectNothingSticksOut(page, path, 1024);
    await expectColumnsWithin(page, before);
    await page.setViewportSize({ width, height: 900 });
  }
  expect(await page.locator('img[src="x"], main script').count()).toBe(0);
  await expectAccessible(page);
};

const lists = ['/members', '/trainings', '/assignments', '/cases', '/keys', '/webhooks', '/crm', '/audit'];

/** When a list is compact, its rows are 36 to 40 px high. */
const expectCompactRows = async (page: Page, path: string): Promise<void> => {
  const compact = page.getByRole('button', { name: 'Kompakte Zeilen' }).first();
  // Without a mouse, below which a tooltip would open.
  await compact.dispatchEvent('click');
  await page.locator('[data-density=compact] tbody tr').first().waitFor();
  const heights: unknown = await page.evaluate(`[...document.querySelectorAll('[data-density=compact] tbody tr')]
    .map((row) => row.getBoundingClientRect().height)`);
  expect(
    z
      .array(z.number())
      .parse(heights)
      .filter((height) => height < 36 || height > 40),
    path,
  ).toEqual([]);
  await compact.dispatchEvent('click');
};

describe.skipIf(!hasBrowser)('every page', () => {
  const app = useApp();
  let team: TestTeam;
  let addresses: Readonly<Record<string, string>>;
  beforeAll(async () => {
    if (hasBrowser)
      ({ team, addresses } = await aWorld(app.service, { text: script, more: 4, ownerPassword: password }));
  });

  it('is in the list of this test', () => {
    expect(paths.length).toBeGreaterThan(15);
    expect(pathsIn(inFront)).toEqual([
      '/sign-in',
      '/sign-in/company',
      '/sign-in/company/return/:team',
      '/sign-in/closed',
      '/reset-password',
      '/reset-password/:token',
      '/invitations/:token',
    ]);
    expect(Object.keys(addresses)).toEqual(paths.filter((path) => path.includes(':')));
  });

  it.each(looks)(
    'is accessible at $width px, $scheme, in $language',
    async (look) => {
      const page = await app.signedIn(team.owner.email, '/', look);
      const dialogs: string[] = [];
      // How often a stored script was shown as text.
      let shown = 0;
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      for (const path of paths) {
        const address = addresses[path] ?? path;
        if (new URL(page.url()).pathname !== address) await goWithin(page, address);
        await app.settled(page);
        await untilAllIsShown(page, path);
        await expectSoundAtItsWidths(page, path, look);
        if (look.width === 1440 && look.language === 'de' && lists.includes(path)) await expectCompactRows(page, path);
        shown += await page.getByText(script).count();
      }
      expect(dialogs).toEqual([]);
      expect(shown).toBeGreaterThan(100);
    },
    300_000,
  );

  it('for admins is closed to a plain member, and sends no request then, even as the first page', async () => {
    const member = await app.person(team, 'member');
    const own = await aScoredTraining(app.service, team, { userId: member.user_id });
    const theirs: typeof addresses = { ...addresses, '/trainings/:id': `/trainings/${own}` };
    const page = await app.signedIn(member.email, '/');
    for (const path of paths) {
      await page.goto(theirs[path] ?? path);
      await app.settled(page);
    }
  }, 120_000);
});
