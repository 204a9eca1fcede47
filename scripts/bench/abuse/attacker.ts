// Reads an attack from stdin, carries it out on loopback, and prints how often each answer came. A process of its own, so that the CPU time
// of sending does not count as the service's latency.

import { connect as connectPlain } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { Agent, request } from 'undici';
import { z } from 'zod';

/** A client that sends one request after another until the attack ends. */
const Client = z.object({
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Used in turn, so that none reaches its limit. */
  keys: z.array(z.string()).optional(),
  /** Sent as JSON with POST. */
  body: z.unknown().optional(),
  /** The address that it connects from. */
  from: z.string(),
  /** Reads one kilobyte of its answer in a second. */
  isSlow: z.boolean().optional(),
});

const Attack = z.object({
  origin: z.string(),
  certificate: z.string(),
  /** 0: each client sends one request. */
  seconds: z.number(),
  clients: z.array(Client),
});
export type Attack = z.input<typeof Attack>;

const { origin, certificate, seconds, clients } = Attack.parse(await json(process.stdin));
const ends = performance.now() + seconds * 1_000;
const tally: Record<string, number> = {};
const count = (answer: string | number): void => void (tally[answer] = (tally[answer] ?? 0) + 1);

const agents = new Map<string, Agent>();
const agentFrom = (address: string): Agent => {
  const options = { localAddress: address, connect: { ca: certificate }, allowH2: false };
  const agent = agents.get(address) ?? new Agent({ ...options, headersTimeout: 60_000, bodyTimeout: 60_000 });
  agents.set(address, agent);
  return agent;
};

const headersOf = ({ headers, keys }: z.output<typeof Client>, sent: number): Record<string, string> => {
  const key = keys?.[sent % keys.length];
  return { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
};

const sendOn = async (client: z.output<typeof Client>): Promise<void> => {
  const dispatcher = agentFrom(client.from);
  let sent = 0;
  do {
    try {
      const answer = await request(`${origin}${client.path}`, {
        dispatcher,
        headers: headersOf(client, sent),
        ...(client.body !== undefined && { method: 'POST', body: JSON.stringify(client.body) }),
      });
      await answer.body.dump({ limit: 10_000_000 });
      count(answer.statusCode);
      if (answer.statusCode !== 200 && seconds > 0) await sleep(20);
    } catch (error) {
      count(error instanceof Error && 'code' in error ? String(error.code) : String(error));
    }
    sent += 1;
  } while (performance.now() < ends);
};

const readSlowly = async (client: z.output<typeof Client>): Promise<void> => {
  const { hostname, port, host } = new URL(origin);
  for (let sent = 0; performance.now() < ends; sent += 1) {
    const plain = connectPlain({ host: hostname, port: Number(port), localAddress: client.from });
    const socket = connect({ socket: plain, host: hostname, ca: certificate });
    for (const each of [plain, socket]) each.on('error', () => {});
    socket.pause();
    const lines = Object.entries(headersOf(client, sent)).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${client.path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`);
    while (performance.now() < ends && !socket.destroyed) {
      await sleep(1_000);
      socket.read(1_000);
    }
    count('slow reader ended');
    socket.destroy();
  }
};

await Promise.all(clients.map((client) => (client.isSlow ? readSlowly(client) : sendOn(client))));
process.stdout.write(JSON.stringify(tally));
process.exit(0);
