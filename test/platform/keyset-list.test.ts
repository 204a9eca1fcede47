import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { definedQueries, text, time, uuid } from '../../src/db/query.ts';
import { keysetList } from '../../src/platform/keyset-list.ts';
import { statementsOf, usualRows } from '../../src/platform/keyset-statements.ts';
import { rowOverhead, smallRowBytes, type Page } from '../../src/platform/paging.ts';
import type { Team } from '../../src/platform/team.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const { prisma } = service.database;
const [made, other] = [await aTeam(service, { name: 'Nord' }), await aTeam(service, { name: 'Süd' })];
const team = await made.acting();

type Read<Row> = (team: Team, query: { limit: number; cursor?: string }) => Promise<Page<Row>>;

/** The pages of a list, from the first to the last. */
const pagesOf = async <Row>(read: Read<Row>, limit: number): Promise<Row[][]> => {
  const pages: Row[][] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await read(team, { limit, ...(cursor !== null && { cursor }) });
    pages.push(page.data);
    if (pages.length > 100) expect.fail('the list has no end');
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
};

/** Compares rows by columns whose texts sort like their values. */
const by =
  <Column extends string>(order: readonly Column[], direction: 'asc' | 'desc') =>
  (one: Readonly<Record<Column, string>>, two: Readonly<Record<Column, string>>): number => {
    const [differing] = order.filter((column) => one[column] !== two[column]);
    if (differing === undefined) return 0;
    return one[differing] < two[differing] === (direction === 'asc') ? -1 : 1;
  };

describe('a list', () => {
  const resources = ['assignments', 'cases', 'trainings', 'users'];
  const begun = Date.UTC(2026, 10, 20);
  const rows = Array.from({ length: 120 }, (_, at) => ({
    id: randomUUID(),
    resource: resources[at % resources.length] ?? '',
    // Many are deleted in the same moment.
    deletedAt: new Date(begun + (at % 7)).toISOString(),
    team: 'Nord',
  }));
  const since = new Date(begun + 4).toISOString();
  beforeAll(async () => {
    const stored = rows.map(({ id, resource, deletedAt }) => ({ id, resource, deletedAt }));
    for (const { id: tenantId } of [made, other])
      await prisma.deletion.createMany({ data: stored.map((row) => ({ tenantId, ...row })) });
  });

  const lists = (['asc', 'desc'] as const).flatMap((direction) =>
    ([['deletedAt', 'id'], ['resource', 'deletedAt', 'id'], ['id']] as const).map((order) => {
      const name = `by ${order.join(', ')} ${direction}`;
      const list = keysetList({
        name: `test.list ${name}`,
        why: 'a test',
        columns: { id: uuid, resource: text, deletedAt: time, team: text },
        expressions: { team: 't.name' },
        from: 'deletion d join team t on t.id = d.tenant_id',
        table: 'd',
        where: `d.resource <> 'cases' or d.deleted_at = timestamptz '2026-11-20T00:00:00Z'`,
        cursor: `test ${name}`,
        order,
        direction,
        filters: {
          resource: { sql: 'd.resource = :resource', type: text },
          since: { sql: 'd.deleted_at >= :since', type: time },
          id: { sql: 'd.id = :id', type: uuid, isId: true },
        },
        counted: true,
      });
      return { name, list, order, direction };
    }),
  );
  const listed = rows.filter(
    ({ resource, deletedAt }) => resource !== 'cases' || deletedAt === new Date(begun).toISOString(),
  );

  it.each(lists)(
    '$name has the rows of its team that match, once and in order, in pages of any length',
    async (row) => {
      const { list, order, direction } = row;
      for (const filters of [{}, { resource: 'users' }, { since }, { resource: 'trainings', since }]) {
        const expected = listed
          .filter(({ resource }) => filters.resource === undefined || resource === filters.resource)
          .filter(({ deletedAt }) => filters.since === undefined || deletedAt >= filters.since)
          .toSorted(by(order, direction));
        for (const limit of [7, limits.pageSize.default, 200]) {
          const pages = await pagesOf((reader, query) => list(reader, query, filters), limit);
          expect(pages.flat()).toEqual(expected);
          expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
        }
        expect(await list.count(team, filters)).toEqual({ count: expected.length, more: false });
      }
    },
  );

  it('has nothing for a filter by an id that is none', async () => {
    const { list } = lists[0] ?? expect.fail('there is no list');
    const [row] = listed;
    for (const [id, found] of [
      [row?.id, [row]],
      [randomUUID(), []],
      ['nobody', []],
    ] as const) {
      expect((await list(team, { limit: 5 }, { id })).data).toEqual(found);
      expect(await list.count(team, { id })).toEqual({ count: found.length, more: false });
    }
  });

  it('fills no memory if a caller tries every set of filters: beyond 200 of them a statement is planned at each call', async () => {
    const names = Array.from({ length: 9 }, (_, at) => `filter${at}`);
    const list = statementsOf({
      name: 'test.filters',
      why: 'a test',
      columns: { id: uuid },
      from: 'deletion',
      cursor: 'test',
      order: ['id'],
      direction: 'asc',
      filters: Object.fromEntries(
        names.map((name) => [name, { sql: `resource not in ('${name}', :${name})`, type: text }]),
      ),
      counted: true,
    });
    const before = definedQueries().length;
    const sets = Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_name, at) => (bits >> at) & 1));
    const variant = { paged: false, cut: false, rows: usualRows };
    const all = sets.flatMap((given) => [list.queryFor(given, variant), list.countFor(given)]);
    const named = new Set(all.map(({ statement }) => statement).filter(Boolean));
    expect(named.size).toBeGreaterThan(190);
    expect(named.size).toBeLessThanOrEqual(200);
    expect(definedQueries().length - before).toBeLessThanOrEqual(200);
    expect(list.queryFor(sets[1] ?? [], variant)).toBe(all[2]);
    // It is answered all the same.
    const beyond = list.countFor(names.slice(1));
    expect(beyond.statement).toBe('');
    const values = Object.fromEntries(names.map((name) => [name, 'users']));
    expect(await service.database.run(beyond, { tenantId: team.id, ...values })).toEqual([{ count: 90 }]);
  });
});

