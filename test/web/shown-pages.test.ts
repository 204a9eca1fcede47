import { expect, it } from 'vitest';
import { pages, programs } from '../e2e/support/shown-pages.ts';
import { routes } from '../e2e/support/walk/routes.ts';

/** What these pages show depends on what happens beside them. */
const others: Readonly<Record<string, string>> = {
  '/live': 'live.slow.test.ts sends requests meanwhile',
  '/assistants/connect': 'assistants.slow.test.ts connects an assistant',
};

it('what each page says is compared with a file', () => {
  const shown = [pages, programs].flatMap((one) =>
    Object.values(one)
      .flat()
      .map((path) => path.split('?')[0] ?? ''),
  );
  const isShown = (route: string): boolean => {
    const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[A-Z][A-Z-]*')}$`);
    return shown.some((path) => pattern.test(path));
  };
  expect(routes.filter((route) => !isShown(route))).toEqual(Object.keys(others));
});
