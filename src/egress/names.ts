import { lookup, Resolver } from 'node:dns/promises';
import { failureMessages } from '../core/messages/requests.ts';
import { TtlMap } from '../core/ttl-map.ts';
import { Failure } from './failure.ts';

/** Returns all addresses of a name. Fails if there are none, or if the look-up fails. */
export type LookUpAddresses = (host: string) => Promise<readonly string[]>;

const notFound = () => new Failure(failureMessages.notFoundInDns);
const lookUpFailed = () => new Failure(failureMessages.dnsFailed);

const codesOfNothing = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME']);

const saysNothing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && codesOfNothing.has(error.code);

const askSystem: LookUpAddresses = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' }).catch((error: unknown) => {
    throw saysNothing(error) ? notFound() : lookUpFailed();
  });
  return found.map(({ address }) => address);
};

const maxAliases = 8;

/**
 * Queries name servers for the addresses of both families, and waits for both, so that all addresses are checked. A
 * family without an answer is no failure if the other one has an address.
 */
const askServers = (resolver: Resolver): LookUpAddresses => {
  const ask = async (host: string, aliasesLeft: number): Promise<readonly string[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    if (answers.some((answer) => answer.status === 'rejected' && !saysNothing(answer.reason))) throw lookUpFailed();
    // A name server that does not follow an alias itself leaves this to its client.
    const [alias] = aliasesLeft > 0 ? await resolver.resolveCname(host).catch(() => []) : [];
    if (alias === undefined) throw notFound();
    return ask(alias, aliasesLeft - 1);
  };
  return (host) => ask(host, maxAliases);
};

interface LookUpOptions {
  /**
   * Whether the operator has named this host. Then the system's resolver is used, unless `servers` are given, because
   * it also knows names that are in no DNS.
   */
  readonly bySystem: boolean;
  /** Makes a new look-up, whose answer is not cached. */
  readonly fresh?: boolean | undefined;
}

export interface NameResolver {
  /** The addresses of a name. Fails if it has none, or if the look-up fails. */
  lookUp(host: string, options: LookUpOptions): Promise<readonly string[]>;
  /** The TXT records of a name; none if there are none or the look-up fails. */
  textsOf(name: string): Promise<readonly string[]>;
  close(): void;
}

interface NamesSettings {
  /** Name servers to query instead of those that the system is configured with. */
  servers?: readonly string[] | undefined;
  /** Replaces the look-up of names. */
  ask?: LookUpAddresses | undefined;
}

/** Callers share a look-up while it runs, and its answer for this time. */
const keptMs = 1_000;
const maxKept = 1_000;

/**
 * Names of receivers are looked up by queries of our own, because the system's resolver occupies a thread for each name
 * whose servers are silent, and other names would wait for a thread.
 */
export const openNames = ({ servers, ask }: NamesSettings = {}): NameResolver => {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (servers) resolver.setServers(servers);
  const askDns = ask ?? askServers(resolver);
  const lookUps = new TtlMap<Promise<readonly string[]>>({ capacity: maxKept });

  const share = (host: string, asking: Promise<readonly string[]>): void => {
    lookUps.set(host, asking);
    const keep = () => lookUps.set(host, asking, { ttlMs: keptMs });
    asking.then(keep, keep);
  };

  return {
    lookUp: (host, { bySystem, fresh = false }) => {
      const known = fresh ? undefined : lookUps.get(host);
      if (known) return known;
      const asking = (bySystem && !servers && !ask) || host === 'localhost' ? askSystem(host) : askDns(host);
      if (!fresh) share(host, asking);
      return asking;
    },
    textsOf: async (name) => {
      const records = await resolver.resolveTxt(name).catch(() => []);
      return records.map((pieces) => pieces.join(''));
    },
    close: () => resolver.cancel(),
  };
};
