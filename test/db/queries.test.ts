import { describe, expect, it } from 'vitest';
import { loadQueries } from '../../scripts/statements/defined.ts';
import { flawsOf } from '../../scripts/statements/judge.ts';
import { runIn } from '../../src/db/database.ts';
import { Language, Plan } from '../../src/db/generated/enums.ts';
import {
  behindOuterJoin,
  definedQueries,
  foundIn,
  int,
  oneOf,
  query,
  text,
  time,
  uuid,
  type Query,
  type SqlType,
} from '../../src/db/query.ts';
import { useConnection, useDatabase } from '../support/postgres.ts';

const database = await useDatabase();
const client = await useConnection(database.url);

type Declared = Record<string, SqlType<unknown>>;

/** A query that only this test has. */
const declared = (name: string, sql: string, row: Declared, parameters: Declared = {}): Query =>
  query({ name: `test.${name}`, why: 'a test', sql, parameters, row });

const flaws = (...given: Parameters<typeof declared>): Promise<string[]> => flawsOf(client, [declared(...given)]);

describe('a named query', () => {
  it('of the service has the parameters, columns and types that the database reports', async () => {
    const queries = (await loadQueries()).filter(({ name }) => !name.startsWith('test.'));
    expect(queries.length).toBeGreaterThan(0);
    expect(await flawsOf(client, queries)).toEqual([]);
  });

  it('says in one line why it is not Prisma, and belongs to a module', async () => {
    await loadQueries();
    for (const { name, why } of definedQueries()) {
      expect(why, name).toMatch(/^\S.{5,}$/);
      expect(name).toMatch(/^[a-z]+\.\w+/);
    }
  });

  it.each<[what: string, given: Parameters<typeof declared>, flaw: RegExp]>([
    [
      'a column of another type',
      ['type', 'select seats from team', { seats: text }],
      /seats is integer, declared as text/,
    ],
    ['a column that is not there', ['absent', 'select id from team', { id: uuid, name: text }], /no column name/],
    ['a column that is not declared', ['surplus', 'select id, name from team', { id: uuid }], /name is not declared/],
    ['a column that can be null', ['null', 'select name from person', { name: text }], /can't prove/],
    ['an expression', ['expression', 'select count(*)::int as n from team', { n: int }], /can't prove/],
    [
      'a column behind a left join',
      [
        'outer',
        'select m.id, t.created_at as made from member m left join team t on t.id = m.tenant_id and t.seats > 3',
        { id: uuid, made: time },
      ],
      /made: PostgreSQL can't prove/,
    ],
    [
      'a column of a with query behind a right join',
      [
        'cte',
        'with t as materialized (select id, seats from team) select t.seats, m.id from t right join member m on m.tenant_id = t.id and t.seats > 3',
        { seats: int, id: uuid },
      ],
      /seats: PostgreSQL can't prove/,
    ],
    [
      'an enum with other labels',
      ['enum', 'select plan from team', { plan: oneOf('plan', Language) }],
      /has the labels/,
    ],
    [
      'a parameter of another type',
      ['parameter', 'select id from team where seats = :seats', { id: uuid }, { seats: text }],
      /:seats is integer, declared as text/,
    ],
    ['SQL that PostgreSQL refuses', ['refused', 'select nothing from team', {}], /refuses it/],
  ])('with %s is refused', async (_what, given, flaw) => {
    expect(await flaws(...given)).toEqual([expect.stringMatching(flaw)]);
  });

  it.each<[what: string, given: Parameters<typeof declared>]>([
    [
      'an enum',
      [
        'right enum',
        'select plan from team where plan = :plan',
        { plan: oneOf('plan', Plan) },
        { plan: oneOf('plan', Plan) },
      ],
    ],
    ['a nullable column', ['right null', 'select name from person', { name: text.orNull }]],
    ['a checked expression', ['right count', 'select count(*)::int as n from team', { n: int.checked }]],
    [
      'the near side of a left join',
      [
        'right outer',
        'select m.id, t.seats from member m left join team t on t.id = m.tenant_id',
        { id: uuid, seats: int.orNull },
      ],
    ],
  ])('with %s is accepted', async (_what, given) => {
    expect(await flaws(...given)).toEqual([]);
  });

  it('with a parameter that is not declared, or not used, can not be defined', () => {
    expect(() => declared('unknown', 'select id from team where id = :id', { id: uuid })).toThrow(
      'does not declare :id',
    );
    expect(() => declared('unused', 'select id from team', { id: uuid }, { id: uuid })).toThrow('does not use it');
  });

  it('with the name of another one can not be defined', () => {
    declared('one name', 'select id from team', { id: uuid });
    expect(() => declared('one name', 'select name from team', { name: text })).toThrow('two queries');
  });

  it('gets its parameters by name, wherever and however often they are used', async () => {
    const found = query({
      name: 'test.names',
      why: 'a test',
      sql: `select :second::text || :first || :second as joined, '12:30'::text as clock, 1::int as n`,
      parameters: { first: text, second: text },
      row: { joined: text.checked, clock: text.checked, n: int.checked },
    });
    expect(await database.run(found, { first: 'a', second: 'b' })).toEqual([{ joined: 'bab', clock: '12:30', n: 1 }]);
  });

  it('fails if a checked column is null, instead of returning a row of another type', async () => {
    const wrong = query({
      name: 'test.wrong',
      why: 'a test',
      sql: 'select max(name) as name from team where id is null',
      parameters: {},
      row: { name: text.checked },
    });
    await expect(database.run(wrong, {})).rejects.toThrow('gave null as name');
    await expect(database.transaction((tx) => runIn(tx, wrong, {}))).rejects.toThrow('gave null as name');
  });
});

describe('rows behind an outer join', () => {
  const team = { id: uuid, description: text.orNull };
  const nothing = { id: null, description: null };

  it('are those with a match', () => {
    const found = { id: 'one', description: null };
    expect(foundIn(team, [nothing, found])).toEqual([found]);
  });

  it('are refused if only some of the never-null columns are there', () => {
    expect(() => foundIn({ ...team, name: text }, [{ id: 'one', description: 'a team', name: null }])).toThrow(
      'null as name',
    );
  });

  it('can be null in every column', () => {
    expect(Object.values(behindOuterJoin(team)).map(({ nullable }) => nullable)).toEqual([true, true]);
  });
});
