// One team's flood: 1,000 requests at once, from several addresses, each within what the proxies allow it.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from 'undici';
import { z } from 'zod';
import { basePath } from '../../src/core/product.ts';
import { agentFor, sendOn, type Answer, type HttpVersion, type Send, type Wanted } from './clients.ts';
import { connectTo } from './database.ts';
import { aCombination, pick, type Seeded, type SeededTeam } from './seed.ts';

export const floodSize = 1_000;
const addresses = 10;
const perAddress = floodSize / addresses;
/** haproxy.cfg allows so many requests at once on a connection. */
const streams = 10;

interface CrowdOptions {
  origin: string;
  certificate: string;
  http: HttpVersion;
  /** The path below which all paths are; by default the API's base path. */
  base?: string;
}

/** Opens so many connections. While a flood opens its own, a busy machine opens no other in time. */
export const openConnections = async (origin: string, agent: Agent, count: number): Promise<void> => {
  const send = sendOn(origin, agent, '');
  const open = async (): Promise<void> => {
    while ((await send({ path: '/healthz' })).status !== 200) await sleep(100);
  };
  await Promise.all(Array.from({ length: count }, open));
};

/**
 * Sends up to 1,000 requests at once, on connections that were opened before. The answers are in the order of the
 * requests.
 */
export const sendAtOnce = async (
  { origin, certificate, http, base = basePath }: CrowdOptions,
  requests: readonly Wanted[],
  { whenOpen, onAnswer }: { whenOpen?: () => Promise<void>; onAnswer?: (answer: Answer) => void } = {},
): Promise<Answer[]> => {
  const connections = http === 'HTTP/2' ? perAddress / streams : perAddress;
  const agents = Array.from({ length: addresses }, (_, at) =>
    agentFor(certificate, `127.0.3.${at + 1}`, { http, connections }),
  );
  try {
    // One address after the other: a busy machine opens no thousand connections within the time that each may take.
    for (const agent of agents) await openConnections(origin, agent, Math.ceil(requests.length / addresses));
    await whenOpen?.();
    const senders = agents.map((agent) => sendOn(origin, agent, base));
    return await Promise.all(
      requests.map(async (wanted, at) => {
        const answer = await pick(senders, at)(wanted);
        onAnswer?.(answer);
        return answer;
      }),
    );
  } finally {
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
};

/** The requests of a flood, by kind. They change no data. */
const floods = {
  transactions: (key, _at) => ({ method: 'DELETE', path: `/webhook-endpoints/${randomUUID()}`, key }),
  reads: (key, at) => ({ path: at % 2 === 0 ? '/users?limit=200' : '/cases?limit=200', key }),
} satisfies Record<string, (key: string, at: number) => Wanted>;

export type FloodKind = keyof typeof floods;

export const floodRequests = (kind: FloodKind, keys: readonly string[]): Wanted[] =>
  Array.from({ length: floodSize }, (_, at) => floods[kind](pick(keys, at), at));

const Users = z.object({ data: z.array(z.object({ user_id: z.string() })) });

/** Makes cases of a team, so that a page of them is a large read. */
export const makeLargeCases = async (send: Send, { keys }: SeededTeam): Promise<void> => {
  const { data } = Users.parse((await send({ path: '/users', key: pick(keys, 0) })).body);
  const body = { user_id: pick(data, 0).user_id, title: 'Large', fields: { text: 'x'.repeat(60_000) } };
  for (let made = 0; made < 16; made += 1) {
    const { status, summary } = await send({ path: '/cases', key: pick(keys, made), body });
    if (status !== 201) throw new Error(`The case was answered with ${summary}`);
  }
};

/** Makes assignments of a team, each with its event; few at once, so that none is beyond its share. */
export const makeAssignments = async (
  send: Send,
  { keys, members }: SeededTeam,
  { catalog, count }: { catalog: Seeded['catalog']; count: number },
): Promise<Answer[]> => {
  const answers: Answer[] = [];
  let begun = 0;
  const make = async (): Promise<void> => {
    while (begun < count) {
      const at = begun++;
      const body = { member_id: pick(members, at), title: `Hanging ${at}`, ...aCombination(at, catalog) };
      answers.push(await send({ path: '/assignments', key: pick(keys, at), body }));
    }
  };
  await Promise.all(Array.from({ length: 4 }, make));
  return answers;
};

/** How long the row is locked: longer than a statement of the service waits for a lock. */
const heldMs = 6_000;

/**
 * Sends a flood of a team that fills its share of each process: its row is locked before its transactions begin, so they
 * wait for it; half of its reads are large.
 */
export const floodOf = async (
  kind: FloodKind,
  { team, databaseUrl, ...crowd }: CrowdOptions & { team: SeededTeam; databaseUrl: string },
): Promise<Answer[]> => {
  const requests = floodRequests(kind, team.keys);
  if (kind === 'reads') return sendAtOnce(crowd, requests);
  await using client = await connectTo(databaseUrl);
  let released: Promise<unknown> | undefined;
  const whenOpen = async (): Promise<void> => {
    await client.query('begin');
    await client.query('select from team where id = $1 for update', [team.tenantId]);
    released = sleep(heldMs).then(() => client.query('rollback'));
  };
  const answers = await sendAtOnce(crowd, requests, { whenOpen });
  await released;
  return answers;
};

/** How often each answer came, for instance `404 not_found of the service`. */
export const tallyOf = (answers: readonly Answer[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ summary }) => summary)].map(([summary, all]) => [summary, all.length]),
  );
