import { mkdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';
import { aHostileTeam, script } from './support/hostile-team.ts';
import type { TestTeam } from '../support/team.ts';
import { aScoredTraining } from '../support/trainings.ts';

// What holds for every page that the app has, also for one that is added tomorrow: the list is the app's own.

const source = await readFile('src/web/pages.tsx', 'utf8');
const [inside = '', inFront = ''] = source.split('export const entrancePages');
const pathsIn = (text: string) => [...text.matchAll(/path: '([^']+)'/g)].flatMap(([, path]) => path ?? []);
const paths = pathsIn(inside);

/** Set to a folder, every page is photographed into it. */
const photographs = process.env['APP_PHOTOGRAPHS'];

/** Both themes, both widths, both languages, by address and within the app; for pictures every theme at every width. */
const looks = [
  { width: 1440, scheme: 'light', language: 'de', reached: 'by address' },
  { width: 390, scheme: 'dark', language: 'en', reached: 'within the app' },
  ...(photographs === undefined
    ? []
    : ([
        { width: 1440, scheme: 'dark', language: 'en', reached: 'within the app' },
        { width: 390, scheme: 'light', language: 'de', reached: 'by address' },
      ] as const)),
] as const;

/** Goes to another page as a link of the app does, without loading the app anew, and waits until that page is there. */
const goWithin = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(`
    document.querySelector('main h1').dataset.left = '';
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate', { state: null }));`);
  await page.locator('main h1:not([data-left])').first().waitFor();
};

const photograph = async (page: Page, path: string, { width, scheme }: (typeof looks)[number]): Promise<void> => {
  if (photographs === undefined) return;
  await mkdir(photographs, { recursive: true });
  const name = path.replaceAll(/[/:]+/g, '-').replace(/^-/, '') || 'overview';
  await page.screenshot({ path: `${photographs}/${name}.${width}.${scheme}.png`, fullPage: true });
};

/** Nothing sticks out to the side, and nothing that was stored became more than text. */
const expectSound = async (page: Page): Promise<void> => {
  const [wide, room] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]');
  expect(wide).toBeLessThanOrEqual(room);
  expect(await page.locator('img[src="x"], main script').count()).toBe(0);
  await expectAccessible(page);
};

describe.skipIf(!hasBrowser)('every page', () => {
  const app = useApp();
  let team: TestTeam;
  let addresses: Readonly<Record<string, string>>;
  beforeAll(async () => {
    if (hasBrowser) ({ team, addresses } = await aHostileTeam(app));
  });

  it('is known to this test', () => {
    expect(paths.length).toBeGreaterThan(15);
    expect(pathsIn(inFront)).toEqual(['/sign-in', '/reset-password', '/reset-password/:token', '/invitations/:token']);
    expect(Object.keys(addresses)).toEqual(paths.filter((path) => path.includes(':')));
  });

  it.each(looks)(
    'is sound and open to everybody at $width px, $scheme, in $language, reached $reached',
    async (look) => {
      const page = await app.signedIn(team.owner.email, '/', look);
      const dialogs: string[] = [];
      // How often a script was read as the text that it is.
      let shown = 0;
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      for (const path of paths) {
        const address = addresses[path] ?? path;
        if (look.reached === 'by address') await page.goto(new URL(address, app.service.origin).href);
        else if (new URL(page.url()).pathname !== address) await goWithin(page, address);
        await app.settled(page);
        await photograph(page, path, look);
        await expectSound(page);
        shown += await page.getByText(script).count();
      }
      expect(dialogs).toEqual([]);
      expect(shown).toBeGreaterThan(100);
    },
    300_000,
  );

  it('is closed to a plain member where it is for admins, and asks for nothing then', async () => {
    const member = await app.person(team, 'member');
    const own = await aScoredTraining(app.service, team, { user_id: member.user_id });
    const theirs: typeof addresses = { ...addresses, '/trainings/:id': `/trainings/${own}` };
    const page = await app.signedIn(member.email, '/');
    for (const path of paths) {
      await page.goto(new URL(theirs[path] ?? path, app.service.origin).href);
      await app.settled(page);
    }
  }, 120_000);
});
