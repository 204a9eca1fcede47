import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * An address in PostgreSQL's format: IPv4-mapped IPv6 as IPv4, without a zone. Some proxies write `X-Forwarded-For` with a port
 * (`203.0.113.7:51234`, `[2001:db8::1]:443`), which is removed. Undefined for any other text: with a guess, one caller could be taken for
 * another.
 */
export const plainAddress = (text: string): string | undefined => {
  const [, bracketed, beforePort, port = '0'] = /^(?:\[([^[\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (Number(port) > 65_535) return undefined;
  const address = bracketed ?? beforePort ?? text;
  // Node's strict check, because ipaddr.js also accepts 0x7f.1 and 017700000001.
  if (isIPv4(address)) return bracketed === undefined ? address : undefined;
  const isV6 = isIPv6(address) && beforePort === undefined;
  return isV6 ? ipaddr.process(address.replace(/%.*$/, '')).toString() : undefined;
};

/** The caller's address for budgets, logs and address lists. Callers without a readable address share 0.0.0.0. */
export const addressOf = (request: Pick<Request, 'ip'>): string => plainAddress(request.ip ?? '') ?? '0.0.0.0';

/** Whether the sender at an address, `hop` hops away, is a proxy whose `X-Forwarded-For` is trusted. Hop 0 opened the connection. */
export type IsProxy = (address: string, hop: number) => boolean;

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const add = (proxies: BlockList, text: string): void => {
  const address = ipaddr.parse(text.replace(/\/\d+$/, ''));
  const kind = address.kind();
  const bits = /\/(\d+)$/.exec(text)?.[1] ?? (kind === 'ipv4' ? 32 : 128);
  proxies.addSubnet(address.toString(), Number(bits), kind);
};

/** Reads `TRUST_PROXY`: a number of proxies in front of the service, or their addresses and ranges. */
export const trustedProxies = (trust: boolean | number | readonly string[]): IsProxy => {
  if (typeof trust === 'boolean') return () => trust;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  const proxies = new BlockList();
  for (const text of trust.flatMap((entry) => named[entry] ?? [entry])) add(proxies, text);
  return (text) => {
    const address = plainAddress(text);
    return address !== undefined && proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  };
};
