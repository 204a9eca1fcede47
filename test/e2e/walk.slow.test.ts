import { beforeAll, describe, expect, it } from 'vitest';
import { aScoredTraining } from '../support/practice.ts';
import { hasBrowser, useApp } from './support/app.ts';
import { aHostileTeam } from './support/hostile-team.ts';
import { accessible, fits } from './support/inspections/sound.ts';
import { looks, looksOfDialogs, looksOfEntrance } from './support/looks.ts';
import { useProvider } from './support/provider.ts';
import { walkThroughEntrance } from './support/walk/entrance.ts';
import { entranceRoutes } from './support/walk/routes.ts';
import { pageStates, states } from './support/walk/states.ts';
import { faultsOf } from './support/walk/walk.ts';
import { ofAll, walkThroughHostile, walkThroughLively, walkThroughLong, walkThroughNew } from './support/walk/walks.ts';

// The walk through the app: it opens every page, dialog and menu, and every page before the sign-in. walk-sample.slow.test.ts opens
// a few of them. With APP_PHOTOGRAPHS=folder it saves screenshots.

describe.skipIf(!hasBrowser)('every', () => {
  const app = useApp({ own: true });
  const company = useProvider(app);
  let hostile: Awaited<ReturnType<typeof aHostileTeam>>;
  beforeAll(async () => {
    if (hasBrowser) hostile = await aHostileTeam(app);
  });

  it('page that shows one object has an address', () => {
    const paths = pageStates.map(({ path }) => path).filter((path) => path.includes(':'));
    expect(Object.keys(hostile.addresses).toSorted()).toEqual(paths.toSorted());
  });

  it.each(looks)(
    'page shows stored scripts only as text, is accessible and has room, at $width px, $scheme, in $language',
    async (look) => {
      const { faults, shown } = await walkThroughHostile(app, hostile, look, pageStates);
      expect(faults).toEqual([]);
      expect(shown).toBeGreaterThan(100);
    },
    600_000,
  );

  it('page for admins is closed to a plain member, and sends no request then, even as the first page', async () => {
    const { team, addresses } = hostile;
    const member = await app.person(team, 'member');
    const own = await aScoredTraining(app.service, team, { userId: member.user_id });
    const theirs: typeof addresses = { ...addresses, '/trainings/:id': `/trainings/${own}` };
    const page = await app.signedIn(member.email, '/');
    for (const { path } of pageStates) {
      await page.goto(theirs[path] ?? path);
      await app.settled(page);
    }
  }, 120_000);

  it.each(looks)(
    'list of names cuts a text of 190 characters and leaves the other columns their place, and a menu its place, at $width px',
    async (look) => expect(await walkThroughLong(app, look)).toEqual([]),
    300_000,
  );

  it.each(looksOfDialogs)(
    'page, dialog and menu is accessible, has room, moves nothing, and keeps what was typed, at $width px, $scheme, in $language',
    async (look) => expect(await walkThroughLively(app, look, states)).toEqual([]),
    1_200_000,
  );

  it.each(looksOfDialogs)(
    'page of a new team is accessible and has room, at $width px, $scheme, in $language',
    async (look) => expect(await walkThroughNew(app, look)).toEqual([]),
    300_000,
  );

  it.each(looksOfEntrance)(
    'page before the sign-in is accessible and has room, at $width px, $scheme, in $language',
    async (look) => {
      const { faults, paths } = await walkThroughEntrance(app, company, look, ofAll);
      expect(faults).toEqual([]);
      const unopened = entranceRoutes.filter((route) => {
        const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`);
        return !paths.some((path) => pattern.test(path));
      });
      expect(unopened).toEqual([]);
    },
    600_000,
  );

  it.each(looks)(
    'kind of page of the documentation is accessible and has room, at $width px, $scheme, in $language',
    async (look) => {
      const page = await app.open('/developers', look);
      const faults: string[] = [];
      for (const path of [
        'overview',
        'quick-start',
        'errors',
        'security',
        'webhook-events',
        'reference/assignments',
        'search?q=webhook',
      ]) {
        await page.goto(`/developers/${look.language}/${path}`);
        faults.push(...(await faultsOf({ ...look, page, path }, [accessible, fits])));
      }
      expect(faults).toEqual([]);
    },
  );
});
