import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';
import { plainAddress } from './address.ts';

/** Whether the sender at an address, so many hops away, is a proxy whose `X-Forwarded-For` counts. Hop 0 opened the connection. */
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
export const trustedProxies = (trust: Config['TRUST_PROXY']): IsProxy => {
  if (typeof trust === 'boolean') return () => trust;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  const proxies = new BlockList();
  for (const text of trust.flatMap((entry) => named[entry] ?? [entry])) add(proxies, text);
  return (text) => {
    const address = plainAddress(text);
    return address !== undefined && proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  };
};
