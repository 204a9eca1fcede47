// Clients of the API: half of their requests create an assignment, half read one. A request that fails is counted once,
// by how it failed, and repeated (with the same Idempotency-Key) until it is answered.

import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { makeId } from '../../src/core/ids.ts';
import { basePath } from '../../src/core/product.ts';
import { aCombination, pick, type Seeded, type SeededTeam } from './seed.ts';

export interface Wanted {
  /** Without it, a request with a body is a POST, and one without is a GET. */
  method?: 'PATCH' | 'DELETE' | undefined;
  path: string;
  key?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  body?: object | undefined;
}

export type HttpVersion = 'HTTP/1.1' | 'HTTP/2';

/** Connections to an origin that has this certificate, from an address of this machine. */
export const agentFor = (
  certificate?: string,
  localAddress = '127.0.0.1',
  { http = 'HTTP/1.1', connections = 64 }: { http?: HttpVersion; connections?: number } = {},
): Agent =>
  new Agent({
    connect: { ca: certificate },
    localAddress,
    connections,
    allowH2: http === 'HTTP/2',
    // Less than the 30 seconds after which haproxy closes a connection: a request on its way then would get no answer.
    keepAliveTimeout: 20_000,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });

export const sendJson = (origin: string, dispatcher: Agent, { path, method, key, headers, body }: Wanted) =>
  request(`${origin}${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    dispatcher,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body ? JSON.stringify(body) : null,
  });

export interface Answer {
  /** 0 if there was no answer. */
  status: number;
  body: unknown;
  /** For instance `503 unavailable of the service`, `502 unavailable of the proxy`, `ECONNRESET`. */
  summary: string;
}

/** Sends a request to the API; its path is below the API's base path. */
export type Send = (wanted: Wanted) => Promise<Answer>;

const Problem = z.object({ code: z.string() });

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Sends on connections to an origin. The paths are below the API's base path, or below another one. */
export const sendOn =
  (origin: string, agent: Agent, base: string = basePath): Send =>
  async (wanted) => {
    try {
      const answer = await sendJson(origin, agent, { ...wanted, path: `${base}${wanted.path}` });
      const { statusCode: status, headers } = answer;
      const read = parsed(await answer.body.text());
      const code = Problem.safeParse(read).data?.code ?? '';
      // Every answer of the service has this header, the proxy's own do not.
      const author = headers['x-request-id'] === undefined ? 'the proxy' : 'the service';
      return { status, body: read, summary: `${status} ${code} of ${author}` };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : error;
      return { status: 0, body: undefined, summary: String(code) };
    }
  };

/**
 * Sends requests to an origin, a proxy or an API process; `certificate` is for https. The connections are closed at the
 * end.
 */
export const makeSend = (
  opened: AsyncDisposableStack,
  { origin, certificate }: { origin: string; certificate?: string | undefined },
  http?: HttpVersion,
): Send => {
  const agent = agentFor(certificate, undefined, http === undefined ? {} : { http });
  opened.defer(() => agent.destroy());
  return sendOn(origin, agent);
};

/** A POST that was answered with 201. */
export interface Posted {
  tenantId: string;
  id: string;
  title: string;
}

export interface LoadOptions {
  send: Send;
  teams: readonly SeededTeam[];
  catalog: Seeded['catalog'];
  /** The load ends after this number of requests, but not before `until` resolves. */
  requests: number;
  until?: Promise<unknown>;
  /** How many requests are sent in a second. Without it, as many as are answered. A key may send 120 a minute. */
  perSecond?: number | undefined;
  clients?: number;
  /** Called with the milliseconds of each request that was answered well at its first try. */
  onAnswer?: (ms: number) => void;
}

export interface LoadOutcome {
  requests: number;
  beganAt: Date;
  seconds: number;
  /** How often requests failed at their first try, by how they failed. */
  failures: Readonly<Record<string, number>>;
  /** When each of them failed. */
  failedAt: readonly Date[];
  posted: readonly Posted[];
  /** Reads that found nothing, or something else than the answer to the POST. */
  wrongReads: number;
  /** The longest time in milliseconds in which no request was answered well. */
  longestGapMs: number;
}

const Created = z.object({ id: z.string(), title: z.string() });

const repeatAfterMs = 200;
const answerWithinMs = 180_000;

export const runLoad = async ({
  send,
  teams,
  catalog,
  requests,
  until,
  perSecond,
  clients = 32,
  onAnswer,
}: LoadOptions): Promise<LoadOutcome> => {
  const run = makeId();
  const failures: Record<string, number> = {};
  const failedAt: Date[] = [];
  const posted: Posted[] = [];
  let [begun, wrongReads, longestGapMs] = [0, 0, 0];
  const over = new AbortController();
  const beganAt = new Date();
  const started = performance.now();
  let lastAnswer = started;

  /** Each team's keys in turn. */
  const keyOf = (team: SeededTeam, index: number) => pick(team.keys, Math.floor(index / teams.length));

  const untilAnswered = async (wanted: Wanted, statuses: readonly number[]): Promise<Answer> => {
    const deadline = performance.now() + answerWithinMs;
    for (let tries = 1; ; tries += 1) {
      const began = performance.now();
      const answer = await send(wanted);
      const now = performance.now();
      if (statuses.includes(answer.status)) {
        if (tries === 1) onAnswer?.(now - began);
        longestGapMs = Math.max(longestGapMs, now - lastAnswer);
        lastAnswer = now;
        return answer;
      }
      if (tries === 1) {
        failures[answer.summary] = (failures[answer.summary] ?? 0) + 1;
        failedAt.push(new Date());
      }
      if (now > deadline) throw new Error(`No answer to ${wanted.path} for three minutes, at last ${answer.summary}`);
      await sleep(repeatAfterMs);
    }
  };

  const post = async (index: number): Promise<void> => {
    const team = pick(teams, index);
    const title = `Try ${run} ${index}`;
    const body = { member_id: pick(team.members, index), title, ...aCombination(index, catalog) };
    const wanted = { path: '/assignments', key: keyOf(team, index), body, headers: { 'idempotency-key': title } };
    const { id } = Created.parse((await untilAnswered(wanted, [201])).body);
    posted.push({ tenantId: team.tenantId, id, title });
  };

  const read = async ({ tenantId, id, title }: Posted, index: number): Promise<void> => {
    const team = teams.find((each) => each.tenantId === tenantId);
    if (!team) throw new Error('an assignment of no team');
    const wanted = { path: `/assignments/${id}`, key: keyOf(team, index) };
    // A failover without synchronous replication may lose what was answered.
    const answer = await untilAnswered(wanted, [200, 404]);
    const found = Created.safeParse(answer.body).data;
    if (found?.id !== id || found.title !== title) wrongReads += 1;
  };

  const client = async (): Promise<void> => {
    while (begun < requests || !over.signal.aborted) {
      const index = begun;
      begun += 1;
      if (perSecond !== undefined) await sleep(Math.max(0, started + (index * 1000) / perSecond - performance.now()));
      const isRead = Math.floor(index / teams.length) % 2 === 1 && posted.length > 0;
      await (isRead ? read(pick(posted, index * 7), index) : post(index));
    }
  };
  const ending = Promise.resolve(until).finally(() => over.abort());
  await Promise.all([ending, ...Array.from({ length: clients }, client)]);
  const seconds = (performance.now() - started) / 1000;
  return { requests: begun, beganAt, seconds, failures, failedAt, posted, wrongReads, longestGapMs };
};
