import { describe, expect, it } from 'vitest';
import { fail } from '../../src/core/problem.ts';
import { forEachSeparately } from '../../src/platform/bulk.ts';

describe('one action for several ids', () => {
  it('is done for each, in their order, and says for each why it was not done', async () => {
    const done: string[] = [];
    const { results } = await forEachSeparately(['a', 'b', 'c'], async (id) => {
      await Promise.resolve();
      if (id === 'a') fail('not_found');
      if (id === 'b') fail('rate_limited', { retry_after: 7 });
      done.push(id);
    });
    expect(results).toStrictEqual([
      { id: 'a', code: 'not_found' },
      { id: 'b', code: 'rate_limited', retry_after: 7 },
      { id: 'c', code: null },
    ]);
    expect(done).toEqual(['c']);
  });

  it.each([
    ['the database can’t be reached', 'unavailable', () => fail('unavailable')],
    [
      'the service has a bug',
      'a bug',
      () => {
        throw new TypeError('a bug');
      },
    ],
  ])('ends at once if %s', async (_, message, broken) => {
    const tried: string[] = [];
    const act = async (id: string) => {
      await Promise.resolve();
      tried.push(id);
      if (id === 'b') broken();
    };
    await expect(forEachSeparately(['a', 'b', 'c'], act)).rejects.toThrow(message);
    expect(tried).toEqual(['a', 'b']);
  });
});
