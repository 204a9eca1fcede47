import { inspect } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { goWithin, openAnew, type AppTest } from '../app.ts';
import { recordPlaces } from '../inspections/still.ts';
import type { Look } from '../looks.ts';
import { handsOn, type State } from './states.ts';

// The walk through the app opens each state once, and inspections look at it: each is a function in a file of
// its own (../inspections). The states are in states.ts and entrance.ts; the texts that the pages show come from a data set.

/** A state of the app that is open in a page. */
interface Visit extends Look {
  page: Page;
  /** The path of the page, as src/web/pages.tsx has it, and its query. */
  path: string;
  /** The name of what is open on the page or special about it. */
  state?: string | undefined;
  /** Opens it again on the open page; absent for a page itself. */
  again?: (() => Promise<unknown>) | undefined;
}

/** Looks at what is open. Throws if something is wrong. */
export type Inspection = (visit: Visit) => Promise<void>;

/** What is wrong with an open state: all of it, so that one run finds all. */
export const faultsOf = async (visit: Visit, inspections: readonly Inspection[]): Promise<string[]> => {
  const faults: string[] = [];
  for (const look of inspections) {
    try {
      await look(visit);
    } catch (error) {
      faults.push(`${visit.path}, ${visit.state ?? 'page'}, ${look.name}: ${inspect(error)}`);
      // It may have stopped at another size.
      await visit.page.setViewportSize({ width: visit.width, height: 900 });
    }
  }
  return faults;
};

/** Closes dialogs and menus as a person does, and drops what was entered. */
const closeAll = async (page: Page): Promise<void> => {
  const opened = page.locator('[role=dialog], [role=menu]');
  const drop = page.getByRole('alertdialog').getByRole('button', { name: /^(Verwerfen|Discard)$/ });
  const close = async () => {
    if ((await opened.count()) === 0) return 0;
    await ((await drop.isVisible()) ? drop.click() : page.keyboard.press('Escape'));
    return opened.count();
  };
  await expect.poll(close).toBe(0);
};

interface Walk {
  look: Look;
  states: readonly State[];
  /** The pages that show one object, by the path of their routes. */
  addresses: Readonly<Record<string, string>>;
  inspections: readonly Inspection[];
  /** The name of the data set, for pages that are open in several. */
  data?: string;
}

/** Opens the states, one after the other, in a page that shows the overview. Returns what is wrong with them. */
export const walkThrough = async (
  app: AppTest,
  page: Page,
  { look, states, addresses, inspections, data }: Walk,
): Promise<string[]> => {
  const faults: string[] = [];
  await recordPlaces(page);
  const hands = handsOn(page, look.language);
  /** The path that is open, and whether it is as when it was opened. */
  let open = { path: '/', isAsOpened: true };
  const openPath = async (path: string) => {
    if (path === open.path && open.isAsOpened) return;
    const [route = '', query] = path.split('?');
    const address = `${addresses[route] ?? route}${query === undefined ? '' : `?${query}`}`;
    const [former] = open.path.split('?');
    // A page that differs in its query alone keeps what was done in it.
    await (open.isAsOpened && former !== route ? goWithin : openAnew)(page, address);
  };
  for (const { path, name, inPage = false, leaves = false, open: openState } of states) {
    try {
      await openPath(path);
      // Below a resting mouse a tooltip would open.
      await page.mouse.move(0, 0);
      await app.settled(page);
      await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
      if (openState) {
        await openState(hands);
        if (!inPage) await page.locator('[role=dialog], [role=menu]').first().waitFor();
        await app.settled(page);
      }
      const again = openState && (() => openState(hands));
      faults.push(...(await faultsOf({ ...look, page, path, state: name ?? data, again }, inspections)));
      if (openState && !inPage && !leaves) await closeAll(page);
      open = { path, isAsOpened: !inPage && !leaves };
    } catch (error) {
      faults.push(`${path}, ${name ?? 'page'}, is not open: ${inspect(error)}`);
      open = { path, isAsOpened: false };
    }
  }
  return faults;
};
