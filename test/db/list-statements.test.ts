import { expect, it } from 'vitest';
import { definedQueries, int, uuid } from '../../src/db/query.ts';
import { statementsOf, usualRows } from '../../src/platform/keyset-statements.ts';

it('a caller who tries every set of filters fills no memory: beyond 200 a list’s statements are planned at each call', () => {
  const names = Array.from({ length: 9 }, (_, at) => `filter${at}`);
  const list = statementsOf({
    name: 'test.list',
    why: 'a test',
    columns: { id: uuid },
    from: 'things',
    cursor: 'test',
    order: ['id'],
    direction: 'asc',
    filters: Object.fromEntries(names.map((name) => [name, { sql: `${name} = :${name}`, type: int }])),
    counted: true,
  });
  const before = definedQueries().length;
  const sets = Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_name, at) => (bits >> at) & 1));
  const made = sets.flatMap((given) => [
    list.queryFor(given, { paged: false, cut: false, rows: usualRows }),
    list.countFor(given),
  ]);
  const named = new Set(made.map(({ statement }) => statement).filter(Boolean));
  expect(named.size).toBeGreaterThan(190);
  expect(named.size).toBeLessThanOrEqual(200);
  expect(definedQueries().length - before).toBeLessThanOrEqual(200);
  expect(made.at(-3)?.text).toContain('filter8 = $');
  expect(list.queryFor(sets[1] ?? [], { paged: false, cut: false, rows: usualRows })).toBe(made[2]);
});
