import { describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import type pg from 'pg';
import { PlainConnections } from '../../src/db/connections.ts';
import { definedQueries, isoTimes } from '../../src/db/query.ts';
import { entryOf } from '../../src/db/row-security.ts';
import { describeAlways, sendTogether, type Statement } from '../../src/db/round-trip.ts';
import { TransactionConnection } from '../../src/db/transaction-connection.ts';
import { anyCharacter } from '../support/any-character.ts';
import { withSql } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';

const { databaseUrl } = await useTestService();

const connected = <T>(action: (client: pg.Client) => Promise<T>): Promise<T> => withSql({ databaseUrl }, action);

/** The answer to the last of some statements. */
const answerTo = async (client: pg.Client, statements: readonly Statement[]) =>
  (await sendTogether(client, statements)).at(-1);

const one = async (client: pg.Client, text: string, values: unknown[] = []): Promise<unknown> =>
  (await answerTo(client, [{ text, values, rowMode: 'array' }]))?.rows[0];

describe('statements in one round trip', () => {
  it('are one transaction, and each is answered', () =>
    connected(async (client) => {
      const answers = await sendTogether(client, [
        { text: `select set_config('app.tenant', $1, true)`, values: ['a team'], isSilent: true },
        { text: `select current_setting('app.tenant') as team, null::int as none` },
      ]);
      expect(answers).toMatchObject([{ rowCount: 1 }, { rows: [{ team: 'a team', none: null }], rowCount: 1 }]);
      expect(answers[1]?.fields.map(({ name }) => name)).toEqual(['team', 'none']);
      expect(await one(client, `select coalesce(current_setting('app.tenant', true), '')`)).toEqual(['']);
    }));

  it('begin a transaction of several round trips with BEGIN, until COMMIT', () =>
    connected(async (client) => {
      await sendTogether(client, [{ text: 'BEGIN' }, { text: 'create temporary table seen (at int)' }]);
      expect((await answerTo(client, [{ text: 'insert into seen values (1), (2)' }]))?.rowCount).toBe(2);
      await sendTogether(client, [{ text: 'insert into seen values (3)' }, { text: 'ROLLBACK' }]);
      await expect(one(client, 'select * from seen')).rejects.toMatchObject({ code: '42P01' });
    }));

  it('undo all after an error, whose stack leads to the caller; the connection can be used again', () =>
    connected(async (client) => {
      await client.query('create temporary table kept (at int)');
      const failing: Statement[] = [
        { name: 'adds', text: 'insert into kept values (1)' },
        { name: 'fails', text: 'select 1 / 0' },
        { name: 'never', text: 'insert into kept values (2)' },
      ];
      const error: unknown = await sendTogether(client, failing).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: '22012', stack: expect.stringContaining('round-trip.test.ts') });
      await expect(sendTogether(client, failing)).rejects.toMatchObject({ code: '22012' });
      await sendTogether(client, [failing[0] ?? { text: '' }]);
      expect(await one(client, 'select count(*)::int from kept')).toEqual([1]);
    }));

  it('name the one that failed, unless it is the last, which the caller knows', () =>
    connected(async (client) => {
      const failing = { text: 'select 1 / 0' };
      await expect(sendTogether(client, [failing, { text: 'select 2' }])).rejects.toThrow('by: select 1 / 0');
      await expect(sendTogether(client, [{ text: 'select 2' }, failing])).rejects.toThrow(/^division by zero$/);
    }));

  it('fail, and not the process, if a value can’t be read', () =>
    connected(async (client) => {
      const types = {
        getTypeParser: () => () => {
          throw new Error('unreadable');
        },
      };
      await expect(sendTogether(client, [{ text: 'select 1', types }])).rejects.toThrow('unreadable');
      expect(await one(client, 'select 1')).toEqual([1]);
    }));

  it('with a name are prepared once, also a statement that comes twice', () =>
    connected(async (client) => {
      const statement: Statement = { name: 'kept', text: 'select $1::int + 1 as next', values: [1] };
      await sendTogether(client, [statement, statement]);
      expect(await answerTo(client, [{ ...statement, values: [4] }])).toMatchObject({ rows: [{ next: 5 }] });
      const { rows } = await client.query(`select calls from (select custom_plans + generic_plans as calls
        from pg_prepared_statements where name = 'kept') as uses`);
      expect(rows).toEqual([{ calls: '3' }]);
    }));

  it('refuse a value that PostgreSQL does not have, before anything is sent', () =>
    connected(async (client) => {
      await expect(one(client, 'select $1', [() => 1])).rejects.toThrow('no value');
      expect(await one(client, 'select 1')).toEqual([1]);
    }));

  it('fail when the connection is lost', () =>
    connected(async (client) => {
      client.on('error', () => {});
      await expect(one(client, 'select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow(/terminat/);
      await expect(one(client, 'select 1')).rejects.toThrow(/terminated|not queryable/);
    }));

  it('pass every value unchanged', () =>
    connected((client) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.option(fc.string({ unit: anyCharacter }).map((text) => text.replaceAll('\0', '')))),
          fc.uint8Array(),
          fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }),
          fc.maxSafeInteger(),
          fc.boolean(),
          async (texts, bytes, date, number, flag) => {
            const values = [
              texts,
              bytes,
              date,
              number,
              flag,
              null,
              [
                [1, 2],
                [3, null],
              ],
              [Buffer.from(bytes)],
            ];
            const row = await one(
              client,
              `select $1::text[], $2::bytea, $3::timestamptz, ($4::bigint)::float8, $5::bool, $6::text, $7::int[], $8::bytea[]`,
              values,
            );
            expect(row).toEqual(values.map((value) => (value === bytes ? Buffer.from(bytes) : value)));
          },
        ),
        { numRuns: 200 },
      ),
    ));
});

