import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished, vi } from 'vitest';
import { certificates, type Certificate } from './certificates.ts';
import { listen } from './ports.ts';
import { patience } from './patience.ts';

/** Settings with which the service reaches receivers on this machine. */
export const localFeeds = (caFile: string): Record<string, string> => ({
  WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
  WEBHOOK_CA_FILE: caFile,
});

/** A request that was received completely. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: Date;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** The behaviour of a receiver; `hang` never answers, `reset` cuts the connection instead. */
type Behaviour = Reply | 'hang' | 'reset';
export type AnswerProgress = (request: Received) => Behaviour | Promise<Behaviour>;

export interface Receiver {
  /** `https://127.0.0.1:port`, without a path. */
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** How many connections were accepted. */
  readonly connections: () => number;
  /** Waits until `wanted` requests were received, or until `wanted` returns true; returns all requests. */
  untilReceived(wanted: number | ((received: readonly Received[]) => boolean)): Promise<Received[]>;
  /** The answers from the next request on. */
  answerWith(answer: AnswerProgress): void;
  close(): Promise<void>;
}

interface ReceiverSettings {
  readonly answer?: AnswerProgress;
  /** By default a certificate for 127.0.0.1, ::1 and localhost. */
  readonly certificate?: Certificate;
  /** By default a free port. */
  readonly port?: number;
}

/** A customer's receiver on this machine, over real TLS. It answers 200 unless a test changes that. */
export const startReceiver = async ({
  answer = () => ({ status: 200 }),
  certificate,
  port: wantedPort,
}: ReceiverSettings = {}): Promise<Receiver> => {
  const received: Received[] = [];
  let answering = answer;
  let connections = 0;

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await buffer(request)).toString();
    const { method = '', url: path = '', headers } = request;
    const taken: Received = { method, path, headers, body, at: new Date() };
    received.push(taken);
    const behaviour = await answering(taken);
    if (behaviour === 'hang') return;
    if (behaviour === 'reset') request.socket.destroy();
    else response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
  };

  const { cert, key } = certificate ?? (await certificates()).server;
  const server = createServer({ cert, key }, (request, response) => {
    // Senders may disconnect at any time: that is no error of the receiver.
    take(request, response).catch(() => response.destroy());
  });
  server.on('secureConnection', () => (connections += 1));
  server.on('tlsClientError', () => {});
  server.on('clientError', (_error, socket) => socket.destroy());
  const port = await listen(server, wantedPort);

  return {
    url: `https://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    untilReceived: (wanted) =>
      vi.waitFor(
        () => {
          const isEnough = typeof wanted === 'number' ? received.length >= wanted : wanted(received);
          if (!isEnough) throw new Error(`The expected requests did not arrive: ${received.length} requests came`);
          return [...received];
        },
        { ...patience, interval: 2 },
      ),
    answerWith: (next) => {
      answering = next;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** A receiver that closes at the end of the test. */
export const aReceiver = async (settings?: ReceiverSettings): Promise<Receiver> => {
  const receiver = await startReceiver(settings);
  onTestFinished(() => receiver.close());
  return receiver;
};

export interface RawReceiver {
  readonly url: string;
  readonly port: number;
  /** The number of connections for which `onSocket` was called. */
  readonly connections: () => number;
  /** Ends the TCP connection of a (TLS) socket with a reset. */
  reset(socket: Socket): void;
  close(): Promise<void>;
}

interface RawSettings {
  readonly certificate?: Certificate;
  /** Whether the server expects a TLS handshake first. */
  readonly tls?: boolean;
  /** By default a free port. */
  readonly port?: number;
  /** By default 127.0.0.1. */
  readonly host?: string;
}

/** Gives tests the sockets instead of requests, for behaviour that normal servers never show. */
export const startRawReceiver = async (
  onSocket: (socket: Socket) => void,
  { certificate, tls = true, port: wantedPort, host }: RawSettings = {},
): Promise<RawReceiver> => {
  const sockets = new Set<Socket>();
  let connections = 0;
  const serve = (socket: Socket) => {
    connections += 1;
    socket.on('error', () => {});
    onSocket(socket);
  };
  const { cert, key } = certificate ?? (await certificates()).server;
  const server = tls ? createTlsServer({ cert, key }, serve) : createTcpServer(serve);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listen(server, wantedPort, host);
  return {
    url: `https://${host ?? '127.0.0.1'}:${port}`,
    port,
    connections: () => connections,
    reset: ({ remotePort }) => {
      for (const socket of sockets) if (socket.remotePort === remotePort) socket.resetAndDestroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
};
