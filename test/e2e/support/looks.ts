import { mkdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** If this is set to a folder, screenshots are saved there, in more looks than the checks need. */
const photographs = process.env['APP_PHOTOGRAPHS'];

/**
 * Both themes, all widths and both languages; screenshots: every theme at every width and at 1024 pixels. (At 1024 the
 * checks of the pages look, too.)
 */
export const looks = [
  { width: 1440, scheme: 'light', language: 'de' },
  { width: 390, scheme: 'dark', language: 'en' },
  ...(photographs === undefined
    ? []
    : ([
        { width: 1440, scheme: 'dark', language: 'en' },
        { width: 390, scheme: 'light', language: 'de' },
        { width: 1024, scheme: 'light', language: 'de' },
        { width: 1024, scheme: 'dark', language: 'en' },
      ] as const)),
] as const;

/** All dialogs take two minutes in each look, so without screenshots there is one: a phone has the least room. */
export const looksOfDialogs = photographs === undefined ? looks.filter(({ width }) => width === 390) : looks;

export type Look = (typeof looks)[number];

/** The name of a path in the name of a file. */
const nameOf = (path: string): string => path.replaceAll(/[/:?=]+/g, '-').replace(/^-/, '') || 'overview';

/** Saves a screenshot, if they are wanted: of the whole page, or of what the window shows. */
export const photograph = async (
  page: Page,
  path: string,
  { width, scheme, state }: Pick<Look, 'width' | 'scheme'> & { state?: string },
): Promise<void> => {
  if (photographs === undefined) return;
  await mkdir(photographs, { recursive: true });
  const name = [nameOf(path), ...(state === undefined ? [] : [state]), width, scheme].join('.');
  await page.screenshot({ path: `${photographs}/${name}.png`, fullPage: state === undefined });
};
