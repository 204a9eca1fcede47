import type { IncomingMessage } from 'node:http';
import { bodyBytesKept } from './bodies.ts';
import { waitsForClient } from './connections.ts';
import type { Connection } from './connections.ts';

const kib = 1024;
const mib = 1024 * kib;

/** Limits of the memory that the server holds for clients: their requests, unread answers, and unfinished bodies. */
export interface HeldLimits {
  /** A client with more unread bytes than this must keep up the minimum speed. Smaller amounts fit into the system's buffers. */
  readonly unreadBytes: number;
  /** An unread answer may take this many seconds longer than its size at the minimum speed. */
  readonly unreadSeconds: number;
  /**
   * The minimum speed: a third of a line with 400 kbit/s. It is an average over `overSeconds`, because the system accepts data in steps of
   * up to 1.4 MB (measured on loopback), for which such a line needs 28 seconds.
   */
  readonly bytesPerSecond: number;
  readonly overSeconds: number;
  /** For all connections of one address; `all`: for the whole process. Normal clients exceed this for moments at most. */
  readonly perAddress: number;
  readonly all: number;
  /** When `all` is exceeded, an address may keep this much, unless that is not enough: the largest answer, and some more. */
  readonly share: number;
  /** Milliseconds between two checks. */
  readonly every: number;
}

export const usualHeldLimits: HeldLimits = {
  unreadBytes: 64 * kib,
  unreadSeconds: 60,
  bytesPerSecond: 16 * kib,
  overSeconds: 30,
  perAddress: 32 * mib,
  all: 64 * mib,
  share: 2.5 * mib,
  every: 500,
};

export type CutReason = 'slow_reader' | 'held_by_address' | 'held_by_all';

/** The load of a connection: bytes held for it now, and bytes that it has read or sent since it was opened. */
export interface Load {
  readonly unread: number;
  readonly arriving: number;
  /** Bytes of requests that are not answered. */
  readonly requests: number;
  readonly moved: number;
  /** False while the server works on the oldest request. */
  readonly waitsForClient: boolean;
}

interface Watched {
  readonly connection: Connection;
  held: number;
  /** The time since which the connection has held bytes without a break. */
  readonly begun: number;
  /** Whether any bytes are unread. */
  unread: boolean;
  /** The time since which the server has been waiting for the client without a break, and the value of `moved` at that time. */
  since: number;
  movedBefore: number;
  waits: boolean;
  /** The values of `moved` at the checks since too many bytes are unread, oldest first. */
  slow: { at: number; moved: number }[];
  moved: number;
  /** Infinite while the server works: such connections are cut last. */
  perSecond: number;
}

interface Options {
  limits: HeldLimits;
  loadOf: (connection: Connection) => Load | undefined;
  cut: (connection: Connection, reason: CutReason) => void;
}

/** Milliseconds. Connections that have held bytes for a shorter time are cut only if twice the limit is held. */
const spared = 1_000;

