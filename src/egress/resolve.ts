import { lookup } from 'node:dns/promises';
import type { Resolver } from 'node:dns/promises';
import { Failure } from './failure.ts';

/** Asks for all addresses of a name; fails where there are none, or nobody can tell. */
export type Ask = (host: string) => Promise<readonly string[]>;

const notFound = () => new Failure('The host name can’t be found in the DNS.');
const lookUpFailed = () => new Failure('The look-up of the host name in the DNS failed.');

const codesOfNothing = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME']);

const saysNothing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && codesOfNothing.has(error.code);

export const askSystem: Ask = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' }).catch((error: unknown) => {
    throw saysNothing(error) ? notFound() : lookUpFailed();
  });
  return found.map(({ address }) => address);
};

const mostAliases = 8;

/** No server need know this name, and none may change it. */
const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/**
 * Asks servers for both families. One that has no answer does not spoil the other's, as only what is known gets connected to; but
 * both are waited for, so that none hides an address.
 */
export const askServers = (resolver: Resolver): Ask => {
  const ask = async (host: string, aliasesLeft: number): Promise<readonly string[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    if (answers.some((answer) => answer.status === 'rejected' && !saysNothing(answer.reason))) throw lookUpFailed();
    // A server that does not follow an alias itself leaves that to who asks.
    const [alias] = aliasesLeft > 0 ? await resolver.resolveCname(host).catch(() => []) : [];
    if (alias === undefined) throw notFound();
    return ask(alias, aliasesLeft - 1);
  };
  return async (host) => (isLocalhost(host) ? ['127.0.0.1', '::1'] : ask(host, mostAliases));
};
