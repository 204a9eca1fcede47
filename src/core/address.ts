import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

// The addresses of callers.

/** An IPv6 address without the zone at its end (`fe80::1%eth0`). */
export const withoutZone = (address: string): string => address.split('%', 1).join();

/**
 * An address in PostgreSQL's format: IPv4-mapped IPv6 as IPv4, without a zone. Some proxies write `X-Forwarded-For`
 * with a port (`203.0.113.7:51234`, `[2001:db8::1]:443`), which is removed. Undefined for any other text, because a
 * guess could take one caller for another.
 */
export const plainAddress = (text: string): string | undefined => {
  const [, bracketed, beforePort, port] = /^(?:\[([^[\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (Number(port) > 65_535) return undefined;
  const address = bracketed ?? beforePort ?? text;
  // Node's strict check, because ipaddr.js also accepts 0x7f.1 and 017700000001.
  if (isIPv4(address)) return bracketed === undefined ? address : undefined;
  return isIPv6(address) ? ipaddr.process(withoutZone(address)).toString() : undefined;
};

/**
 * The key for counting by address: the address itself, or the /64 of an IPv6 address, because one customer has all of
 * it.
 */
export const networkOf = (address: string): string =>
  address.includes(':') ? ipaddr.parse(address).toByteArray().slice(0, 8).join('.') : address;
