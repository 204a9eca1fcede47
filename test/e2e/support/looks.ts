import { mkdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expectNothingSticksOut, type Language } from './app.ts';

/** If this is set to a folder, screenshots are saved there: at every width, in both themes and languages. */
const photographs = process.env['APP_PHOTOGRAPHS'];

export interface Look {
  width: 1440 | 390;
  scheme: 'light' | 'dark';
  language: Language;
}

/** Both themes, a wide and a narrow window, both languages. (At 1024 pixels the checks of the pages look, too.) */
export const looks: readonly Look[] = [
  { width: 1440, scheme: 'light', language: 'de' },
  { width: 390, scheme: 'dark', language: 'en' },
];

/** A screenshot of every width and theme is taken of each page that is open, so only the languages are opened. */
const looksOfScreenshots: readonly Look[] = [
  { width: 1440, scheme: 'light', language: 'de' },
  { width: 1440, scheme: 'dark', language: 'en' },
];

export const looksOfEntrance = photographs === undefined ? looks : looksOfScreenshots;

/** All dialogs take minutes in each look, so without screenshots there is one: a phone has the least room. */
export const looksOfDialogs =
  photographs === undefined ? looks.filter(({ width }) => width === 390) : looksOfScreenshots;

/** The name of a path in the name of a file. */
const nameOf = (path: string): string => path.replaceAll(/[/:?=]+/g, '-').replace(/^-/, '') || 'overview';

/** After a change of the width, tables and charts are drawn again with the next frames. */
const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

interface Shown extends Look {
  state?: string;
  /** By default, a page without a state is photographed to its end, and a state as the window shows it. */
  whole?: boolean;
  /** Opens what a change of the width has closed, as it does menus of rows. */
  again?: () => Promise<unknown>;
}

/** Saves screenshots, if they are wanted. Whatever is open stays so at the other widths. */
export const photograph = async (
  page: Page,
  path: string,
  { width, scheme, language, state, whole = state === undefined, again }: Shown,
): Promise<void> => {
  if (photographs === undefined) return;
  await mkdir(photographs, { recursive: true });
  const opened = page.locator('[role=dialog], [role=menu]').first();
  const isOpen = await opened.isVisible();
  const name = [nameOf(path), ...(state === undefined ? [] : [state])].join('.');
  for (const wide of [1440, 1024, 390]) {
    await page.setViewportSize({ width: wide, height: wide === 390 ? 844 : 900 });
    await page.evaluate(drawn);
    if (isOpen && !(await opened.isVisible())) await again?.();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const file = `${photographs}/${name}.${wide}.${colorScheme}.${language}.png`;
      await page.screenshot({ path: file, fullPage: whole, animations: 'disabled' });
    }
    await expectNothingSticksOut(page, path, wide);
  }
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
};