/**
 * Checks the load of every connection and cuts those that hold too much for too long. Called periodically; `now` in milliseconds. Returns
 * the connections that have been waiting for their clients, slowest first. There is no work per request, so fast clients cost nothing.
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
      begun: now,
      unread: false,
      since: now,
      movedBefore: load.moved,
      waits: false,
      slow: [],
      moved: load.moved,
      perSecond: 0,
    };
    watched.set(connection, entry);
    entry.held = load.unread + load.arriving + load.requests;
    entry.unread = load.unread > 0;
    entry.moved = load.moved;
    if (load.waitsForClient && entry.waits) {
      entry.perSecond = (load.moved - entry.movedBefore) / Math.max(0.001, (now - entry.since) / 1000);
    } else {
      entry.waits = load.waitsForClient;
      entry.since = now;
      entry.movedBefore = load.moved;
      entry.perSecond = load.waitsForClient ? 0 : Number.POSITIVE_INFINITY;
    }
    if (load.unread <= limits.unreadBytes) entry.slow = [];
    else entry.slow.push({ at: now, moved: load.moved });
    return entry;
  };

  /** Whether the client was too slow in the last `overSeconds`. Removes older checks. */
  const isTooSlow = ({ slow }: Watched, now: number): boolean => {
    const begin = now - limits.overSeconds * 1000;
    const last = slow.at(-1);
    const first = slow.findLast(({ at }) => at <= begin);
    if (!first || !last) return false;
    slow.splice(0, slow.indexOf(first));
    return last.moved - first.moved < limits.bytesPerSecond * ((last.at - first.at) / 1000);
  };

  /** Whether an answer has been waiting longer than the minimum speed allows, even if only a little of it is left. */
  const isOverdue = ({ unread, waits, since, moved, movedBefore }: Watched, now: number): boolean =>
    unread && waits && (now - since) / 1000 > limits.unreadSeconds + (moved - movedBefore) / limits.bytesPerSecond;

  const cutOne = (entry: Watched, reason: CutReason) => {
    watched.delete(entry.connection);
    cut(entry.connection, reason);
  };

  /** Cuts the slowest connections of one network until the rest is within its limit. New connections are cut only above twice the limit. */
  const reduceNetwork = (entries: Watched[], now: number): Watched[] => {
    let sum = heldBy(entries);
    if (sum <= limits.perAddress) return entries;
    const left = new Set(entries);
    const slowestFirst = entries.toSorted(bySpeed);
    const reduceTo = (goal: number, candidates: Watched[]) => {
      for (const entry of candidates) {
        if (sum <= goal) return;
        if (!left.delete(entry)) continue;
        sum -= entry.held;
        cutOne(entry, 'held_by_address');
      }
    };
    reduceTo(limits.perAddress, slowestFirst.filter(isOld(now)));
    reduceTo(2 * limits.perAddress, slowestFirst);
    return [...left];
  };

  /**
   * If all connections together hold too much, cuts some of them in three steps, so that many clients of one network never displace a
   * client of another network:
   *
   * 1. Networks that hold more than `share` lose connections, the network that holds most first, including connections on which the server
   * works. While there is such a network, no other one is cut. New connections are cut only above twice the limit.
   * 2. If that is not enough, many networks hold a little each. Connections that wait for their clients may keep half of the limit, however
   * much the other connections hold; above that, the slowest are cut.
   * 3. For the rest, connections on which the server works are cut, again from the network that holds most.
   */
  const reduceAll = (entries: Watched[], now: number): Watched[] => {
    let sum = heldBy(entries);
    if (sum <= limits.all) return entries;
    const left = new Set(entries);
    const remove = (entry: Watched) => {
      left.delete(entry);
      sum -= entry.held;
      cutOne(entry, 'held_by_all');
    };
    const cutInShares = (goal: number, above: number, mayBeCut: (entry: Watched) => boolean) => {
      if (sum <= goal) return;
      const shares = sharesOf([...left], mayBeCut).filter(({ held }) => held > above);
      for (;;) {
        const largest = largestShare(shares, above);
        const entry = largest?.rest.pop();
        if (!largest || !entry || sum <= goal) return;
        largest.held -= entry.held;
        remove(entry);
      }
    };
    const reduceTo = (goal: number, mayBeCut: (entry: Watched) => boolean) => {
      cutInShares(goal, limits.share, mayBeCut);
      if (sum <= goal || sharesOf([...left], () => false).some(({ held }) => held > limits.share)) return;
      const waiting = [...left].filter(({ waits }) => waits);
      let waitingSum = heldBy(waiting);
      for (const entry of waiting.filter(mayBeCut).toSorted(bySpeed)) {
        if (sum <= goal || waitingSum <= limits.all / 2) break;
        waitingSum -= entry.held;
        remove(entry);
      }
      cutInShares(goal, 0, (entry) => !entry.waits && mayBeCut(entry));
    };
    reduceTo(limits.all, isOld(now));
    reduceTo(2 * limits.all, () => true);
    return [...left];
  };

  return (connections: Iterable<Connection>, now: number): Connection[] => {
    const before = new Set(watched.keys());
    let entries: Watched[] = [];
    for (const connection of connections) {
      before.delete(connection);
      const entry = look(connection, now);
      if (entry) entries.push(entry);
    }
    for (const gone of before) watched.delete(gone);

    entries = entries.filter((entry) => {
      if (!isTooSlow(entry, now) && !isOverdue(entry, now)) return true;
      watched.delete(entry.connection);
      cut(entry.connection, 'slow_reader');
      return false;
    });

    const byNetwork = Map.groupBy(entries, ({ connection }) => connection.network);
    entries = [...byNetwork].flatMap(([network, ofNetwork]) =>
      network === undefined ? ofNetwork : reduceNetwork(ofNetwork, now),
    );
    return reduceAll(entries, now)
      .filter(({ waits, since }) => waits && now - since >= spared)
      .toSorted(bySpeed)
      .map(({ connection }) => connection);
  };
};

