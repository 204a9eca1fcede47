import { expect } from 'vitest';
import { z } from 'zod';
import type { Inspection } from '../walk/walk.ts';

/**
 * What is wrong with the frame of the open dialog: parts that are not within its round corners or the window, or that scroll
 * though they should stand.
 */
const faultsOfFrame = `(() => {
  const dialog = document.querySelector('[role=dialog]:has(h2)');
  if (!dialog) return undefined;
  const [outer, style] = [dialog.getBoundingClientRect(), getComputedStyle(dialog)];
  const scrolling = [...dialog.querySelectorAll('*')].find((one) =>
    getComputedStyle(one).overflowY === 'auto' && one.scrollHeight > one.clientHeight + 1 && one.offsetWidth > outer.width / 2);
  // Of those below the content; a dialog may have none.
  const button = [...dialog.querySelectorAll('button')].findLast((one) => one.offsetWidth > 0 && !one.closest('header'));
  const places = () => [dialog.querySelector('h2'), button].map((one) => one?.getBoundingClientRect());
  const [title, buttons] = places();
  scrolling?.scrollTo(0, scrolling.scrollHeight);
  const [titleAfter, buttonsAfter] = places();
  const between = scrolling?.getBoundingClientRect();
  const isBelow = button && !scrolling?.contains(button);
  return {
    scrolls: scrolling !== undefined,
    faults: Object.entries({
      itselfScrolls: dialog.scrollHeight > dialog.clientHeight + 1,
      isSquare: style.overflow !== 'hidden' || parseFloat(style.borderTopRightRadius) < 8,
      titleMoved: titleAfter.top !== title.top,
      buttonsMoved: isBelow && buttonsAfter.top !== buttons.top,
      isOverTitle: between !== undefined && between.top < title.bottom,
      isOverButtons: between !== undefined && isBelow && between.bottom > buttons.top,
      isCut: outer.top < 0 || outer.bottom > innerHeight,
    }).flatMap(([fault, is]) => (is ? [fault] : [])),
  };
})()`;

const Found = z.object({ scrolls: z.boolean(), faults: z.array(z.string()) }).optional();

/** In a low window, only the content of a dialog scrolls. */
export const framed: Inspection = async ({ page, path, state, width }) => {
  if ((await page.getByRole('dialog').count()) === 0) return;
  await page.setViewportSize({ width, height: 560 });
  const found = Found.parse(await page.evaluate(faultsOfFrame));
  expect(found?.faults ?? []).toEqual([]);
  // The longest form does not fit in such a window.
  if (path === '/keys' && state === 'new') expect(found?.scrolls).toBe(true);
  await page.setViewportSize({ width, height: 900 });
};
