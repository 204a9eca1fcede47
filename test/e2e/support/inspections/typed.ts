import { expect } from 'vitest';
import type { Inspection } from '../walk/walk.ts';

// Not numbers, which have an input mode.
const texts = ':is(:not([type]), [type=text], [type=email], [type=url])';

/** Escape does not drop what was typed into the form of a dialog: the dialog asks. */
export const typedIsKept: Inspection = async ({ page }) => {
  const field = page
    .locator(
      `[role=dialog] form :is(input${texts}, textarea):not([readonly], [aria-haspopup], [inputmode], :disabled):visible`,
    )
    .first();
  if ((await field.count()) === 0) return;
  // What a question asks for is nothing that anybody would miss.
  if ((await page.getByLabel(/^(Geben Sie zur Bestätigung ein|Type to confirm): /).count()) > 0) return;
  const text = `${await field.inputValue()}x`;
  await field.fill(text);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').waitFor();
  expect(await field.inputValue()).toBe(text);
};
