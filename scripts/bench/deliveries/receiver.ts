// Customers' receivers in their own process, over TLS. `node receiver.ts PEM ADDRESSES FAILING`: a file with certificate and key, the IPv4
// addresses of the hosts separated by commas, and the share of requests to a faulty path that fail.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Question } from './receiver-words.ts';
import type { Answer, Arrival, Conduct } from './receiver-words.ts';

const [, , pemFile = '', addresses = '127.0.0.1', failing = '0'] = process.argv;
const slow = 3_000;

let requests = 0;
let arrivals: Arrival[] = [];

const take = (request: IncomingMessage, response: ServerResponse): void => {
  const endpoint = request.url?.split('/').at(-1) ?? '';
  arrivals.push({ endpoint, event: String(request.headers['svc-event-id']), at: Date.now() });
  response.end();
};

const refuse = (response: ServerResponse): void => void response.writeHead(500).end('not now');

/** 60 % of the failing requests get status 500, 30 % are cut off, and 10 % get status 500 after a delay. */
const fault = (request: IncomingMessage, response: ServerResponse): void => {
  const kind = Math.random();
  if (kind < 0.6) refuse(response);
  else if (kind < 0.9) request.socket.destroy();
  else void sleep(slow).then(() => refuse(response));
};

const conducts: Record<Conduct, (request: IncomingMessage, response: ServerResponse) => void> = {
  ok: take,
  hang: () => {},
  /** Answers 200 shortly before the attempt's time-out; not counted as arrived. */
  slow: (_request, response) => void sleep(9_000).then(() => response.end()),
  refuse: (_request, response) => refuse(response),
  uncounted: (_request, response) => void response.end(),
  faulty: (request, response) => (Math.random() < Number(failing) ? fault : take)(request, response),
};

const isConduct = (name: string): name is Conduct => Object.hasOwn(conducts, name);

const receive = (request: IncomingMessage, response: ServerResponse): void => {
  const [, name = ''] = request.url?.split('/') ?? [];
  if (!isConduct(name)) throw new Error(`nothing is known of ${request.url ?? ''}`);
  request.resume().once('end', () => {
    requests += 1;
    conducts[name](request, response);
  });
};

const answer = (question: Question): Answer => {
  const told = { requests, arrived: arrivals.length, arrivals: question === 'take' ? arrivals : [] };
  if (question === 'take') [requests, arrivals] = [0, []];
  return told;
};

const pem = readFileSync(pemFile);
const open = async (host: string): Promise<string> => {
  const server = createServer({ cert: pem, key: pem, keepAliveTimeout: 60_000 }, receive).listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return `https://${host}:${address !== null && typeof address === 'object' ? address.port : 0}`;
};

const origins = await Promise.all(addresses.split(',').map(open));
process.on('message', (question) => process.send?.(answer(Question.parse(question))));
process.once('disconnect', () => process.exit());
console.log(JSON.stringify({ msg: 'started', origins }));
