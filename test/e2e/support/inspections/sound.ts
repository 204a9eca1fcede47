import { expectAccessible, expectNothingSticksOut } from '../app.ts';
import type { Inspection } from '../walk/walk.ts';

/** It follows the rules of accessibility. */
export const accessible: Inspection = ({ page }) => expectAccessible(page);

/** Nothing is wider than the window or its frame. */
export const fits: Inspection = ({ page, path, width }) => expectNothingSticksOut(page, path, width);
