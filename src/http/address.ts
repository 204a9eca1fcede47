import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** The caller's address as PostgreSQL reads it: IPv4 in IPv6 is IPv4, and no zone. What is none at all is no address of anybody's. */
export const addressOf = (request: Pick<Request, 'ip'>): string => {
  const text = (request.ip ?? '').replace(/%.*$/, '');
  if (isIPv4(text)) return text; // asked strictly: ipaddr.js also takes 0x7f.1 and 017700000001
  return isIPv6(text) ? ipaddr.process(text).toString() : '0.0.0.0';
};
