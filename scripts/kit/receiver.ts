// Customers' receivers over TLS, in their own process. `startReceiver` starts this file as a program: receiver.ts PEM
// PORT ADDRESSES FAILING [PROXY] (a file with certificate and key, the port and the IPv4 addresses on which it listens,
// the share of requests to a faulty path that fail, and the port of a proxy that takes every connection to it).

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { makeCertificate } from './certificate.ts';
import { freePort, startProgram } from './processes.ts';

/** How the receiver handles a request. The first part of the path says it. */
export type Conduct = 'ok' | 'hang' | 'faulty' | 'slow' | 'refuse' | 'uncounted' | 'feed';

/** `count` returns numbers; `take` returns all arrivals and clears them. */
type Question = 'count' | 'take';

/** A delivery that was answered with 2xx. */
const Arrival = z.object({
  /** The last part of the path. */
  endpoint: z.string(),
  /** The event id from the header. */
  event: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
});
export type Arrival = z.output<typeof Arrival>;

const Answer = z.object({ requests: z.int(), arrived: z.int(), arrivals: z.array(Arrival) });
type Answer = z.output<typeof Answer>;

// The process that asks

export interface Receiver extends AsyncDisposable {
  readonly pid: number;
  /** The settings of a process that sends to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The URL of an endpoint: each endpoint gets the next host in turn, or all get the same host. */
  urlFor(conduct: Conduct, endpoint: string, at: 'hosts in turn' | 'one host'): string;
  /** The requests and the arrivals since the last `take`. */
  take(): Promise<{ requests: number; arrivals: Arrival[] }>;
  /** Waits until `count` deliveries were answered with 2xx. */
  untilArrived(count: number, timeoutMs: number): Promise<void>;
}

const pollIntervalMs = 50;

interface ReceiverOptions {
  hosts?: number;
  /** The share of requests to faulty paths that fail. */
  failing?: number;
  /**
   * In production receivers have public addresses. No packet is sent there: all go through the proxy of
   * WEBHOOK_PROXY_URL, which takes them to this receiver.
   */
  inProduction?: boolean;
}

/** Starts a receiver with so many hosts, whose files are in the folder. */
export const startReceiver = async (
  folder: string,
  { hosts = 2, failing = 0, inProduction = false }: ReceiverOptions = {},
): Promise<Receiver> => {
  const [network, listening] = inProduction ? ['93.184.216', ['127.0.0.1']] : ['127.0.0', undefined];
  const addresses = Array.from({ length: hosts }, (_, index) => `${network}.${index + 1}`);
  const { cert, key } = await makeCertificate(addresses);
  const [pemFile, caFile] = [join(folder, 'receiver.pem'), join(folder, 'ca.pem')];
  await Promise.all([writeFile(pemFile, `${cert}${key}`, { mode: 0o600 }), writeFile(caFile, cert)]);
  const [port, proxyPort] = [await freePort(), inProduction ? await freePort() : 0];
  const words = [pemFile, port, listening ?? addresses, failing, proxyPort].map(String);
  const program = await startProgram([import.meta.filename, ...words]);
  const allowed = inProduction
    ? { WEBHOOK_PROXY_URL: `http://127.0.0.1:${proxyPort}` }
    : { WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8' };
  let urls = 0;

  /** One question must be answered before the next one is asked, because an answer has no id of its question. */
  const ask = async (question: Question): Promise<Answer> => {
    program.child.send(question);
    const [answer] = await once(program.child, 'message');
    return Answer.parse(answer);
  };

  return {
    pid: program.pid,
    environment: { ...allowed, WEBHOOK_CA_FILE: caFile },
    urlFor(conduct, endpoint, at) {
      const turn = at === 'one host' ? 0 : (urls += 1) % addresses.length;
      return `https://${addresses[turn]}:${port}/${conduct}/${endpoint}`;
    },
    take: () => ask('take'),
    async untilArrived(wanted, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const { arrived } = await ask('count');
        if (arrived >= wanted) return;
        if (Date.now() > deadline) throw new Error(`${arrived} of ${wanted} deliveries arrived in ${timeoutMs} ms`);
        await sleep(pollIntervalMs);
      }
    },
    [Symbol.asyncDispose]: () => program.kill('SIGTERM'),
  };
};

