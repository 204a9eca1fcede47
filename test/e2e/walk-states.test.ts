import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entranceRoutes, routes } from './support/walk/routes.ts';
import { pageStates, states } from './support/walk/states.ts';

// The list of states has all of the app's (support/walk/states.ts). It needs no browser.

/** What opens on top of a page. */
const opensOnTop = /<(?:Dialog|DialogShell|Modal\.Root|Menu|Popover)\b(?!\.)|\bconfirm\(|^\s*ask\(/m;

/** Files whose dialogs or menus the walk does not open, and the tests that open and inspect them. */
const elsewhere: Readonly<Record<string, string>> = {
  'pages/trainings/training-words.tsx': 'trainings.slow.test.ts',
  'pages/settings/required-sign-in.tsx': 'dangerous-clicks.slow.test.ts',
  'session/proof-dialog.tsx': 'passkeys.slow.test.ts',
};

describe('the walk through the app', () => {
  it('opens every page', () => {
    expect(routes.length).toBeGreaterThan(15);
    expect(entranceRoutes.length).toBeGreaterThan(5);
    expect(pageStates.map(({ path }) => path).toSorted()).toEqual(routes.toSorted());
  });

  it('opens a dialog or menu of every file that has one', () => {
    // All but those that dialogs are made of.
    const files = globSync('src/web/**/*.tsx', { exclude: ['src/web/kit/dialog/**'] })
      .filter((file) => opensOnTop.test(readFileSync(file, 'utf8')))
      .map((file) => relative('src/web', file));
    const opened = new Set([...states.flatMap(({ of }) => of ?? []), ...Object.keys(elsewhere)]);
    expect([...opened].toSorted()).toEqual(files.toSorted());
  });
});