describe('a list with large columns', () => {
  const lists = [true, false].map((always) =>
    keysetList({
      name: `test.large ${always}`,
      why: 'a test',
      columns: { id: uuid, createdAt: time },
      bulk: { columns: { fields: text }, bytes: 'bytes', always },
      from: '"case"',
      cursor: `test large ${always}`,
      order: ['createdAt', 'id'],
      direction: 'desc',
    }),
  );

  /** The rows of each page: as many as are wanted and fit into the budget, and at least one. */
  const expectedPages = <Row extends { bytes: number }>(rows: readonly Row[], limit: number): Row[][] => {
    const pages: Row[][] = [[]];
    let used = 0;
    for (const row of rows) {
      const page = pages.at(-1);
      used += row.bytes + rowOverhead;
      if (page && (page.length === 0 || (page.length < limit && used <= limits.pageBytes))) page.push(row);
      else {
        pages.push([row]);
        used = row.bytes + rowOverhead;
      }
    }
    return pages;
  };

  const { pageBytes } = limits;
  const size = fc.constantFrom(0, 0, smallRowBytes, smallRowBytes + 1, pageBytes / 2 - rowOverhead, pageBytes);

  it('ends each page at its number of rows or of bytes, has at least one row, and loses no value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 12 }), fc.integer({ min: 1, max: 13 }), async (sizes, limit) => {
        await prisma.case.deleteMany({ where: { tenantId: team.id } });
        const rows = sizes.map((bytes, at) => ({
          id: randomUUID(),
          createdAt: new Date(Date.UTC(2026, 10, 20) + (at >> 1)).toISOString(),
          fields: `{"at":${at}}`,
          bytes,
        }));
        await prisma.case.createMany({
          data: rows.map((row) => ({
            ...row,
            tenantId: team.id,
            userId: made.owner.user_id,
            updatedAt: row.createdAt,
          })),
        });
        const expected = expectedPages(rows.toSorted(by(['createdAt', 'id'], 'desc')), limit);
        const shown = expected.map((page) => page.map(({ id, createdAt, fields }) => ({ id, createdAt, fields })));
        for (const list of lists) {
          const pages = await pagesOf(list, limit);
          expect(pages.map((page) => page.map(({ id, createdAt, fields }) => ({ id, createdAt, fields })))).toEqual(
            shown,
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