// The program

const ids = Array.from({ length: 200 }, (_, index) => `D-${index}`);
const feedPage = JSON.stringify({
  deals: ids.map((id) => ({ id, outcome: 'open', title: `Deal ${id}`, amount: '18400.50', currency: 'EUR' })),
  objections: ids.map((id) => ({ id: `O-${id}`, deal_id: id, category: 'price', text: 'Zu teuer.', lang: 'de' })),
  next_cursor: null,
});

/** Takes every connection to the receiver, wherever it should go. */
const startProxy = async (proxyPort: number, port: number, host: string): Promise<void> => {
  const proxy = createProxy().listen(proxyPort, '127.0.0.1');
  proxy.on('connect', (_request, client) => {
    const target = connect(port, host, () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    client.pipe(target).pipe(client);
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const)
      socket.on('error', () => {}).once('close', () => other.destroy());
  });
  await once(proxy, 'listening');
};

const receive = async (
  pemFile: string,
  {
    port,
    addresses,
    failing,
    proxyPort,
  }: { port: number; addresses: readonly string[]; failing: number; proxyPort: number },
): Promise<void> => {
  let requests = 0;
  let arrivals: Arrival[] = [];

  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const endpoint = request.url?.split('/').at(-1) ?? '';
    arrivals.push({ endpoint, event: String(request.headers['svc-event-id']), at: Date.now() });
    response.end();
  };
  const refuse = (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(500).end('not now');

  /** 60 % of the failing requests get status 500, 30 % are cut off, and 10 % get status 500 after a delay. */
  const fault = (request: IncomingMessage, response: ServerResponse): void => {
    const kind = Math.random();
    if (kind < 0.6) refuse(request, response);
    else if (kind < 0.9) request.socket.destroy();
    else void sleep(3_000).then(() => refuse(request, response));
  };

  const conducts: Record<Conduct, (request: IncomingMessage, response: ServerResponse) => void> = {
    ok: take,
    hang: () => {},
    /** Answers 200 shortly before the attempt's time-out; not counted as arrived. */
    slow: (_request, response) => void sleep(9_000).then(() => response.end()),
    refuse,
    uncounted: (_request, response) => void response.end(),
    /** Answers as a CRM's feed. */
    feed: (_request, response) => void response.setHeader('content-type', 'application/json').end(feedPage),
    faulty: (request, response) => (Math.random() < failing ? fault : take)(request, response),
  };
  const isConduct = (name: string): name is Conduct => Object.hasOwn(conducts, name);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const [, name = ''] = request.url?.split('/') ?? [];
    if (!isConduct(name)) throw new Error(`nothing is known of ${request.url ?? ''}`);
    request.resume().once('end', () => {
      requests += 1;
      conducts[name](request, response);
    });
  };

  const answer = (question: unknown): Answer => {
    const told = { requests, arrived: arrivals.length, arrivals: question === 'take' ? arrivals : [] };
    if (question === 'take') [requests, arrivals] = [0, []];
    return told;
  };

  const pem = readFileSync(pemFile);
  for (const host of addresses) {
    const server = createServer({ cert: pem, key: pem, keepAliveTimeout: 60_000 }, handle).listen(port, host);
    await once(server, 'listening');
  }
  if (proxyPort > 0) await startProxy(proxyPort, port, addresses[0] ?? '');
  process.on('message', (question) => process.send?.(answer(question)));
  process.once('disconnect', () => process.exit());
  console.log(JSON.stringify({ msg: 'started' }));
};

if (import.meta.main) {
  const [, , pemFile = '', port = '', addresses = '', failing = '0', proxyPort = '0'] = process.argv;
  await receive(pemFile, {
    port: Number(port),
    addresses: addresses.split(','),
    failing: Number(failing),
    proxyPort: Number(proxyPort),
  });
}
