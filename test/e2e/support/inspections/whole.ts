import { expect } from 'vitest';
import { z } from 'zod';
import { expectNothingSticksOut } from '../app.ts';
import type { Inspection } from '../walk/walk.ts';

/**
 * What is cut in the open tables, and flexible columns that are too narrow. Only second lines may be cut, such as addresses,
 * and an address in place of a name.
 */
const faults = `[...document.querySelectorAll('main table')]
  .filter((table) => table.parentElement.clientWidth > 480)
  .flatMap((table) => [
    ...[...table.querySelectorAll('thead th[data-flexible]')]
      .filter((one) => one.offsetWidth < 240)
      .map((one) => 'narrow: ' + one.innerText),
    ...[...table.querySelectorAll('th, td, th *, td *')]
      .filter((one) => !one.closest('[data-second], .mantine-VisuallyHidden-root, svg'))
      .filter((one) => one.innerText?.trim() && one.clientWidth > 0 && !one.querySelector('[data-second]'))
      .filter((one) => one.scrollWidth > one.clientWidth + 1 || (getComputedStyle(one).overflow !== 'visible' && one.scrollHeight > one.clientHeight + 2))
      .map((one) => 'cut: ' + one.innerText + ' in ' + one.className),
  ])`;

/** In wide windows of each size, no name, number or mark in a list is cut. */
export const nothingCut: Inspection = async ({ page, path, width }) => {
  for (const wide of [1024, 1280, 1440, 1920]) {
    await page.setViewportSize({ width: wide, height: 900 });
    await expectNothingSticksOut(page, path, wide);
    expect(z.array(z.string()).parse(await page.evaluate(faults)), `at ${wide} px`).toEqual([]);
  }
  await page.setViewportSize({ width, height: 900 });
};
