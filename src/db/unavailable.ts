/**
 * SQLSTATE classes and codes that say "not now": connection lost or refused, out of connections, memory or time, server
 * stopping, read-only, and another transaction in the way.
 */
const passing = /^(08...|28...|3D000|40001|40P01|53...|55P03|57014|57P0[1-5]|25006|58030)$/;
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
]);
const prismaCodes = new Set(['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);
/** What Prisma's adapter makes of a lost connection; of the code that said so it keeps nothing. */
const adapterKinds = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
  'TransactionWriteConflict',
]);
const clientMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client has encountered a connection error/;

const codesOf = (error: object): string[] =>
  ['code', 'originalCode', 'errno'].flatMap((key) => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === 'string' ? [value] : [];
  });

/** A socket that isn't there; without the call it would be any file that is missing, which is a bug. */
const isMissingSocket = (error: object): boolean =>
  Reflect.get(error, 'code') === 'ENOENT' && Reflect.get(error, 'syscall') === 'connect';

const isPassing = (error: object): boolean =>
  isMissingSocket(error) ||
  adapterKinds.has(String(Reflect.get(error, 'kind'))) ||
  codesOf(error).some((code) => passing.test(code) || socketCodes.has(code) || prismaCodes.has(code)) ||
  (error instanceof Error && clientMessages.test(error.message));

/** Whether a statement waited for a lock for as long as it may. */
export const isLockTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && codesOf(error).includes('55P03');

/** Whether the database could not be asked, as opposed to having answered. Looks through what libraries wrap around it. */
export const isUnavailable = (error: unknown, depth = 0): boolean => {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  if (isPassing(error)) return true;
  if (error instanceof AggregateError && error.errors.some((inner) => isUnavailable(inner, depth + 1))) return true;
  return ['cause', 'meta', 'driverAdapterError'].some((key) => isUnavailable(Reflect.get(error, key), depth + 1));
};
