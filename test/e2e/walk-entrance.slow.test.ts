import { describe, expect, it } from 'vitest';
import { hasBrowser, useApp } from './support/app.ts';
import { accessible, fits } from './support/inspections/sound.ts';
import { looks, looksOfEntrance } from './support/looks.ts';
import { useProvider } from './support/provider.ts';
import { walkThroughEntrance } from './support/walk/entrance.ts';
import { entranceRoutes } from './support/walk/routes.ts';
import { faultsOf } from './support/walk/walk.ts';
import { ofAll } from './support/walk/walks.ts';

// A part of the walk through the app: pages that need no sign-in, and the documentation.

describe.skipIf(!hasBrowser)('every', () => {
  const app = useApp({ own: true });
  const company = useProvider(app);

  it.each(looksOfEntrance)(
    'page before the sign-in is accessible, has room and says what it should, at $width px, $scheme, in $language',
    async (look) => {
      const { faults, said, paths } = await walkThroughEntrance(app, company, look, ofAll);
      expect(faults).toEqual([]);
      await expect(`${said}\n`).toMatchFileSnapshot(`walk-entrance/${look.language}.txt`);
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
