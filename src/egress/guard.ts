import type { AllowedTargets } from './allowed-targets.ts';
import { Forbidden } from './failure.ts';
import type { Names } from './names.ts';
import { isPublicAddress } from './public-address.ts';
import type { Refused, Target } from './target-url.ts';

/** Decides where to. Whoever connects asks it for addresses and takes none from elsewhere. */
export interface Guard {
  /** What can be told from the URL alone. */
  read(url: string): Target | Refused;
  /** Every address of the target; throws where a single one is not fit. A look-up must begin within `waitMs`. */
  addressesOf(
    target: Target,
    wanted: { waitMs: number; keepMs?: number; group?: string | undefined },
  ): Promise<readonly string[]>;
}

interface Rules {
  read: (url: string) => Target | Refused;
  names: Names;
  allowed: AllowedTargets;
  isOwn: (address: string) => boolean;
}

const keptForAttempts = 1_000;
const mostUrls = 5_000;

export const makeGuard = ({ read, names, allowed, isOwn }: Rules): Guard => {
  const urls = new Map<string, Target | Refused>();
  /** A look-up's answer is the same array for as long as it is kept, so it is judged once. */
  const judged = new WeakSet<readonly string[]>();

  const flawOf = (address: string): string | undefined => {
    if (allowed.covers(address)) return undefined;
    if (!isPublicAddress(address)) return 'not public';
    return isOwn(address) ? 'the service’s own' : undefined;
  };

  const checkNamed = (addresses: readonly string[]): void => {
    if (judged.has(addresses)) return;
    for (const address of addresses) {
      const flaw = flawOf(address);
      // Which address is not told: the names of a private network are nobody else's business.
      if (flaw !== undefined) throw new Forbidden(`The host name leads to an address that is ${flaw}.`);
    }
    judged.add(addresses);
  };

  return {
    read: (url) => {
      const known = urls.get(url);
      if (known) return known;
      if (urls.size >= mostUrls) urls.clear();
      const target = read(url);
      urls.set(url, target);
      return target;
    },
    addressesOf: async ({ host, isAddress, trusted }, { waitMs, keepMs = keptForAttempts, group }) => {
      if (isAddress) {
        const flaw = trusted ? undefined : flawOf(host);
        if (flaw !== undefined) throw new Forbidden(`The address ${host} is ${flaw}.`);
        return [host];
      }
      const addresses = await names.lookUp(host, { keepMs, waitMs, group });
      if (!trusted) checkNamed(addresses);
      return addresses;
    },
  };
};
