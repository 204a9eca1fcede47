import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { placeOf } from './place.ts';

/** What an operator lets pass though the rules refuse it. */
export interface AllowedTargets {
  /** The host as written in the URL, at this port: whatever it resolves to. */
  names(host: string, port: number): boolean;
  /** The address, at whichever port is fit for everybody. */
  covers(address: string): boolean;
}

const readPlace = (entry: string): string => {
  const url = URL.parse(`https://${entry}/`);
  if (url === null) throw new Error(`${entry} is neither a host with a port nor a range of addresses`);
  const { host, port } = placeOf(url);
  return `${host}:${port}`;
};

/** `localhost:8443`, `[::1]:8443` or `10.0.0.0/8`. */
export const readAllowedTargets = (entries: readonly string[] = []): AllowedTargets => {
  const ranges = entries.filter((entry) => ipaddr.isValidCIDR(entry)).map((range) => ipaddr.parseCIDR(range));
  const places = new Set(entries.filter((entry) => !ipaddr.isValidCIDR(entry)).map(readPlace));
  return {
    names: (host, port) => places.has(`${host}:${port}`),
    covers: (text) => {
      if (ranges.length === 0 || isIP(text) === 0) return false;
      const address = ipaddr.parse(text);
      return ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
    },
  };
};
