import { describe, expect, it } from 'vitest';
import { definedQueries, int, json, time, uuid } from '../../src/db/query.ts';
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

it('the statement of a page reads the rows of the team after the last one, in their order', () => {
  const list = statementsOf({
    name: 'test.rows',
    why: 'a test',
    columns: { id: uuid, createdAt: time, owner: uuid },
    expressions: { owner: 'o.id' },
    from: 'things t join owners o on o.id = t.owner_id',
    table: 't',
    where: 't.is_shown or o.is_shown',
    cursor: 'test',
    order: ['createdAt', 'id'],
    direction: 'desc',
    filters: {
      state: { sql: 't.state = :state', type: int, always: true },
      owner: { sql: 'o.id = :owner', type: uuid },
    },
  });
  const page = list.queryFor(['state', 'owner'], { paged: true, cut: false, rows: 1 });
  expect(page.text.replaceAll(/\s+/g, ' ').trim()).toBe(
    'select t.id as "id", t.created_at as "createdAt", o.id as "owner" ' +
      'from things t join owners o on o.id = t.owner_id ' +
      'where t.tenant_id = $1 and (t.is_shown or o.is_shown) and t.state = $2 and o.id = $3 ' +
      'and (t.created_at, t.id) < ($4, $5) order by t.created_at desc, t.id desc limit $6::int',
  );
  expect(page.order).toEqual(['tenantId', 'state', 'owner', 'after_createdAt', 'after_id', 'limit']);
  const first = list.queryFor(['state'], { paged: false, cut: false, rows: usualRows });
  expect(first.text).toMatch(
    new RegExp(`and t.state = \\$2\\s+order by t.created_at desc, t.id desc limit ${usualRows}$`),
  );
});

it('the statement of a page in ascending order reads what is greater than the last row', () => {
  const list = statementsOf({
    name: 'test.ascending',
    why: 'a test',
    columns: { id: uuid },
    from: 'things',
    cursor: 'test',
    order: ['id'],
    direction: 'asc',
  });
  const { text } = list.queryFor([], { paged: true, cut: false, rows: usualRows });
  expect(text.replaceAll(/\s+/g, ' ').trim()).toBe(
    `select id as "id" from things where tenant_id = $1 and (id) > ($2) order by id asc limit ${usualRows}`,
  );
});

describe('the statements of a list with large columns', () => {
  const aList = () => {
    const list = statementsOf({
      name: 'test.large',
      why: 'a test',
      columns: { id: uuid, createdAt: time },
      from: 'things t',
      table: 't',
      cursor: 'test',
      order: ['createdAt', 'id'],
      direction: 'desc',
      bulk: { columns: { content: json }, bytes: 't.content_bytes' },
      filters: { state: { sql: 't.state = :state', type: int }, owner: { sql: 't.owner = :owner', type: uuid } },
    });
    const small = list.queryFor([], { paged: false, cut: false, rows: usualRows });
    const cut = list.queryFor(['state', 'owner'], { paged: true, cut: true, rows: 1 });
    return { list, small, cut };
  };

  it('have names that say what they read', () => {
    const { list, small, cut } = aList();
    expect(small.name).toBe('test.large usual');
    expect(cut.name).toBe('test.large state owner after cut');
    expect(list.queryFor(['owner'], { paged: true, cut: false, rows: 7 }).name).toBe('test.large owner after');
    expect(list.countFor(['state']).name).toBe('test.large state count');
  });

  it('read large values of small rows only, or those that fit into a page, and say which', () => {
    const { small, cut } = aList();
    expect(Object.keys(small.row)).toEqual(['id', 'createdAt', 'content', 'is_large']);
    expect(small.row).toMatchObject({ content: { nullable: true }, is_large: { nullable: true } });
    expect(Object.keys(cut.row)).toEqual(['id', 'createdAt', 'content', 'more']);
    expect(cut.row).toMatchObject({ content: { nullable: false }, more: { nullable: false } });
    expect(small.text).toContain('case when t.content_bytes <=');
    expect(cut.text).toContain('t.content_bytes as bytes');
  });

  it('take the values of their filters, of the row after which they begin, and a number of rows unless it is the usual one', () => {
    const { list, small, cut } = aList();
    expect(Object.keys(small.parameters)).toEqual(['tenantId']);
    expect(cut.parameters).toEqual({
      tenantId: uuid,
      state: int,
      owner: uuid,
      after_createdAt: time,
      after_id: uuid,
      limit: int,
    });
    expect(cut.text).toContain('(t.created_at, t.id) <');
    expect(list.countFor(['state']).parameters).toEqual({ tenantId: uuid, state: int });
  });
});
