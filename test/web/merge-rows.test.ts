import { describe, expect, it } from 'vitest';
import { merged, type TailRow } from '../../src/web/pages/live/merge-rows.ts';

const row = (id: string, second: number, status = 'pending') => ({
  id,
  status,
  created_at: new Date(Date.UTC(2026, 4, 1, 10, 0, second)).toISOString(),
});

describe('the rows of a live list', () => {
  it('are sorted by time, each once in its latest state, and never more than the maximum', () => {
    const rows = merged([row('b', 2), row('a', 1)], [row('c', 3), row('b', 2, 'ok'), row('d', 2)]);
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['c', 'pending'],
      ['d', 'pending'],
      ['b', 'ok'],
      ['a', 'pending'],
    ]);
    expect(merged<TailRow>(rows, [{ ...row('f', 0), created_at: null }]).at(-1)?.id).toBe('f');
    expect(merged(rows, [row('e', 4)], 3).map(({ id }) => id)).toEqual(['e', 'c', 'd']);
  });
});
