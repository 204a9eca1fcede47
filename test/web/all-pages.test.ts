import { expect, it } from 'vitest';
import { readAllPages } from '../../src/web/server/all-pages.ts';

it.each([
  ['none', [[]]],
  ['one page', [['a', 'b']]],
  ['several pages, of which one is empty', [['a', 'b'], [], ['c'], ['d']]],
])('all rows of a list are read, each once and in their order: %s', async (_name, pages) => {
  const cursors: (string | undefined)[] = [];
  const all = await readAllPages(({ cursor }) => {
    cursors.push(cursor);
    const at = Number(cursor ?? 0);
    return Promise.resolve({ data: pages[at] ?? [], next_cursor: at + 1 < pages.length ? String(at + 1) : null });
  });
  expect(all).toEqual(pages.flat());
  expect(cursors).toEqual(pages.map((_, at) => (at === 0 ? undefined : String(at))));
});
