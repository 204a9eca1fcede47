import { lookup, Resolver } from 'node:dns/promises';
import { TtlMap } from '../core/ttl-map.ts';
import { Failure, inSeconds } from './failure.ts';
import { lookUpThreads } from './look-up-threads.ts';
import { LookUpQueue } from './look-up-queue.ts';
import type { Place } from './look-up-queue.ts';

/**
 * The state of a name, from its last look-ups.
 *
 *   new ──answered promptly──▶ known
 *    │ ▲                         │
 *    │ └── failed promptly, or not looked up for an hour
 *    │ slow or silent            │ slow or silent
 *    └────────▶ slow ◀───────────┘
 *
 * It stays slow for a while even if it answers. Otherwise a name that is silent every other time would always count as known.
 */
export type Reputation = 'known' | 'new' | 'slow';

export interface TrackRecord {
  of(name: string): Reputation;
  /** The last look-up took too long a moment ago, so another one would wait as well. */
  isSilent(name: string): boolean;
  /** A look-up has been running for so long that no other caller should wait for it. */
  isLate(name: string): void;
  answered(name: string, ms: number): void;
  failed(name: string, ms: number): void;
}

export interface Patience {
  /** A look-up that takes longer is slow or, if it then fails, silent. */
  promptMs: number;
  silentForMs: number;
}

const knownForMs = 60 * 60_000;
const slowForMs = 5 * 60_000;
const mostNames = 10_000;

export const makeTrackRecord = ({ promptMs, silentForMs }: Patience): TrackRecord => {
  // A separate map for each, so that any number of silent names removes no known one.
  const known = new TtlMap<true>({ capacity: mostNames, ttlMs: knownForMs });
  const slow = new TtlMap<true>({ capacity: mostNames, ttlMs: slowForMs });
  const silent = new TtlMap<true>({ capacity: mostNames, ttlMs: silentForMs });

  const tookLong = (name: string): void => {
    known.delete(name);
    slow.set(name, true);
  };
  const isLate = (name: string): void => {
    tookLong(name);
    silent.set(name, true);
  };

  return {
    of: (name) => {
      if (slow.has(name)) return 'slow';
      return known.has(name) ? 'known' : 'new';
    },
    isSilent: (name) => silent.has(name),
    isLate,
    answered: (name, ms) => {
      silent.delete(name);
      if (ms > promptMs) tookLong(name);
      else known.set(name, true);
    },
    failed: (name, ms) => {
      if (ms > promptMs) isLate(name);
      else known.delete(name);
    },
  };
};

/** Returns all addresses of a name. Fails if there are none, or if the look-up fails. */
export type Ask = (host: string) => Promise<readonly string[]>;

const notFound = () => new Failure('The host name can’t be found in the DNS.');
const lookUpFailed = () => new Failure('The look-up of the host name in the DNS failed.');

const codesOfNothing = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME']);

const saysNothing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && codesOfNothing.has(error.code);

export const askSystem: Ask = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' }).catch((error: unknown) => {
    throw saysNothing(error) ? notFound() : lookUpFailed();
  });
  return found.map(({ address }) => address);
};

const mostAliases = 8;

/** This name has fixed addresses, so no server is queried. */
const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/**
 * Queries servers for the addresses of both families. If one family has no answer, the other's addresses count: only these can be connected
 * to. It waits for both, so that all addresses are checked.
 */
export const askServers = (resolver: Resolver): Ask => {
  const ask = async (host: string, aliasesLeft: number): Promise<readonly string[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    if (answers.some((answer) => answer.status === 'rejected' && !saysNothing(answer.reason))) throw lookUpFailed();
    // A server that does not follow an alias itself leaves this to its client.
    const [alias] = aliasesLeft > 0 ? await resolver.resolveCname(host).catch(() => []) : [];
    if (alias === undefined) throw notFound();
    return ask(alias, aliasesLeft - 1);
  };
  return async (host) => (isLocalhost(host) ? ['127.0.0.1', '::1'] : ask(host, mostAliases));
};

interface LookUpOptions {
  /** How long an answer is cached. */
  readonly keepMs: number;
  /** How long the caller waits for the look-up to begin. */
  readonly waitMs: number;
  /** The team for which the name is looked up: teams share the places. Without it, the look-up takes any free place. */
  readonly group?: string | undefined;
}

/** Looks up the addresses of names. Fails if there are none, or if the look-up fails. */
export interface Names {
  /** Callers share a running look-up, and its answer while that is cached. */
  lookUp(host: string, options: LookUpOptions): Promise<readonly string[]>;
  close(): void;
}

