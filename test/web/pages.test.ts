import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

describe('the pages of the navigation', () => {
  it.each(['de', 'en'] as const)('have different letters in their keyboard shortcuts: %s', async (language) => {
    const source = await readFile('src/web/pages.tsx', 'utf8');
    const one = /^ *path: '([^']+)',\n *letter: (?:\(\) => '([a-z])'|\(t\) => t\('([a-z])', '([a-z])'\)),$/gm;
    const pages = [...source.matchAll(one)].map(([, path = '', both, de, en]) => ({
      path,
      letter: both ?? { de, en }[language] ?? '',
    }));
    expect(pages, 'every letter is read').toHaveLength([...source.matchAll(/\bletter: \(t?\) =>/g)].length);
    expect(pages).not.toHaveLength(0);
    const shared = [...Map.groupBy(pages, ({ letter }) => letter)].filter(([, { length }]) => length > 1);
    expect(shared.map(([letter, found]) => `g ${letter}: ${found.map(({ path }) => path).join(', ')}`)).toEqual([]);
  });
});