const heldBy = (entries: readonly Watched[]) => entries.reduce((sum, { held }) => sum + held, 0);

const isOld =
  (now: number) =>
  ({ begun }: Watched): boolean =>
    now - begun >= spared;

/** The bytes held for one network, and its connections that may be cut, in reverse order. */
interface Share {
  held: number;
  readonly rest: Watched[];
}

/** Each connection of a proxy is its own share. */
const sharesOf = (entries: readonly Watched[], mayBeCut: (entry: Watched) => boolean): Share[] =>
  [...Map.groupBy(entries, ({ connection }) => connection.network ?? connection).values()].map((members) => ({
    held: heldBy(members),
    rest: members.filter(mayBeCut).toSorted(bySpeed).toReversed(),
  }));

/** The share that holds the most; of equal ones, the one with the slowest connection. Undefined if no connection may be cut. */
const largestShare = (shares: readonly Share[], above: number): Share | undefined => {
  let largest: Share | undefined;
  for (const share of shares) {
    const next = share.rest.at(-1);
    const rival = largest?.rest.at(-1);
    if (!next || share.held <= above) continue;
    if (!largest || !rival || share.held > largest.held) largest = share;
    else if (share.held === largest.held && bySpeed(next, rival) < 0) largest = share;
  }
  return largest;
};

/** The slowest first; of equally slow ones, those that hold more. */
const bySpeed = (a: Watched, b: Watched): number =>
  a.perSecond === b.perSecond ? b.held - a.held : a.perSecond < b.perSecond ? -1 : 1;

/** Bytes that Node and the stations keep for a request in addition to its text, and for each string of its header. */
const keptFor = { request: 4 * kib, string: 32 };

const sizes = new WeakMap<IncomingMessage, number>();

/** The approximate memory of a request: a header of many short lines takes far more memory than bytes on the wire. */
const sizeOf = (request: IncomingMessage): number => {
  const known = sizes.get(request);
  if (known !== undefined) return known;
  const size = request.rawHeaders.reduce((sum, text) => sum + keptFor.string + text.length, keptFor.request);
  sizes.set(request, size);
  return size;
};

/**
 * The load of a connection; undefined if it holds nothing. `moved` must grow while the client reads one large answer, but Node's public
 * counters count the whole answer as written at once. So this reads the queue of the socket's handle: bytes that the system has not
 * accepted yet. If a future Node lacks it, the guard only becomes less exact.
 */
export const loadOf = (connection: Connection): Load | undefined => {
  const { socket, running, last } = connection;
  let unread = socket.writableLength;
  let requests = 0;
  for (const response of running) {
    unread += response.writableLength - (response.socket?.writableLength ?? 0);
    requests += sizeOf(response.req);
  }
  const arriving = last && !last.request.complete ? bodyBytesKept(last.request) : 0;
  if (unread === 0 && arriving === 0 && running.size === 0) return undefined;
  const handle: unknown = Reflect.get(socket, '_handle');
  const number = (name: string) => {
    const value: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, name) : undefined;
    return typeof value === 'number' ? value : 0;
  };
  const taken = number('bytesWritten') - number('writeQueueSize');
  return {
    unread,
    arriving,
    requests,
    moved: taken + socket.bytesRead,
    waitsForClient: waitsForClient(connection),
  };
};
