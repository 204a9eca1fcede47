import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

describe('the pages of the navigation', () => {
  it('have different letters in their keyboard shortcuts', async () => {
    const source = await readFile('src/web/pages.tsx', 'utf8');
    const pages = [...source.matchAll(/^ *path: '([^']+)',\n *letter: '([a-z])',$/gm)].map(
      ([, path = '', letter = '']) => ({ path, letter }),
    );
    expect(pages, 'every letter is read').toHaveLength([...source.matchAll(/\bletter: '/g)].length);
    expect(pages).not.toHaveLength(0);
    const shared = [...Map.groupBy(pages, ({ letter }) => letter)].filter(([, { length }]) => length > 1);
    expect(shared.map(([letter, found]) => `g ${letter}: ${found.map(({ path }) => path).join(', ')}`)).toEqual([]);
  });
});
