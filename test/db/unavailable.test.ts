import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { PlainConnections, type Connections } from '../../src/db/connections.ts';
import {
  isUnavailable,
  isUnreachable,
  mayRepeat,
  NoConnection,
  NoConnectionOfShare,
  problemOf,
  repeatUntilReached,
} from '../../src/db/unavailable.ts';
import { useTestService } from '../support/service.ts';

const { databaseUrl } = await useTestService();

const refused = (code: string) => Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code });
/** As Prisma wraps the error of its adapter. */
const wrapped = (code: string) => new Error('a query failed', { cause: { driverAdapterError: refused(code) } });

describe('an error of the database', () => {
  it.each([
    ['the server stops', '57P01', { unreachable: true, repeated: true, unavailable: true }],
    ['its transaction stood still', '25P03', { unreachable: true, repeated: true, unavailable: true }],
    ['it has no connection left', '53300', { unreachable: true, repeated: true, unavailable: true }],
    ['it is a standby', '25006', { unreachable: true, repeated: true, unavailable: true }],
    ['two transactions waited for each other', '40P01', { unreachable: false, repeated: true, unavailable: true }],
    ['a lock was held for too long', '55P03', { unreachable: false, repeated: true, unavailable: true }],
    ['the statement took too long', '57014', { unreachable: false, repeated: false, unavailable: true }],
    ['a key is there already', '23505', { unreachable: false, repeated: false, unavailable: false }],
  ])('%s', (_what, code, expected) => {
    for (const error of [refused(code), wrapped(code)]) {
      const seen = { unreachable: isUnreachable(error), repeated: mayRepeat(error), unavailable: isUnavailable(error) };
      expect(seen).toEqual(expected);
    }
  });

  it.each([
    ['no connection was free', new NoConnection(), 'unavailable'],
    ['none of the team’s share was free', new NoConnectionOfShare(7), 'rate_limited'],
  ])('%s: a job waits for both alike, a request is answered by its cause', (_what, error, code) => {
    for (const one of [error, new Error('a query failed', { cause: error })]) {
      expect([isUnreachable(one), mayRepeat(one), isUnavailable(one)]).toEqual([true, true, true]);
      expect(problemOf(one)).toMatchObject({ code, members: code === 'rate_limited' ? { retry_after: 7 } : {} });
    }
  });

  it('is no reason to repeat a statement that took too long: it would block what waits behind it', async () => {
    let tries = 0;
    const action = () => {
      tries += 1;
      return Promise.reject(refused('57014'));
    };
    await expect(repeatUntilReached(action, () => true)).rejects.toMatchObject({ code: '57014' });
    expect(tries).toBe(1);
  });
});

describe('a connection', () => {
  const withConnection = async (action: (connections: Connections) => Promise<void>) => {
    const connections = new PlainConnections(databaseUrl, { poolSize: 1 });
    try {
      await action(connections);
    } finally {
      await connections.end();
    }
  };
  const processOf = async (connections: Connections): Promise<unknown> =>
    (await connections.query({ text: 'select pg_backend_pid()', rowMode: 'array' })).rows[0];
  const fail = (state: string) => ({ text: `do $$ begin raise 'refused' using errcode = '${state}'; end $$` });

  it('stays open when PostgreSQL has refused a statement because of others', () =>
    withConnection(async (connections) => {
      const before = await processOf(connections);
      for (const state of ['55P03', '40P01', '40001', '57014'])
        await expect(connections.query(fail(state))).rejects.toMatchObject({ code: state });
      expect(await processOf(connections)).toEqual(before);
    }));

  it('is closed when the server says that it stops', () =>
    withConnection(async (connections) => {
      const before = await processOf(connections);
      await expect(connections.query(fail('57P01'))).rejects.toMatchObject({ code: '57P01' });
      expect(await processOf(connections)).not.toEqual(before);
    }));

  it('is closed when it is given back in the middle of a transaction, so that nobody else gets into it', () =>
    withConnection(async (connections) => {
      const before = await processOf(connections);
      const transaction = await connections.connect();
      await transaction.query({ text: 'BEGIN' });
      await transaction.query({ text: 'select 1' });
      transaction.release();
      expect(await processOf(connections)).not.toEqual(before);
    }));
});