describe('a transaction', () => {
  const team = '00000000-0000-7000-8000-000000000000';

  /** A transaction on a connection of its own. */
  const inTransaction = (
    action: (transaction: TransactionConnection, client: pg.Client) => Promise<void>,
    teamId?: string,
  ): Promise<void> =>
    connected((client) => {
      // A client of a pool has this method too.
      const pooled = Object.assign(client, { release: () => {} });
      return action(new TransactionConnection(pooled, entryOf(teamId)), client);
    });

  /** The same, which has begun. */
  const afterBegin: typeof inTransaction = (action, teamId) =>
    inTransaction(async (transaction, client) => {
      await transaction.query({ text: 'BEGIN' });
      await action(transaction, client);
    }, teamId);

  it('of a team that does not begin with BEGIN is refused, because it would see the rows of all teams', () =>
    inTransaction(async (transaction) => {
      await expect(transaction.query({ text: 'select 1' })).rejects.toThrow('another statement than BEGIN');
      await expect(transaction.query({ text: 'begin isolation level serializable' })).rejects.toThrow('than BEGIN');
    }, team));

  it.each(['COMMIT', 'ROLLBACK', 'release'])('sends nothing after %s, also if nothing was sent before', (end) =>
    afterBegin(async (transaction, client) => {
      const never = end === 'COMMIT' ? undefined : transaction.queryLater({ text: 'select 1' });
      if (end === 'release') transaction.release();
      else await transaction.query({ text: end });
      await expect(transaction.query({ text: 'select 1' })).rejects.toThrow('the transaction is over');
      expect(() => transaction.queryLater({ text: 'select 1' })).toThrow('the transaction is over');
      await expect(never?.() ?? Promise.reject(new Error('the transaction is over'))).rejects.toThrow(
        /over|rolled back/,
      );
      const { rows } = await client.query('select now() = statement_timestamp() as "isAlone"');
      expect(rows).toEqual([{ isAlone: true }]);
    }, team),
  );

  it('still begins with BEGIN, role and team after a value that can’t be sent', () =>
    afterBegin(async (transaction) => {
      const bad = { text: 'select $1', values: [new Date(Number.NaN)] };
      await expect(transaction.query(bad)).rejects.toThrow('Invalid time value');
      expect(() => transaction.queryLater(bad)).toThrow('Invalid time value');
      const { rows } = await transaction.query({ text: `select current_setting('app.tenant') as team` });
      expect(rows).toEqual([{ team }]);
    }, team));

  it('runs statements that are sent at the same time one after the other', () =>
    afterBegin(async (transaction) => {
      const texts = ['select 1 as n', 'select 2 as n', 'select 1 / 0', 'select 3 as n'];
      const answers = await Promise.allSettled(texts.map((text) => transaction.query({ text })));
      const seen = answers.map((one) => (one.status === 'fulfilled' ? one.value.rows : String(one.reason)));
      expect(seen.slice(0, 2)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
      expect(seen[2]).toContain('division by zero');
      expect(seen[3]).toContain('current transaction is aborted');
    }));

  it('that failed is not reported as committed', () =>
    afterBegin(async (transaction) => {
      await expect(transaction.query({ text: 'select 1 / 0' })).rejects.toThrow('division by zero');
      await expect(transaction.query({ text: 'COMMIT' })).rejects.toThrow('was to be committed');
    }));

  it('sends what was deferred with its next statement, or when its answer is asked for, and refuses it after a rollback', () =>
    afterBegin(async (transaction) => {
      const answerLater = transaction.queryLater({ text: 'select 1 as deferred' });
      await transaction.query({ text: 'select 2' });
      expect((await answerLater()).rows).toEqual([{ deferred: 1 }]);

      transaction.queryLater({ text: 'create temporary table made on commit drop as select 2 as made' });
      const asked = transaction.queryLater({ text: 'select made from made' });
      const after = transaction.queryLater({ text: 'select made + 1 as made from made' });
      expect((await asked()).rows).toEqual([{ made: 2 }]);
      expect((await after()).rows).toEqual([{ made: 3 }]);

      const never = transaction.queryLater({ text: 'select 3' });
      await transaction.query({ text: 'ROLLBACK' });
      await expect(never()).rejects.toThrow('rolled back');
    }));

  it('with a savepoint undoes what was sent since, and what was not sent yet', () =>
    afterBegin(async (transaction) => {
      await transaction.query({ text: 'create temporary table kept on commit drop as select 1 as n' });
      const undo = transaction.savepoint();
      await transaction.query({ text: 'insert into kept values (2)' });
      const never = transaction.queryLater({ text: 'select 1 / 0' });
      await undo();
      await expect(never()).rejects.toThrow('rolled back');
      expect((await transaction.query({ text: 'select n from kept' })).rows).toEqual([{ n: 1 }]);
    }));

  it('with a savepoint that was never set, because a statement before it failed, says what failed', () =>
    afterBegin(async (transaction) => {
      transaction.queryLater({ text: 'select 1 / 0' });
      const undo = transaction.savepoint();
      await expect(transaction.query({ text: 'select 1' })).rejects.toThrow('division by zero');
      await expect(undo()).rejects.toThrow('division by zero');
    }));

  it('whose statement failed takes the next one at once', () =>
    afterBegin(async (transaction, client) => {
      await expect(transaction.query({ text: 'select 1 / 0' })).rejects.toThrow('division by zero');
      expect(client.getTransactionStatus()).toBe('E');
      await transaction.query({ text: 'ROLLBACK' });
      expect(client.getTransactionStatus()).toBe('I');
    }));

  it('keeps back a write whose answer nobody needs, until its next statement or COMMIT', () =>
    afterBegin(async (transaction, client) => {
      await client.query('create temporary table written (n int)');
      const sent = vi.spyOn(client, 'query');
      const write = (n: number) =>
        transaction.writeLater(() => transaction.query({ text: `INSERT INTO written VALUES (${n})` }));
      await write(1);
      expect(sent).not.toHaveBeenCalled();
      expect((await transaction.query({ text: 'select n from written' })).rows).toEqual([{ n: 1 }]);
      await write(2);
      await transaction.query({ text: 'COMMIT' });
      expect(sent).toHaveBeenCalledTimes(2);
      expect((await client.query('select n from written')).rows).toEqual([{ n: 1 }, { n: 2 }]);
    }));

  it('whose write was kept back fails with the statement after it, and as a whole', () =>
    afterBegin(async (transaction, client) => {
      await client.query('create temporary table written (n int not null)');
      const write = (value: string) =>
        transaction.writeLater(() => transaction.query({ text: `INSERT INTO written VALUES (${value})` }));
      await write('1');
      await write('null');
      await expect(transaction.query({ text: 'COMMIT' })).rejects.toThrow(/null value .* by: INSERT INTO written/);
      await client.query('rollback');
      expect((await client.query('select n from written')).rows).toEqual([]);
    }));

  it('keeps back nothing that has an answer', () =>
    afterBegin(async (transaction) => {
      for (const text of ['SELECT 1', 'DELETE FROM "written" RETURNING "n"', 'WITH a AS (SELECT 1) SELECT * FROM a']) {
        await expect(transaction.writeLater(() => transaction.query({ text }))).rejects.toThrow('can’t be sent later');
      }
      expect((await transaction.query({ text: 'SELECT 1 AS n' })).rows).toEqual([{ n: 1 }]);
    }));

  it('sends the writes of a long loop in parts', () =>
    afterBegin(async (transaction, client) => {
      await client.query('create temporary table written (n int)');
      const sent = vi.spyOn(client, 'query');
      const trips: number[] = [];
      for (let n = 1; n <= 250; n += 1) {
        await transaction.writeLater(() => transaction.query({ text: `INSERT INTO written VALUES (${n})` }));
        trips.push(sent.mock.calls.length);
      }
      expect([trips[99], trips[100], trips[200], trips[201]]).toEqual([0, 1, 1, 2]);
      expect((await transaction.query({ text: 'select count(*)::int as n from written' })).rows).toEqual([{ n: 250 }]);
    }));

  it('with a savepoint that was not sent yet undoes only what came after it', () =>
    afterBegin(async (transaction) => {
      const before = transaction.queryLater({ text: 'select 1 as before' });
      const undo = transaction.savepoint();
      transaction.queryLater({ text: 'select 1 / 0' });
      await undo();
      expect((await before()).rows).toEqual([{ before: 1 }]);
    }));
});

describe('the columns of a prepared statement', () => {
  /** How often PostgreSQL is asked for columns while the action runs. */
  const descriptions = async (client: pg.Client, action: () => Promise<unknown>): Promise<number> => {
    const asked = vi.spyOn(client.connection, 'describe');
    await action();
    const count = asked.mock.calls.length;
    asked.mockRestore();
    return count;
  };

  /** Values of each type that the service stores or reads, as PostgreSQL reads them. */
  const anyText = fc.string({ unit: anyCharacter }).map((text) => text.replaceAll('\0', ''));
  const aTime = fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true });
  const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    uuid: fc.uuid(),
    text: anyText,
    'character varying': anyText,
    name: fc.string({ maxLength: 20 }),
    boolean: fc.boolean(),
    smallint: fc.integer({ min: -32_768, max: 32_767 }),
    integer: fc.integer(),
    bigint: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    'double precision': fc.double(),
    'timestamp with time zone': aTime,
    date: aTime,
    inet: fc.oneof(fc.ipV4(), fc.ipV6()),
    bytea: fc.uint8Array(),
    jsonb: fc.json(),
    json: fc.json(),
  };

  const typesInUse = async (client: pg.Client): Promise<string[]> => {
    const stored = await client.query<{ type: string }>(
      `select distinct format_type(coalesce(nullif(t.typelem, 0), t.oid), null) as type
         from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and t.typtype <> 'e'
          and not a.attisdropped and c.relname not like '\\_%'`,
    );
    const read = definedQueries().flatMap(({ row }) =>
      Object.values(row).flatMap(({ names, labels }) => (labels ? [] : names)),
    );
    const names = [...stored.rows.map(({ type }) => type), ...read];
    return [...new Set(names.map((name) => name.replace(/\[\]$/, '')))].filter((name) => name !== 'void').toSorted();
  };

  it('are read alike with and without a description, whatever their type', async () => {
    await connected(async (client) =>
      connected(async (other) => {
        const types = await typesInUse(client);
        expect(types.filter((type) => !(type in values))).toEqual([]);
        expect(types.length).toBeGreaterThan(10);
        const columns = [
          ...types.flatMap((type, at) => [`$${at + 1}::${type}`, `array[$${at + 1}::${type}, null]`]),
          `(enum_range(null::plan))[1 + abs($${types.length + 1}::int % 2)]`,
          'pg_sleep(0)',
        ];
        const text = `select ${columns.map((column, at) => `${column} as "c${at}"`).join(', ')}`;
        const generated = types.map((type) => fc.option(values[type] ?? fc.constant(null)));
        await fc.assert(
          fc.asyncProperty(fc.tuple(...generated, fc.integer()), async (row) => {
            const sent = row.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
            for (const how of [{}, { rowMode: 'array' }, { types: isoTimes }, { types: isoTimes, rowMode: 'array' }]) {
              const statement = { text, values: sent, ...how };
              const [without] = await sendTogether(client, [{ ...statement, name: 'every_type' }]);
              const [described] = await sendTogether(other, [statement]);
              expect(without?.rows).toStrictEqual(described?.rows);
              expect(without?.fields).toStrictEqual(described?.fields);
            }
          }),
          { numRuns: 100 },
        );
        const again = { name: 'every_type', text, values: [...types.map(() => null), 1] };
        expect(await descriptions(client, () => sendTogether(client, [again]))).toBe(0);
      }),
    );
  });

  it('are asked for once, also by a statement that returns no rows', () =>
    connected(async (client) => {
      await client.query('create temporary table seen (at int)');
      const statements: Statement[] = [
        { name: 'read', text: 'select 1 as n' },
        { name: 'write', text: 'insert into seen values (1)' },
        { text: 'select 2 as n' },
      ];
      const send = () => sendTogether(client, statements);
      expect(await descriptions(client, send)).toBe(3);
      expect(await descriptions(client, send)).toBe(1);
      expect(await send()).toMatchObject([{ rows: [{ n: 1 }] }, { rows: [], rowCount: 1 }, { rows: [{ n: 2 }] }]);
    }));

  it('are asked for by each connection', async () => {
    const statement: Statement = { name: 'read', text: 'select 1 as n' };
    for (let connection = 0; connection < 2; connection += 1) {
      await connected(async (client) =>
        expect(await descriptions(client, () => sendTogether(client, [statement]))).toBe(1),
      );
    }
  });

  it('of a limited number of statements are kept', () =>
    connected(async (client) => {
      const send = (from: number, to: number) =>
        sendTogether(
          client,
          Array.from({ length: to - from }, (_, at) => ({ name: `s${from + at}`, text: 'select 1 as n' })),
        );
      for (let at = 0; at < 1_200; at += 100) await send(at, at + 100);
      expect(await descriptions(client, () => send(0, 1_000))).toBe(0);
      expect(await descriptions(client, () => send(1_000, 1_200))).toBe(200);
    }));

  it('are asked for again after a migration has changed them, once PostgreSQL has refused the statement', () =>
    connected(async (client) => {
      const statement: Statement = { name: 'all_columns', text: 'select * from changed' };
      await client.query('create temporary table changed as select 1 as a');
      for (let use = 0; use < 2; use += 1) {
        expect((await answerTo(client, [statement]))?.rows).toEqual([{ a: 1 }]);
      }
      await client.query('alter table changed alter column a type text, add column b timestamptz');
      await expect(sendTogether(client, [statement])).rejects.toMatchObject({ code: '0A000' });
      for (let use = 0; use < 2; use += 1) {
        expect((await answerTo(client, [statement]))?.rows).toEqual([{ a: '1', b: null }]);
      }
    }));

  it('are asked for again after DISCARD ALL, once PostgreSQL has refused the statement', () =>
    connected(async (client) => {
      const statement: Statement = { name: 'a_value', text: 'select 1 as a' };
      await sendTogether(client, [statement]);
      await client.query('discard all');
      await expect(sendTogether(client, [statement])).rejects.toMatchObject({ code: '26000' });
      expect(await descriptions(client, () => sendTogether(client, [statement]))).toBe(1);
      expect((await answerTo(client, [statement]))?.rows).toEqual([{ a: 1 }]);
    }));

  it('are asked for each time behind a pooler, which prepares a statement anew', () =>
    connected(async (client) => {
      describeAlways(client.connection);
      const statement: Statement = { name: 'all_columns', text: 'select * from changed' };
      await client.query('create temporary table changed as select 1 as a');
      await sendTogether(client, [statement]);
      await client.query('deallocate all_columns');
      await client.query('alter table changed alter column a type text, add column b int');
      await client.query('prepare all_columns as select * from changed');
      expect((await answerTo(client, [statement]))?.rows).toEqual([{ a: '1', b: null }]);
    }));
});

it('a busy pool is not taken for a database that accepts no writes', async () => {
  const connections = new PlainConnections(databaseUrl, { poolSize: 1 });
  const busy = await connections.connect();
  expect(await connections.acceptWrites()).toBe(true);
  busy.release();
  await connections.end();
});

it('a connection that is idle for longer than a statement may be silent stays open', async () => {
  const lost: Error[] = [];
  const silenceMs = 100;
  const connections = new PlainConnections(databaseUrl, {
    poolSize: 1,
    silenceMs,
    onLostConnection: (error) => lost.push(error),
  });
  const pid = async () => (await connections.query({ text: 'select pg_backend_pid() as pid' })).rows;
  const before = await pid();
  await connected((client) => client.query('select pg_sleep($1)', [(5 * silenceMs) / 1000]));
  expect(await pid()).toEqual(before);
  expect(lost).toEqual([]);
  await expect(connections.query({ text: 'select pg_sleep(5)' })).rejects.toThrow('went silent');
  await connections.end();
});
