import { Resolver } from 'node:dns/promises';
import { Failure, inSeconds } from './failure.ts';
import { Lane } from './lane.ts';
import type { Turn } from './lane.ts';
import { lookUpThreads } from './look-up-threads.ts';
import { askServers, askSystem } from './resolve.ts';
import type { Ask } from './resolve.ts';
import { makeTrackRecord } from './track-record.ts';
import type { Patience, Standing } from './track-record.ts';

interface Wanted {
  /** An answer is kept for so long. */
  readonly keepMs: number;
  /** How long the caller has for the look-up to begin. */
  readonly waitMs: number;
  /** Whose look-up it is, a team's id: teams share the places for look-ups. Without it, it takes any that is free. */
  readonly group?: string | undefined;
}

/** Looks up the addresses of a name; fails where there are none, or nobody can tell. */
export interface Names {
  /** Whoever asks while a look-up runs, or its answer is kept, shares it. */
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
  /** From then on nobody else waits for a look-up that runs. */
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
  const lanes = { known: new Lane(sizes.known), new: new Lane(sizes.new), slow: new Lane(sizes.slow) };
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
    lane: Lane,
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
