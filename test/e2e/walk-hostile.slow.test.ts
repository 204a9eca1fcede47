import { beforeAll, describe, expect, it } from 'vitest';
import { aScoredTraining } from '../support/practice.ts';
import { hasBrowser, useApp } from './support/app.ts';
import { aHostileTeam } from './support/hostile-team.ts';
import { looks } from './support/looks.ts';
import { pageStates } from './support/walk/states.ts';
import { walkThroughHostile, walkThroughLong } from './support/walk/walks.ts';

// A part of the walk through the app: pages with stored scripts and with texts as long as they can be.

describe.skipIf(!hasBrowser)('every', () => {
  const app = useApp({ own: true });
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
});
