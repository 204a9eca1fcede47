import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Interfaces come and go, but seldom. */
const lookAgainAfter = 10_000;

const withoutZone = (address: string): string => address.replace(/%.*$/, '');

const oneNotation = (address: string): string => ipaddr.parse(withoutZone(address)).toString();

const readInterfaces = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => oneNotation(address))));

/** Tells whether an address is one of this machine's own. */
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
