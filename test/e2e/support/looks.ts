import { mkdir } from 'node:fs/promises';
import { expectNothingSticksOut, type Language } from './app.ts';
import type { Inspection } from './walk/walk.ts';

/** If this is set to a folder, screenshots are saved there: at every width, in both themes and languages. */
const photographs = process.env['APP_PHOTOGRAPHS'];

/** The seed of a sample of the walk. */
export const walkSeed = Number(process.env['WALK_SEED'] ?? Date.now() % 1_000_000_000);

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

/**
 * Saves screenshots, if they are wanted: of a page to its end, of what is open on it as the window shows it. Whatever is open
 * stays so at the other widths.
 */
export const photograph: Inspection = async ({ page, path, state, again, width, scheme, language }) => {
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
      await page.screenshot({ path: file, fullPage: again === undefined, animations: 'disabled' });
    }
    await expectNothingSticksOut(page, path, wide);
  }
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
};
