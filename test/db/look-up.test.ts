import { describe, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import type { Database } from '../../src/db/database.ts';
import { lookUp } from '../../src/db/look-up.ts';
import { query, text, uuid } from '../../src/db/query.ts';
import { useDatabase } from '../support/postgres.ts';

const opened = await useDatabase();
let sent: unknown[] = [];
const database: Database = {
  ...opened,
  rows: (statement, ...values) => {
    sent.push(values);
    return opened.rows(statement, ...values);
  },
};

const person = lookUp({
  name: 'test.person',
  why: 'a test',
  // Without the condition on the team, which the look-up adds.
  sql: () =>
    `select p.id, p.email, '00000000-0000-7000-8000-000000000001'::uuid as tenant_id from person p where p.id = wanted.id`,
  row: { id: uuid, email: text },
});
const [team, anotherTeam] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'] as const;

const insert = query({
  name: 'test.insertPerson',
  why: 'a test',
  sql: `insert into person (id, email, created_at, updated_at) values (:id, :email, now(), now())`,
  parameters: { id: uuid, email: text },
  row: {},
});

const aPerson = async () => {
  const id = newId();
  await database.run(insert, { id, email: `${id}@example.com` });
  return id;
};

describe('a look-up', () => {
  it('shares a statement with those of the same turn, and each finds its own row or none', async () => {
    const [one, two] = [await aPerson(), await aPerson()];
    sent = [];
    const found = await Promise.all([
      person(database, team, two),
      person(database, team, newId()),
      person(database, anotherTeam, one),
      person(database, team, one),
      person(database, team, two),
    ]);
    expect(found.map((row) => row?.email)).toEqual([
      `${two}@example.com`,
      undefined,
      undefined,
      `${one}@example.com`,
      `${two}@example.com`,
    ]);
    expect(sent).toHaveLength(1);
    expect(await person(database, team, one)).toEqual({ id: one, email: `${one}@example.com` });
    expect(sent).toHaveLength(2);
  });

  it('is one of 64 in a statement at most', async () => {
    const ids = await Promise.all(Array.from({ length: 130 }, aPerson));
    sent = [];
    const found = await Promise.all(ids.map((id) => person(database, team, id)));
    expect(found.map((row) => row?.id)).toEqual(ids);
    expect(sent).toHaveLength(3);
  });

  it('fails with those that share its statement, and with no other', async () => {
    const id = await aPerson();
    const failing = [person(database, team, id), person(database, team, 'no id')];
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
    expect((await person(database, team, id))?.id).toBe(id);
  });
});