export interface NamesSettings {
  /** DNS servers to use instead of the system's resolver. */
  servers?: readonly string[] | undefined;
  /** Replaces the system's resolver. */
  ask?: Ask | undefined;
  /** How many look-ups may run at once. */
  places?: Places | undefined;
  patience?: NamesPatience | undefined;
}

interface NamesPatience extends Patience {
  /** After this time no further caller waits for the running look-up. */
  lateMs: number;
}

type Places = Readonly<Record<Reputation, number>>;

const unbounded: Places = { known: Infinity, new: Infinity, slow: Infinity };

/**
 * The system's resolver occupies a thread while a name server is silent. An eighth of the threads is reserved for the service's own names:
 * its database, its mail server, its proxy.
 */
const placesOfSystem = (): Places => {
  const part = (share: number) => Math.max(1, Math.floor(lookUpThreads * share));
  return { known: part(1 / 2), new: part(1 / 4), slow: part(1 / 8) };
};

/** If a packet was lost, resolvers usually repeat the query after five seconds. Such a look-up does not count as late. */
const usualPatience: NamesPatience = { promptMs: 1_000, lateMs: 6_000, silentForMs: 30_000 };

const mostKept = 1_000;

/** The look-up did not begin, because look-ups of other names took too long. The name itself may be fine. */
class NeverBegan extends Failure {
  override readonly name = 'NeverBegan';

  constructor() {
    super('The look-up of the host name could not begin in time: those of other names took too long.', 'service');
  }
}

interface LookUp {
  readonly addresses: Promise<readonly string[]>;
  readonly place: Place;
  until: number;
}

/**
 * Silent names must not delay others. So a name never has more than one running look-up, even a failed one is cached for a moment, and
 * known names have places that other names never take.
 */
export const openNames = ({ servers, ask: askInstead, places: given, patience }: NamesSettings = {}): Names => {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (servers) resolver.setServers(servers);
  const ask = askInstead ?? (servers ? askServers(resolver) : askSystem);
  // Querying servers directly uses no threads.
  const places = given ?? (servers && !askInstead ? unbounded : placesOfSystem());
  const queues = {
    known: new LookUpQueue(places.known),
    new: new LookUpQueue(places.new),
    slow: new LookUpQueue(places.slow),
  };
  const { lateMs, ...times } = patience ?? usualPatience;
  const record = makeTrackRecord(times);
  const lookUps = new Map<string, LookUp>();

  const silent = () =>
    new Failure(
      `The last look-up of the host name took too long: for ${inSeconds(times.silentForMs)} there is no other.`,
    );

  const begin = async (host: string): Promise<readonly string[]> => {
    const start = performance.now();
    const late = setTimeout(() => record.isLate(host), lateMs);
    try {
      const addresses = await ask(host);
      record.answered(host, performance.now() - start);
      return addresses;
    } catch (error) {
      record.failed(host, performance.now() - start);
      throw error;
    } finally {
      clearTimeout(late);
    }
  };

  const inPlace = async (
    host: string,
    queue: LookUpQueue,
    place: Place,
    group: string | undefined,
  ): Promise<readonly string[]> => {
    if (!(await place.granted)) throw new NeverBegan();
    try {
      return await begin(host);
    } finally {
      queue.leave(group);
    }
  };

  const forgetOld = () => {
    if (lookUps.size <= mostKept) return;
    const now = performance.now();
    for (const [host, { until }] of lookUps) if (until <= now) lookUps.delete(host);
  };

  const start = (host: string, { keepMs, waitMs, group }: LookUpOptions): LookUp => {
    const queue = queues[record.of(host)];
    const place = queue.enter(waitMs, group);
    const lookUp: LookUp = { addresses: inPlace(host, queue, place, group), place, until: Infinity };
    const keepFor = (ms: number) => {
      lookUp.until = performance.now() + ms;
      forgetOld();
    };
    lookUp.addresses.then(
      () => keepFor(keepMs),
      (error: unknown) => keepFor(error instanceof NeverBegan ? 0 : keepMs),
    );
    lookUps.set(host, lookUp);
    return lookUp;
  };

  return {
    lookUp: async (host, options) => {
      if (record.isSilent(host)) throw silent();
      const shared = lookUps.get(host);
      if (shared === undefined || performance.now() >= shared.until) return start(host, options).addresses;
      shared.place.waitFor(options.waitMs);
      return shared.addresses;
    },
    close: () => {
      resolver.cancel();
      for (const queue of Object.values(queues)) queue.close();
    },
  };
};
