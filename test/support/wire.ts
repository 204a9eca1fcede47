import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { listen } from './ports.ts';
import { createDatabase } from './postgres.ts';
import { startTestService, type ServiceOptions, type TestService } from './service.ts';

/**
 * A proxy in front of PostgreSQL that records every message to the server, except for those of `Cells`, which looks
 * every two seconds where the teams of a distributed database are.
 */
export interface Wire {
  readonly url: string;
  /**
   * The statements of each round trip since the last call. A round trip ends with a message that requests an answer
   * (Sync, Query).
   */
  takeRoundTrips(): string[][];
  /**
   * Cuts one connection, when it sends a statement with this text for the `nth` time of all connections. Resolves then.
   */
  cutAt(text: string, nth?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Parses the client's messages of PostgreSQL's protocol: a start-up message without a type (here: an empty one), then type,
 * length and content.
 */
const listenIn = (onMessage: (type: string, content: Buffer) => void) => {
  let pending: Buffer = Buffer.alloc(0);
  let started = false;
  return (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const header = started ? 1 : 0;
      if (pending.length < header + 4) return;
      const end = header + pending.readInt32BE(header);
      if (pending.length < end) return;
      onMessage(pending.toString('latin1', 0, header), pending.subarray(header + 4, end));
      started = true;
      pending = pending.subarray(end);
    }
  };
};

const textsOf = (content: Buffer): string[] => content.toString('utf8').split('\0');

/** `port`: a fixed port, if a client already tries to connect to it; otherwise a free one. */
export const openWire = async (databaseUrl: string, port = 0): Promise<Wire> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let trips: string[][] = [];
  let isCut = (_statement: string): boolean => false;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const prepared = new Map<string, string>();
    let trip: string[] = [];
    let isOfCells = false;
    const endTrip = () => {
      if (!isOfCells) trips.push(trip);
      trip = [];
    };
    client.on(
      'data',
      listenIn((type, content) => {
        const [first = '', second = ''] = textsOf(content);
        if (type === '') isOfCells = content.includes('team-customer-api cells');
        if (type === 'P') prepared.set(first, second);
        // Before the statement is passed on.
        if ((type === 'P' && isCut(second)) || (type === 'Q' && isCut(first))) client.destroy();
        if (type === 'B') trip.push(prepared.get(second) ?? `unknown ${second}`);
        if (type === 'Q') trip.push(first);
        if (type === 'Q' || type === 'S') endTrip();
      }),
    );
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  const url = new URL(databaseUrl);
  url.port = String(await listen(server, port));

  return {
    url: url.href,
    takeRoundTrips: () => {
      const taken = trips;
      trips = [];
      return taken;
    },
    cutAt: (text, nth = 1) =>
      new Promise((resolve) => {
        let left = nth;
        isCut = (statement) => {
          if (!statement.includes(text)) return false;
          left -= 1;
          if (left === 0) resolve();
          return left === 0;
        };
      }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** A service behind a recording proxy to the database; close it at the end of the file. */
export const startWiredService = async (
  options: Pick<ServiceOptions, 'environment' | 'signIn'> = {},
): Promise<{ service: TestService; wire: Wire; close(): Promise<void> }> => {
  const database = await createDatabase();
  const wire = await openWire(database.url);
  const service = await startTestService({ ...options, databaseUrl: wire.url });
  return {
    service,
    wire,
    async close() {
      await service.close();
      await wire.close();
      await database.drop();
    },
  };
};

/** The same for the whole test file; closed at its end. */
export const useWiredService = async (...options: Parameters<typeof startWiredService>) => {
  const { close, ...wired } = await startWiredService(...options);
  afterAll(close);
  return wired;
};
