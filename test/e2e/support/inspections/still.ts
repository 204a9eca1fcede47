import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Inspection } from '../walk/walk.ts';

/** From now on, the page keeps where everything was at the last click or key. */
export const recordPlaces = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const placeOf = (element) => {
      const { left, right, top } = element.getBoundingClientRect();
      return [left, right, top];
    };
    const keep = () => {
      const all = [...document.querySelectorAll('[class*=header], nav, main, main *')];
      // A switch shows at once what was chosen.
      const behind = all.filter((one) => !one.closest('[role=dialog], [role=menu], .mantine-Switch-root'));
      window.places = { scrolled: scrollY, elements: behind.map((one) => [one, placeOf(one)]) };
    };
    window.moved = (which) => [
      ...(scrollY === window.places.scrolled ? [] : ['the page']),
      ...window.places.elements
        .filter(([one]) => one.isConnected && one.matches(which))
        .filter(([one, before]) => placeOf(one).some((now, at) => now !== before[at]))
        .map(([one, before]) => one.outerHTML.slice(0, 100) + ' from ' + before + ' to ' + placeOf(one)),
    ];
    for (const kind of ['click', 'keydown']) addEventListener(kind, keep, true);
  })()`);

/** Nothing is elsewhere than it was at the last click or key, but what opened; or nothing that matches a selector. */
export const expectUnmoved = async (page: Page, which = '*'): Promise<void> => {
  expect(await page.evaluate(`window.moved(${JSON.stringify(which)}).slice(0, 5)`)).toEqual([]);
};

/** An open dialog has not moved the page behind it. Within the page, a text that says how long ago something was may grow. */
export const still: Inspection = async ({ page }) => {
  if ((await page.getByRole('dialog').count()) > 0) await expectUnmoved(page, 'header, nav, main, main h1');
};
