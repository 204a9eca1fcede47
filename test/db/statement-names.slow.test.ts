import { expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { useDatabase } from '../support/postgres.ts';

// One connection, so that everything it keeps can be counted.
const database = await useDatabase(1);

const keptStatements = async (): Promise<number> => {
  const [row] = await database.prisma.$queryRaw<
    { count: number }[]
  >`select count(*)::int as count from pg_prepared_statements`;
  return row?.count ?? 0;
};

it('a connection keeps a limited number of prepared statements, for any lengths of lists', async () => {
  const lists = Array.from({ length: 120 }, (_, length) => Array.from({ length: length + 1 }, () => makeId()));
  for (const ids of lists) {
    expect(await database.prisma.team.count({ where: { id: { in: ids } } })).toBe(0);
    const emails = ids.map((id) => ({ id, email: `${id}@example.com`, createdAt: new Date(), updatedAt: new Date() }));
    expect((await database.prisma.person.createMany({ data: emails })).count).toBe(ids.length);
    expect((await database.prisma.person.deleteMany({ where: { id: { in: ids } } })).count).toBe(ids.length);
  }
  expect(await keptStatements()).toBeLessThan(100);
});

it('a statement with few values is prepared once for a connection', async () => {
  const before = await keptStatements();
  for (let time = 0; time < 20; time += 1) await database.prisma.member.count({ where: { email: `${time}` } });
  expect((await keptStatements()) - before).toBeLessThanOrEqual(1);
  const [row] = await database.prisma.$queryRaw<
    { used: number }[]
  >`select max(generic_plans + custom_plans)::int as used from pg_prepared_statements where statement like '%"member"%'`;
  expect(row?.used).toBe(20);
});
