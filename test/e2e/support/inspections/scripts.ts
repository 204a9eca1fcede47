import { expect } from 'vitest';
import { script } from '../../../support/world.ts';
import type { Inspection } from '../walk/walk.ts';

/** Stored scripts are only shown as text. `shown` counts how often. */
export const textsOnly = (shown: { count: number }): Inspection =>
  async function onlyText({ page }) {
    expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    shown.count += await page.getByText(script).count();
  };
