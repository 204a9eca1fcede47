import { limits as apiLimits } from '../core/limits.ts';
import type { Connection } from './connections.ts';

const kib = 1024;
const mib = 1024 * kib;

/** What clients may make the server hold for them: answers that they don't take, bodies that they don't finish. */
export interface HeldLimits {
  /** A client that leaves more than this unread has to keep up a minimum speed. Less fits into the system's own buffers. */
  readonly unreadBytes: number;
  /**
   * The minimum speed: a third of a line with 400 kbit/s. On average over `overSeconds`, since the system takes what it sends
   * in steps of up to 1.4 MB (seen on loopback), for which such a line needs 28 seconds.
   */
  readonly bytesPerSecond: number;
  readonly overSeconds: number;
  /** For all connections of one address; for the whole process. Far above what honest clients leave for longer than a moment. */
  readonly perAddress: number;
  readonly all: number;
  /** Milliseconds between two looks. */
  readonly every: number;
}

export const usualHeldLimits: HeldLimits = {
  unreadBytes: 64 * kib,
  bytesPerSecond: 16 * kib,
  overSeconds: 30,
  perAddress: 32 * mib,
  all: 64 * mib,
  every: 500,
};

export type CutReason = 'slow_reader' | 'held_by_address' | 'held_by_all';

/** A connection as the guard sees it: bytes held for it now, and bytes that it has taken or sent since it was opened. */
export interface Load {
  readonly unread: number;
  readonly arriving: number;
  readonly moved: number;
}

interface Watched {
  readonly connection: Connection;
  held: number;
  /** Since when something is held without a break, and what had been moved by then. */
  readonly since: number;
  readonly movedBefore: number;
  /** What had been moved at each look since which too much is unread, oldest first. */
  slow: { at: number; moved: number }[];
  perSecond: number;
}

interface Options {
  limits: HeldLimits;
  loadOf: (connection: Connection) => Load | undefined;
  cut: (connection: Connection, reason: CutReason) => void;
}

/** Connections that have held something for less than this are cut only when twice the limit is held, in milliseconds. */
const spared = 1_000;

/**
 * Looks at what every connection holds and cuts those that hold too much for too long. Called again and again; `now` in
 * milliseconds. Nothing is done for a request itself, so fast clients cost nothing.
 */
export const guardBacklog = ({ limits, loadOf, cut }: Options) => {
  const watched = new Map<Connection, Watched>();

  const look = (connection: Connection, now: number): Watched | undefined => {
    const load = loadOf(connection);
    if (!load) {
      watched.delete(connection);
      return undefined;
    }
    const entry: Watched = watched.get(connection) ?? {
      connection,
      held: 0,
      since: now,
      movedBefore: load.moved,
      slow: [],
      perSecond: 0,
    };
    watched.set(connection, entry);
    entry.held = load.unread + load.arriving;
    entry.perSecond = (load.moved - entry.movedBefore) / Math.max(0.001, (now - entry.since) / 1000);
    if (load.unread <= limits.unreadBytes) entry.slow = [];
    else entry.slow.push({ at: now, moved: load.moved });
    return entry;
  };

  /** Whether the last `overSeconds` were too slow; looks further back are forgotten. */
  const isTooSlow = ({ slow }: Watched, now: number): boolean => {
    const begin = now - limits.overSeconds * 1000;
    const last = slow.at(-1);
    const first = slow.findLast(({ at }) => at <= begin);
    if (!first || !last) return false;
    slow.splice(0, slow.indexOf(first));
    return last.moved - first.moved < limits.bytesPerSecond * ((last.at - first.at) / 1000);
  };

  /** Cuts the slowest until the rest holds no more than it may; what has just begun only where far too much is held. */
  const reduce = (entries: Watched[], most: number, reason: CutReason, now: number): Watched[] => {
    let sum = entries.reduce((total, { held }) => total + held, 0);
    if (sum <= most) return entries;
    const left = new Set(entries);
    const slowestFirst = entries.toSorted((a, b) => a.perSecond - b.perSecond || b.held - a.held);
    const reduceTo = (goal: number, candidates: Watched[]) => {
      for (const entry of candidates) {
        if (sum <= goal) return;
        if (!left.delete(entry)) continue;
        sum -= entry.held;
        watched.delete(entry.connection);
        cut(entry.connection, reason);
      }
    };
    reduceTo(
      most,
      slowestFirst.filter(({ since }) => now - since >= spared),
    );
    reduceTo(2 * most, slowestFirst);
    return [...left];
  };

  return (connections: Iterable<Connection>, now: number): void => {
    const before = new Set(watched.keys());
    let entries: Watched[] = [];
    for (const connection of connections) {
      before.delete(connection);
      const entry = look(connection, now);
      if (entry) entries.push(entry);
    }
    for (const gone of before) watched.delete(gone);

    entries = entries.filter((entry) => {
      if (!isTooSlow(entry, now)) return true;
      watched.delete(entry.connection);
      cut(entry.connection, 'slow_reader');
      return false;
    });

    const byNetwork = Map.groupBy(entries, ({ connection }) => connection.network);
    entries = [...byNetwork].flatMap(([network, ofNetwork]) =>
      network === undefined ? ofNetwork : reduce(ofNetwork, limits.perAddress, 'held_by_address', now),
    );
    reduce(entries, limits.all, 'held_by_all', now);
  };
};

/**
 * What a connection holds, undefined for nothing. `moved` has to grow while the client reads a single large answer, which Node's
 * public counters don't show: they count it as written at once. The handle's queue is what the system has not taken of it; a
 * Node that does not have it any more would only make the guard coarser.
 */
export const loadOf = ({ socket, running, last, readBefore }: Connection): Load | undefined => {
  let unread = socket.writableLength;
  for (const response of running) unread += response.writableLength - (response.socket?.writableLength ?? 0);
  // Of a body that is too large, nothing is kept.
  const arriving = last && !last.request.complete ? Math.min(apiLimits.bodyBytes, socket.bytesRead - readBefore) : 0;
  if (unread === 0 && arriving === 0) return undefined;
  const handle: unknown = Reflect.get(socket, '_handle');
  const number = (name: string) => {
    const value: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, name) : undefined;
    return typeof value === 'number' ? value : 0;
  };
  const taken = number('bytesWritten') - number('writeQueueSize');
  return { unread, arriving, moved: taken + socket.bytesRead };
};
