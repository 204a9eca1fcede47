import { lookup, Resolver } from 'node:dns/promises';
import { Failure, inSeconds } from './failure.ts';
import { lookUpThreads } from './look-up-threads.ts';
import { LookUpQueue } from './name-queue.ts';
import type { Turn } from './name-queue.ts';

/** Of which names something was true so lately. Where there are too many, the one noted longest ago is forgotten first. */
export class TtlSet {
  readonly #ms: number;
  readonly #most: number;
  /** Until when each counts, the one noted last at the end. */
  readonly #until = new Map<string, number>();

  constructor(ms: number, most: number) {
    this.#ms = ms;
    this.#most = most;
  }

  note(name: string): void {
    this.#until.delete(name);
    this.#until.set(name, performance.now() + this.#ms);
    const [oldest] = this.#until.keys();
    if (this.#until.size > this.#most && oldest !== undefined) this.#until.delete(oldest);
  }

  has(name: string): boolean {
    const until = this.#until.get(name);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#until.delete(name);
    return false;
  }

  forget(name: string): void {
    this.#until.delete(name);
  }
}

/**
 * What to expect of a name, as its look-ups went lately.
 *
 *   new ──answered promptly──▶ known
 *    │ ▲                         │
 *    │ └── failed promptly, or not looked up for an hour
 *    │ slow or silent            │ slow or silent
 *    └────────▶ slow ◀───────────┘
 *
 * It stays slow for a while even if it answers: else a name that is silent every other time would always count as known.
 */
export type Standing = 'known' | 'new' | 'slow';

export interface TrackRecord {
  of(name: string): Standing;
  /** It took too long a moment ago: asking again would only wait again. */
  isSilent(name: string): boolean;
  /** A look-up runs for so long that no other caller should wait for it. */
  isLate(name: string): void;
  answered(name: string, ms: number): void;
  failed(name: string, ms: number): void;
}

export interface Patience {
  /** A look-up that takes longer is slow, or if it then fails, silent. */
  promptMs: number;
  silentForMs: number;
}

const knownForMs = 60 * 60_000;
const slowForMs = 5 * 60_000;
const mostNames = 10_000;

export const makeTrackRecord = ({ promptMs, silentForMs }: Patience): TrackRecord => {
  // Each forgets for itself, so that however many silent names there are, they displace none that is known.
  const known = new TtlSet(knownForMs, mostNames);
  const slow = new TtlSet(slowForMs, mostNames);
  const silent = new TtlSet(silentForMs, mostNames);

  const tookLong = (name: string): void => {
    known.forget(name);
    slow.note(name);
  };
  const isLate = (name: string): void => {
    tookLong(name);
    silent.note(name);
  };

  return {
    of: (name) => {
      if (slow.has(name)) return 'slow';
      return known.has(name) ? 'known' : 'new';
    },
    isSilent: (name) => silent.has(name),
    isLate,
    answered: (name, ms) => {
      silent.forget(name);
      if (ms > promptMs) tookLong(name);
      else known.note(name);
    },
    failed: (name, ms) => {
      if (ms > promptMs) isLate(name);
      else known.forget(name);
    },
  };
};

/** Asks for all addresses of a name; fails where there are none, or they can't be found out. */
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

/** No server need know this name, and none may change it. */
const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/**
 * Asks servers for both families. One that has no answer does not spoil the other's, as only what is known gets connected to; but
 * both are waited for, so that none hides an address.
 */
export const askServers = (resolver: Resolver): Ask => {
  const ask = async (host: string, aliasesLeft: number): Promise<readonly string[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    if (answers.some((answer) => answer.status === 'rejected' && !saysNothing(answer.reason))) throw lookUpFailed();
    // A server that does not follow an alias itself leaves that to who asks.
    const [alias] = aliasesLeft > 0 ? await resolver.resolveCname(host).catch(() => []) : [];
    if (alias === undefined) throw notFound();
    return ask(alias, aliasesLeft - 1);
  };
  return async (host) => (isLocalhost(host) ? ['127.0.0.1', '::1'] : ask(host, mostAliases));
};

interface Wanted {
  /** An answer is kept for so long. */
  readonly keepMs: number;
  /** How long the caller has for the look-up to begin. */
  readonly waitMs: number;
  /** Whose look-up it is, a team's id: teams share the places for look-ups. Without it, it takes any that is free. */
  readonly group?: string | undefined;
}

/** Looks up the addresses of a name; fails where there are none, or they can't be found out. */
export interface Names {
  /** Callers share a look-up that runs, and its answer while that is kept. */
  lookUp(host: string, wanted: Wanted): Promise<readonly string[]>;
  close(): void;
}

export interface NamesSettings {
  /** DNS servers to ask instead of the system's resolver. */
  servers?: readonly string[] | undefined;
  /** Asked instead of the system's resolver. */
  ask?: Ask | undefined;
  /** How many look-ups may run at once. */
  lanes?: Lanes | undefined;
  patience?: NamesPatience | undefined;
}

interface NamesPatience extends Patience {
  /** From then on no other caller waits for a look-up that runs. */
  lateMs: number;
}

type Lanes = Readonly<Record<Standing, number>>;

const unbounded: Lanes = { known: Infinity, new: Infinity, slow: Infinity };

/**
 * The system's resolver takes a thread for as long as a name server is silent. An eighth of its threads is left to the service's own names: its database, its mail server, its proxy.
 */
const lanesOfSystem = (): Lanes => {
  const part = (share: number) => Math.max(1, Math.floor(lookUpThreads * share));
  return { known: part(1 / 2), new: part(1 / 4), slow: part(1 / 8) };
};

/** A resolver that lost a packet usually asks again after five seconds: that alone is not late yet. */
const usualPatience: NamesPatience = { promptMs: 1_000, lateMs: 6_000, silentForMs: 30_000 };

const mostKept = 1_000;

/** The others' silence says nothing of this name. */
class NeverBegan extends Failure {
  override readonly name = 'NeverBegan';

