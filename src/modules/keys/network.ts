import ipaddr from 'ipaddr.js';
import { fail } from '../../core/problem.ts';

// `10.1`, `0x7f000001` and `017.0.0.1` are addresses to some readers and others to others: only the plain form is taken.
const isAddress = (text: string) =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));

/** IPv4 written as IPv6 is IPv4: callers are told so as well. */
const unmapped = (network: ipaddr.IPv6, bits: number): string => {
  if (!network.isIPv4MappedAddress() || bits < 96) return `${network.toString()}/${bits}`;
  return `${network.toIPv4Address().toString()}/${bits - 96}`;
};

const canonical = (text: string): string | undefined => {
  const [address = '', bits, ...more] = text.split('/');
  if (!isAddress(address) || more.length > 0) return undefined;
  if (bits === undefined) return ipaddr.process(address).toString();
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  if (ipaddr.IPv4.isValid(address)) {
    return Number(bits) > 32 ? undefined : `${ipaddr.IPv4.networkAddressFromCIDR(text).toString()}/${Number(bits)}`;
  }
  return Number(bits) > 128 ? undefined : unmapped(ipaddr.IPv6.networkAddressFromCIDR(text), Number(bits));
};

/** An address or a network in the form PostgreSQL keeps it, or the flaw in it. */
export const readNetwork = (text: string): string =>
  canonical(text) ??
  fail('validation_error', { field: 'allowed_ips', detail: `${text} is neither an address nor a network.` });
