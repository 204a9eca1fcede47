import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { proceduresOf } from '../../src/platform/trpc/procedures.ts';
import { notWalked, walks } from '../e2e/support/refused-actions.ts';
import { filesMatching } from '../support/files-matching.ts';

const routers = { app: appRouter, api: publicRouter, entrance: entranceRouter };

const mutations = new Set(
  Object.entries(routers).flatMap(([router, of]) =>
    proceduresOf(of).flatMap(([name, { _def }]) => (_def.type === 'mutation' ? [`${router}.${name}`] : [])),
  ),
);

it('every action of the app has a step in which it is refused (test/e2e/support/refused-actions.ts), or a reason why not', async () => {
  const found = new Set<string>();
  for await (const path of filesMatching('src/web/**/*.{ts,tsx}')) {
    const file = path.replace(/^.*src\/web\//, '');
    for (const [named] of (await readFile(path, 'utf8')).matchAll(/\b(?:app|api|entrance)\.\w+\.\w+\b/g)) {
      if (mutations.has(named)) found.add(`${file}: ${named}`);
    }
  }
  const walked = [...walks.flatMap(({ actions }) => actions), ...Object.keys(notWalked)];
  expect(walked.toSorted()).toEqual([...found].toSorted());
});
