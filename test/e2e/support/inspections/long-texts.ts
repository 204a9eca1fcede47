import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Inspection } from '../walk/walk.ts';

/** The lists whose names a person may have made as long as they can be. */
export const listsOfNames: readonly string[] = ['/audit', '/cases', '/keys', '/webhooks', '/members'];

/** All pages of lists. */
export const lists: readonly string[] = [
  ...listsOfNames,
  '/trainings',
  '/assignments',
  '/requests',
  '/crm',
  '/catalog',
  '/live',
];

/** The page whose title is such a name, beside a menu. */
export const titledByName = '/members/:id';

const headingsOf = (page: Page): Promise<string[]> => page.getByRole('columnheader').allTextContents();

/** Keeps the columns of each page while its texts are short. */
export const keepHeadings =
  (kept: Map<string, readonly string[]>): Inspection =>
  async ({ page, path }) => {
    await page.getByRole('table').first().waitFor();
    kept.set(path, await headingsOf(page));
  };

/** A long text is cut in its row, shown whole by a tip, and leaves the other columns their place. */
export const cutIn = (usual: ReadonlyMap<string, readonly string[]>, text: string): Inspection =>
  async function cut({ page, path }) {
    if (!listsOfNames.includes(path)) return;
    expect(await headingsOf(page)).toEqual(expect.arrayContaining([...(usual.get(path) ?? [])]));
    const cell = page.getByRole('table').getByText(text).first();
    const { height } = (await cell.boundingBox()) ?? { height: Infinity };
    expect(height).toBeLessThan(50);
    await cell.hover();
    // A second line is a part of the title of its cell.
    const title = await page
      .locator('td[title]')
      .first()
      .getAttribute('title', { timeout: 500 })
      .catch(() => null);
    if (!title?.includes(text)) await page.getByRole('tooltip').getByText(text).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
  };

/** The height of a line of buttons, with the space above it. */
const lineOfButtons = 72;

/** The menu of a page stays beside a long title, or in the line of buttons below it. */
export const menuBesideTitle: Inspection = async ({ page, path, width }) => {
  if (path !== titledByName) return;
  // A wide window is made narrower, because there a title has room.
  if (width === 1440) await page.setViewportSize({ width: 1024, height: 900 });
  const menu = page.getByRole('main').getByRole('button', { name: /^(Aktionen für|Actions for) / });
  const title = await page.getByRole('heading', { level: 1 }).boundingBox();
  const end = (title?.y ?? 0) + (title?.height ?? 0);
  expect((await menu.first().boundingBox())?.y).toBeLessThan(end + lineOfButtons);
  await page.setViewportSize({ width, height: 900 });
};
