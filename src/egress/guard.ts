import { withoutZone } from '../core/address.ts';
import { targetMessages } from '../core/messages/requests.ts';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { Forbidden } from './failure.ts';
import type { NameResolver } from './names.ts';
import type { AllowedTargets, RefusedTarget, Target } from './targets.ts';

/** Only these IPv6 addresses are in public use. `range()` excludes the special ones among them. */
const publicSpace = ipaddr.IPv6.parseCIDR('2000::/3');

/** In Azure, the host of a virtual machine answers at this address, although it is a public one by its number. */
const azurePlatform = '168.63.129.16';

const isPublicIPv4 = (text: string): boolean => ipaddr.IPv4.parse(text).range() === 'unicast' && text !== azurePlatform;

const isPublicIPv6 = (text: string): boolean => {
  const address = ipaddr.IPv6.parse(text);
  return address.range() === 'unicast' && address.match(publicSpace);
};

/** Whether an address, in the usual notation, belongs to the public internet. */
export const isPublicAddress = (text: string): boolean => {
  const family = isIP(text);
  if (family === 4) return isPublicIPv4(text);
  return family === 6 && isPublicIPv6(text);
};

/** For how many milliseconds the list of network interfaces is used. They change, but rarely. */
const lookAgainAfter = 10_000;

const oneNotation = (address: string): string => ipaddr.parse(withoutZone(address)).toString();

const readInterfaces = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => oneNotation(address))));

/** Returns a function that checks whether an address is one of this machine's own. */
export const ownAddresses = (): ((address: string) => boolean) => {
  let known: ReadonlySet<string> = new Set();
  let until = 0;
  return (address) => {
    if (performance.now() >= until) {
      known = readInterfaces();
      until = performance.now() + lookAgainAfter;
    }
    return known.has(oneNotation(address));
  };
};

/** Decides which targets are allowed. The connector gets addresses only from here. */
export interface Guard {
  /** The checks that need only the URL, without a look-up. */
  read(url: string): Target | RefusedTarget;
  /** All addresses of the target. Throws if any of them is not allowed. `fresh`: the name is looked up again. */
  addressesOf(target: Target, options?: { fresh?: boolean }): Promise<readonly string[]>;
}

interface GuardRules {
  read: (url: string) => Target | RefusedTarget;
  names: NameResolver;
  allowed: AllowedTargets;
  isOwn: (address: string) => boolean;
}

export const makeGuard = ({ read, names, allowed, isOwn }: GuardRules): Guard => {
  const flawOf = (address: string): 'private' | 'own' | undefined => {
    if (allowed.hasAddress(address)) return undefined;
    if (!isPublicAddress(address)) return 'private';
    return isOwn(address) ? 'own' : undefined;
  };

  const checkNamed = (addresses: readonly string[]): void => {
    for (const address of addresses) {
      const flaw = flawOf(address);
      // The message does not contain the address: it would reveal the addresses behind names of a private network.
      if (flaw === 'private') throw new Forbidden(targetMessages.nameOfPrivateAddress);
      if (flaw === 'own') throw new Forbidden(targetMessages.nameOfOwnAddress);
    }
  };

  return {
    read,
    addressesOf: async ({ host, isAddress, trusted }, { fresh } = {}) => {
      if (isAddress) {
        const flaw = trusted ? undefined : flawOf(host);
        if (flaw === 'private') throw new Forbidden(targetMessages.privateAddress(host));
        if (flaw === 'own') throw new Forbidden(targetMessages.ownAddress(host));
        return [host];
      }
      const addresses = await names.lookUp(host, { bySystem: trusted, fresh });
      if (!trusted) checkNamed(addresses);
      return addresses;
    },
  };
};
