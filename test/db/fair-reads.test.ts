import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { statement } from '../../src/db/statement.ts';
import { createDatabase } from '../support/postgres.ts';
import type { TestDatabase } from '../support/postgres.ts';

let made: TestDatabase;
let database: Database;
beforeAll(async () => {
  made = await createDatabase();
  database = openDatabase(made.url, { poolSize: 4 });
});
afterAll(async () => {
  await database.close();
  await made.drop();
});

const slow = statement<{ done: string }, []>(`select pg_sleep(0.2)::text as done`);
const quick = statement<{ one: number }, []>('select 1 as one');

it('a team’s crowd of slow reads stands neither before another team nor before the gate', async () => {
  const crowd = database.forGroup('a');
  let done = 0;
  const reads = Array.from({ length: 20 }, () => crowd.rows(slow).then(() => (done += 1)));
  await sleep(0); // they have all been asked for
  expect(await database.rows(quick)).toEqual([{ one: 1 }]);
  expect(await database.forGroup('b').rows(quick)).toEqual([{ one: 1 }]);
  expect(done).toBeLessThan(10);
  await Promise.all(reads);
  expect(done).toBe(20);
});

it('connections keep no statement for each length of a list', async () => {
  const alone = openDatabase(made.url, { poolSize: 1 });
  const kept = async () => {
    const [row] = await alone.rows(
      statement<{ count: number }, []>('select count(*)::int as count from pg_prepared_statements'),
    );
    return row?.count ?? 0;
  };
  const ids = Array.from({ length: 300 }, () => newId());
  for (let length = 300; length > 200; length -= 1) {
    await alone.prisma.team.count({ where: { id: { in: ids.slice(0, length) } } });
  }
  expect(await kept()).toBeLessThan(10);
  for (let times = 0; times < 3; times += 1) await alone.prisma.team.findUnique({ where: { id: newId() } });
  const before = await kept();
  expect(before).toBeGreaterThan(1);
  await alone.close();
});
