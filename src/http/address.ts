import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * An address as PostgreSQL reads it: IPv4 in IPv6 is IPv4, without a zone. Some proxies write `X-Forwarded-For` with a port
 * (`203.0.113.7:51234`, `[2001:db8::1]:443`), which is dropped. Undefined for any other text: a guess could make a caller
 * somebody else.
 */
export const plainAddress = (text: string): string | undefined => {
  const [, bracketed, beforePort, port = '0'] = /^(?:\[([^[\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (Number(port) > 65_535) return undefined;
  const address = bracketed ?? beforePort ?? text;
  // Checked strictly: ipaddr.js also takes 0x7f.1 and 017700000001.
  if (isIPv4(address)) return bracketed === undefined ? address : undefined;
  const isV6 = isIPv6(address) && beforePort === undefined;
  return isV6 ? ipaddr.process(address.replace(/%.*$/, '')).toString() : undefined;
};

/** The caller's address, for everything that goes by address. All callers without a readable one share one that belongs to nobody. */
export const addressOf = (request: Pick<Request, 'ip'>): string => plainAddress(request.ip ?? '') ?? '0.0.0.0';
