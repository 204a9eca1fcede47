import { describe, expect, it } from 'vitest';
import { hasBrowser, useApp } from './support/app.ts';
import { looksOfDialogs } from './support/looks.ts';
import { states } from './support/walk/states.ts';
import { walkThroughLively, walkThroughNew } from './support/walk/walks.ts';

// The walk through the app: it opens every page, dialog and menu. walk-hostile.slow.test.ts opens the pages with texts that nobody
// expects, walk-entrance.slow.test.ts every page before the sign-in, and walk-sample.slow.test.ts a few states of each. With
// APP_PHOTOGRAPHS=folder they save screenshots.

describe.skipIf(!hasBrowser)('every', () => {
  const app = useApp({ own: true });

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
});
