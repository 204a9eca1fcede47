import { expect, it } from 'vitest';
import { measureInTurn } from '../../scripts/kit/figures.ts';

it('each contender is measured in each round, in an order that alternates', async () => {
  const seen: string[] = [];
  const results = await measureInTurn(['a', 'b'], 3, async (name) => {
    seen.push(name);
    return seen.length;
  });
  expect(seen.join('')).toBe('abbaab');
  expect([...results]).toEqual([
    ['a', [1, 4, 5]],
    ['b', [2, 3, 6]],
  ]);
});
