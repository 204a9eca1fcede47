import { expect } from 'vitest';
import { z } from 'zod';
import type { Inspection } from '../walk/walk.ts';

const lists = ['/members', '/trainings', '/assignments', '/cases', '/keys', '/webhooks', '/crm', '/audit'];

/** When a list is compact, its rows are 36 to 40 px high. */
export const compactRows: Inspection = async ({ page, path, width, language }) => {
  if (width !== 1440 || language !== 'de' || !lists.includes(path)) return;
  const compact = page.getByRole('button', { name: 'Kompakte Zeilen' }).first();
  // Without a mouse, below which a tooltip would open.
  await compact.dispatchEvent('click');
  await page.locator('[data-density=compact] tbody tr').first().waitFor();
  const heights: unknown = await page.evaluate(`[...document.querySelectorAll('[data-density=compact] tbody tr')]
    .map((row) => row.getBoundingClientRect().height)`);
  const wrong = z
    .array(z.number())
    .parse(heights)
    .filter((height) => height < 36 || height > 40);
  expect(wrong).toEqual([]);
  await compact.dispatchEvent('click');
};
