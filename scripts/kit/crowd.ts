// One team's flood: 1,000 requests at once, from several addresses, each within what the proxies allow it.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { basePath } from '../../src/core/product.ts';
import { agentFor, sendOn, type Answer, type HttpVersion, type Wanted } from './clients.ts';
import { connectTo } from './database.ts';
import { pick, type SeededTeam } from './seed.ts';

export const floodSize = 1_000;
const addresses = 10;
const perAddress = floodSize / addresses;
/** haproxy.cfg allows so many requests at once on a connection. */
const streams = 10;

interface CrowdOptions {
  origin: string;
  certificate: string;
  http: HttpVersion;
  /** Below which the paths are, by default the API's. */
  base?: string;
}

/** Sends up to 1,000 requests at once. The answers are in the order of the requests. */
export const sendAtOnce = async (
  { origin, certificate, http, base = basePath }: CrowdOptions,
  requests: readonly Wanted[],
  onAnswer: (answer: Answer) => void = () => {},
): Promise<Answer[]> => {
  const connections = http === 'HTTP/2' ? perAddress / streams : perAddress;
  const agents = Array.from({ length: addresses }, (_, at) =>
    agentFor(certificate, `127.0.3.${at + 1}`, { http, connections }),
  );
  const senders = agents.map((agent) => sendOn(origin, agent, base));
  try {
    return await Promise.all(
      requests.map(async (wanted, at) => {
        const answer = await pick(senders, at)(wanted);
        onAnswer(answer);
        return answer;
      }),
    );
  } finally {
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
};

/** What one team sends. None of it changes anything. */
const floods = {
  transactions: (key, _at) => ({ method: 'DELETE', path: `/webhook-endpoints/${randomUUID()}`, key }),
  reads: (key, at) => ({ path: at % 2 === 0 ? '/users?limit=200' : '/evaluations?limit=200', key }),
} satisfies Record<string, (key: string, at: number) => Wanted>;

export type FloodKind = keyof typeof floods;

export const floodRequests = (kind: FloodKind, keys: readonly string[]): Wanted[] =>
  Array.from({ length: floodSize }, (_, at) => floods[kind](pick(keys, at), at));

/** Longer than the service's limit of time for locks. */
const heldMs = 6_000;

/**
 * Sends a flood of a team that fills its share of each process: its row is locked before its transactions begin, so they
 * wait for it; its reads are large.
 */
export const floodOf = async (
  kind: FloodKind,
  { team, databaseUrl, ...crowd }: CrowdOptions & { team: SeededTeam; databaseUrl: string },
): Promise<Answer[]> => {
  const requests = floodRequests(kind, team.keys);
  if (kind === 'reads') {
    await sendAtOnce(crowd, requests.slice(0, 20)); // from now on each process counts them as large
    return sendAtOnce(crowd, requests);
  }
  await using client = await connectTo(databaseUrl);
  await client.query('begin');
  await client.query('select from team where id = $1 for update', [team.tenantId]);
  const sending = sendAtOnce(crowd, requests);
  await Promise.race([sending, sleep(heldMs)]);
  await client.query('rollback');
  return await sending;
};

/** How often each answer came, for instance `404 not_found of the service`. */
export const tallyOf = (answers: readonly Answer[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ summary }) => summary)].map(([summary, all]) => [summary, all.length]),
  );
