import ipaddr from 'ipaddr.js';

/** Who shares a budget of those that count by address: an IPv6 customer owns a whole /64. The gate counts likewise. */
export const networkOf = (address: string): string =>
  address.includes(':') ? ipaddr.parse(address).toByteArray().slice(0, 8).join('.') : address;