  constructor() {
    super('The look-up of the host name could not begin in time: those of other names took too long.', 'service');
  }
}

interface LookUp {
  readonly addresses: Promise<readonly string[]>;
  readonly turn: Turn;
  until: number;
}

/**
 * Silent names must not hold up the others. So one name never has more than one look-up running, even a failed one is kept for a
 * moment, and names that are known to answer have a lane that others never take from.
 */
export const openNames = ({ servers, ask: askInstead, lanes: given, patience }: NamesSettings = {}): Names => {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (servers) resolver.setServers(servers);
  const ask = askInstead ?? (servers ? askServers(resolver) : askSystem);
  // Servers are asked without threads.
  const sizes = given ?? (servers && !askInstead ? unbounded : lanesOfSystem());
  const lanes = {
    known: new LookUpQueue(sizes.known),
    new: new LookUpQueue(sizes.new),
    slow: new LookUpQueue(sizes.slow),
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

  const inLane = async (
    host: string,
    lane: LookUpQueue,
    turn: Turn,
    group: string | undefined,
  ): Promise<readonly string[]> => {
    if (!(await turn.come)) throw new NeverBegan();
    try {
      return await begin(host);
    } finally {
      lane.leave(group);
    }
  };

  const forgetOld = () => {
    if (lookUps.size <= mostKept) return;
    const now = performance.now();
    for (const [host, { until }] of lookUps) if (until <= now) lookUps.delete(host);
  };

  const start = (host: string, { keepMs, waitMs, group }: Wanted): LookUp => {
    const lane = lanes[record.of(host)];
    const turn = lane.enter(waitMs, group);
    const lookUp: LookUp = { addresses: inLane(host, lane, turn, group), turn, until: Infinity };
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
    lookUp: async (host, wanted) => {
      if (record.isSilent(host)) throw silent();
      const shared = lookUps.get(host);
      if (shared === undefined || performance.now() >= shared.until) return start(host, wanted).addresses;
      shared.turn.waitFor(wanted.waitMs);
      return shared.addresses;
    },
    close: () => {
      resolver.cancel();
      for (const lane of Object.values(lanes)) lane.close();
    },
  };
};
