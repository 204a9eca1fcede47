import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Of the IPv6 addresses only these are in use for the public. */
const publicSpace = ipaddr.IPv6.parseCIDR('2000::/3');

/** Inside of it: protocols of their own, documentation, and tunnels to IPv4 addresses that nobody checked. */
const refusedSpaces = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/** Public by its number, but answered by the host of a virtual machine. */
const azurePlatform = '168.63.129.16';

const isPublicIPv4 = (text: string): boolean => ipaddr.IPv4.parse(text).range() === 'unicast' && text !== azurePlatform;

const isPublicIPv6 = (text: string): boolean => {
  const address = ipaddr.IPv6.parse(text);
  return (
    address.range() === 'unicast' && address.match(publicSpace) && !refusedSpaces.some((space) => address.match(space))
  );
};

/** Whether an address, in the usual notation, belongs to the public internet. */
export const isPublicAddress = (text: string): boolean => {
  const family = isIP(text);
  if (family === 4) return isPublicIPv4(text);
  return family === 6 && isPublicIPv6(text);
};
