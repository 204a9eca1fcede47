import type { Message } from '../core/language.ts';
import { targetMessages } from '../core/messages/requests.ts';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The target of a URL: its host without brackets and without the final dot of a full name, and its port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 };

export const hostAndPortOf = ({ protocol, hostname, port }: URL): HostAndPort => ({
  host: hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
  port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
});

/** Targets that an operator allows although the rules refuse them. */
export interface AllowedTargets {
  /** Whether this host is allowed as the URL writes it, at this port, whatever addresses it has. */
  hasName(host: string, port: number): boolean;
  /** Whether this address is allowed, at every port that is allowed for all targets. */
  hasAddress(address: string): boolean;
}

const readHostAndPort = (entry: string): string => {
  const url = URL.parse(`https://${entry}/`);
  if (url === null) throw new Error(`${entry} is neither a host with a port nor a range of addresses`);
  const { host, port } = hostAndPortOf(url);
  return `${host}:${port}`;
};

/** Reads entries like `localhost:8443`, `[::1]:8443` or `10.0.0.0/8`. */
export const readAllowedTargets = (entries: readonly string[] = []): AllowedTargets => {
  const ranges = entries.filter((entry) => ipaddr.isValidCIDR(entry)).map((range) => ipaddr.parseCIDR(range));
  const listed = new Set(entries.filter((entry) => !ipaddr.isValidCIDR(entry)).map(readHostAndPort));
  return {
    hasName: (host, port) => listed.has(`${host}:${port}`),
    hasAddress: (text) => {
      if (ranges.length === 0 || isIP(text) === 0) return false;
      const address = ipaddr.parse(text);
      return ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
    },
  };
};

/** A URL that is allowed by the rules that need no look-up. */
export interface Target extends HostAndPort {
  /** The normalised URL. The same text is checked, stored and used for sending. */
  readonly url: string;
  readonly origin: string;
  /** The path, with the query. */
  readonly path: string;
  /** Whether the host is an address and not a name. */
  readonly isAddress: boolean;
  /** Whether the target is allowed whatever addresses its host has. */
  readonly trusted: boolean;
}

export interface RefusedTarget {
  readonly refused: Message;
}

const maxCharacters = 2_048;

/** The usual ports of other services, which might interpret parts of a request as commands. */
const portsOfOthers = new Set([
  1080, 1433, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3690, 4045, 4190,
  4369, 5060, 5061, 5432, 5672, 5900, 5984, 6000, 6379, 6380, 6566, 6660, 6661, 6662, 6663, 6664, 6665, 6666, 6667,
  6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10_080, 10_250, 10_255, 11_211, 27_017, 27_018, 27_019,
]);

/** Top-level labels of names that no host on the public internet has. */
const privateLabels = new Set([
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'lan',
  'local',
  'localhost',
  'onion',
  'private',
  'svc',
]);

const flawOfUrl = (url: URL, mayBePlain: boolean): Message | undefined => {
  if (url.protocol !== 'https:' && !mayBePlain) return targetMessages.notHttps;
  if (url.username !== '' || url.password !== '') return targetMessages.credentials;
  if (url.href.length > maxCharacters) return targetMessages.tooLong(maxCharacters);
  return undefined;
};

const flawOfPort = (port: number): Message | undefined => {
  if (port !== 443 && port < 1024) return targetMessages.lowPort(port);
  if (portsOfOthers.has(port)) return targetMessages.reservedPort(port);
  return undefined;
};

/** Letters, digits, hyphens inside, and the underscore, which some names have. */
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const maxOfName = 253;

const flawOfName = (host: string): Message | undefined => {
  const labels = host.split('.');
  if (host.length > maxOfName || !labels.every((part) => label.test(part))) return targetMessages.noHostName;
  const [top = ''] = labels.slice(-1);
  return labels.length === 1 || privateLabels.has(top) ? targetMessages.privateName(host) : undefined;
};

/** This machine under its usual names. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

interface RuleOptions {
  allowed: AllowedTargets;
  /** The service's own host and port. */
  own: HostAndPort;
  /**
   * Whether receivers on this machine are allowed, with and without TLS. Only the sandbox for customers' tests allows
   * them.
   */
  loopback?: boolean;
}

/** The rules on a URL that need no look-up. */
export const makeTargetRules = ({
  allowed,
  own,
  loopback = false,
}: RuleOptions): ((text: string) => Target | RefusedTarget) => {
  const leadsHome = ({ host, port }: HostAndPort): boolean =>
    host === own.host && (port === own.port || !allowed.hasAddress(host));

  const flawOfHost = (at: HostAndPort, isAddress: boolean): Message | undefined =>
    flawOfPort(at.port) ??
    (isAddress ? undefined : flawOfName(at.host)) ??
    (leadsHome(at) ? targetMessages.ownUrl : undefined);

  return (text) => {
    const url = URL.parse(text);
    if (url === null) return { refused: targetMessages.notAUrl };
    url.hash = '';
    const at = hostAndPortOf(url);
    const isAddress = isIP(at.host) !== 0;
    const isLocal = loopback && isLoopback(at.host) && at.port !== own.port;
    const mayBePlain = isLocal && url.protocol === 'http:';
    const trusted = isLocal || allowed.hasName(at.host, at.port);
    const refused = flawOfUrl(url, mayBePlain) ?? (trusted ? undefined : flawOfHost(at, isAddress));
    if (refused) return { refused };
    const { href, origin, pathname, search } = url;
    return { ...at, url: href, origin, path: pathname + search, isAddress, trusted };
  };
};
