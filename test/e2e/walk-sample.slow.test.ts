import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasBrowser, useApp } from './support/app.ts';
import { aHostileTeam } from './support/hostile-team.ts';
import { looks, looksOfDialogs, walkSeed } from './support/looks.ts';
import { pageStates, states, type State } from './support/walk/states.ts';
import { walkThroughHostile, walkThroughLively } from './support/walk/walks.ts';

// A part of the walk that takes a moment: CI runs it with each push. walk.slow.test.ts is the whole.

/** Some of them, in their order. */
const sampleOf = (all: readonly State[], size: number): readonly State[] => {
  const [chosen = []] = fc.sample(fc.subarray([...all], { minLength: size, maxLength: size }), {
    seed: walkSeed,
    numRuns: 1,
  });
  return chosen;
};

describe.skipIf(!hasBrowser)(`of a sample of the walk (WALK_SEED=${walkSeed})`, () => {
  const app = useApp({ own: true });

  it('each page shows stored scripts only as text, is accessible and has room', async () => {
    const look = looks[walkSeed % looks.length] ?? expect.fail('there are looks');
    const { faults } = await walkThroughHostile(app, await aHostileTeam(app), look, sampleOf(pageStates, 8));
    expect(faults).toEqual([]);
  });

  it.each(looksOfDialogs)(
    'each page, dialog and menu is accessible, has room, moves nothing, and keeps what was typed, in $language',
    async (look) => {
      expect(await walkThroughLively(app, look, sampleOf(states, 16))).toEqual([]);
    },
  );
});
