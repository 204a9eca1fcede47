import { setTimeout as sleep } from 'node:timers/promises';
import { ownShareInUse } from '../core/own-share.ts';
import { Problem } from '../core/problem.ts';
import { sqlState } from './sqlstate.ts';

/** No connection was free in time. It has Prisma's code for a transaction that could not start in time. */
export class NoConnection extends Error {
  override readonly name: string = 'NoConnection';
  readonly code = 'P2028';

  constructor(message = 'no connection was free in time') {
    super(message);
  }
}

/**
 * No connection was free in time, because the team itself uses its whole share of the connections. Other teams may
 * still get theirs. A job waits as after any other `NoConnection`; a request gets another answer.
 */
export class NoConnectionOfShare extends NoConnection {
  override readonly name = 'NoConnectionOfShare';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('no connection of the team’s share was free in time');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * An error as a problem: a problem itself, `rate_limited` if the team's own share of the connections is in use,
 * `unavailable` if a repetition may succeed (`isUnavailable`), or else `internal`, which is a bug.
 */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  const ofShare = findError(error, (one) => one instanceof NoConnectionOfShare);
  if (ofShare instanceof NoConnectionOfShare) return ownShareInUse(ofShare.retryAfterSeconds);
  return new Problem(isUnavailable(error) ? 'unavailable' : 'internal');
};

// SQLSTATE classes and codes.

/** The connection was lost, refused or ended because its transaction stood still, or the server stops or has run out of connections, memory or disk. */
const unreachable = /^(08...|25P03|28...|3D000|53...|57P0[1-5]|58030)$/;
/** The statement was in conflict with another transaction, or waited too long for its locks. */
const conflicts = /^(40001|40P01|55P03|P2034)$/;
const socketCodes = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // The server's certificate is not accepted.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const prismaCodes = new Set(['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037']);
/** The errors into which Prisma's adapter turns a lost connection. They do not keep the original code. */
const adapterKinds = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
]);
const clientMessages =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|not queryable|Client has encountered a connection error/;

const codesOf = (error: object): string[] =>
  ['code', 'originalCode', 'errno'].flatMap((key) => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === 'string' ? [value] : [];
  });

/**
 * Whether the server refuses writes: it is a standby, or was made read-only. A standby also refuses to read UNLOGGED
 * tables, with a code that it uses for nothing else.
 */
export const isReadOnly = (error: object): boolean =>
  codesOf(error).some(
    (code) =>
      code === sqlState.readOnlyTransaction ||
      (code === sqlState.featureNotSupported &&
        String(Reflect.get(error, 'message')).includes('unlogged relations during recovery')),
  );

/** ENOENT of a socket. ENOENT of any other file is a bug. */
const isMissingSocket = (error: object): boolean =>
  Reflect.get(error, 'code') === 'ENOENT' && Reflect.get(error, 'syscall') === 'connect';

const saysUnreachable = (error: object): boolean =>
  isMissingSocket(error) ||
  isReadOnly(error) ||
  adapterKinds.has(String(Reflect.get(error, 'kind'))) ||
  codesOf(error).some((code) => unreachable.test(code) || socketCodes.has(code) || prismaCodes.has(code)) ||
  (error instanceof Error && clientMessages.test(error.message));

const saysConflict = (error: object): boolean =>
  Reflect.get(error, 'kind') === 'TransactionWriteConflict' || codesOf(error).some((code) => conflicts.test(code));

/** Whether a statement reached its time limit for waiting for a lock. */
export const isLockTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && codesOf(error).includes(sqlState.lockNotAvailable);

/** The first error that passes the test: this error, or one that libraries have wrapped in it. */
const findError = (error: unknown, test: (error: object) => boolean, depth = 0): object | undefined => {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined;
  if (test(error)) return error;
  const wrapped: unknown[] = ['cause', 'meta', 'driverAdapterError'].map((key): unknown => Reflect.get(error, key));
  if (error instanceof AggregateError) wrapped.push(...error.errors);
  for (const one of wrapped) {
    const found = findError(one, test, depth + 1);
    if (found) return found;
  }
  return undefined;
};

const says = (error: unknown, test: (error: object) => boolean): boolean => findError(error, test) !== undefined;

/** Whether no server that accepts writes could be reached. False if a server refused a statement for another reason. */
export const isUnreachable = (error: unknown): boolean => says(error, saysUnreachable);

/**
 * Whether it helps to repeat the statement: the database could not be reached, or another transaction was in the way.
 */
export const mayRepeat = (error: unknown): boolean => says(error, (one) => saysUnreachable(one) || saysConflict(one));

/**
 * Whether a request that got this error may succeed later. This includes a statement that took too long, because the
 * database may be busy.
 */
export const isUnavailable = (error: unknown): boolean =>
  mayRepeat(error) || says(error, (one) => codesOf(one).includes(sqlState.queryCanceled));

const tryAgainMs = 250;

/**
 * Repeats an action while the database can't be reached or other transactions are in the way, and `isWanted` returns
 * true. A statement that took too long is not repeated, because it would take as long again.
 */
export const repeatUntilReached = async <T>(action: () => Promise<T>, isWanted: () => boolean): Promise<T> => {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!mayRepeat(error) || !isWanted()) throw error;
      await sleep(tryAgainMs);
    }
  }
};
