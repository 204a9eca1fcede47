import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { expectNothingSticksOut } from '../app.ts';
import type { Inspection } from '../walk/walk.ts';

/** The headings of each table that is shown, by its name. */
const headingsIn = async (page: Page): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found: unknown = await page.evaluate(`[...document.querySelectorAll('main table')]
    .filter((table) => table.parentElement.clientWidth > 1)
    .map((table) => [table.getAttribute('aria-label'), [...table.querySelectorAll('thead th')].map((th) => th.innerText.trim())])`);
  return new Map(z.array(z.tuple([z.string(), z.array(z.string())])).parse(found));
};

/** Columns for which there is no room are below the first one, in the details of each row, or in what the row opens. */
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
    const opensPanel = (await opener.getAttribute('data-peek')) !== null;
    const details = opensPanel ? page.getByRole('complementary') : table.locator('tbody');
    await opener.click();
    await expect
      .poll(() => details.locator('dt').allInnerTexts(), { message: `the details of ${label}` })
      .toEqual(expect.arrayContaining(gone));
    await (opensPanel ? page.keyboard.press('Escape') : opener.click());
  }
  // Below a resting mouse a tooltip would open, at any moment of the later checks.
  await page.mouse.move(0, 0);
};

/** Of a wide window: at 1024 pixels nothing is wider either, and no column is lost. */
export const narrowed: Inspection = async ({ page, path, width }) => {
  if (width !== 1440) return;
  const before = await headingsIn(page);
  await page.setViewportSize({ width: 1024, height: 900 });
  await expectNothingSticksOut(page, path, 1024);
  await expectColumnsWithin(page, before);
  await page.setViewportSize({ width, height: 900 });
};
