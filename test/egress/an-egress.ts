import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { Egress, EgressSettings, Message } from '../../src/webhooks/egress/egress.ts';
import { openEgress } from '../../src/webhooks/egress/egress.ts';
import { certificates } from '../support/certificates.ts';
import { startNameServer } from '../support/name-server.ts';
import type { NameServer, Zone } from '../support/name-server.ts';
import { startRawReceiver, startReceiver } from '../support/receiver.ts';
import type { RawReceiver, Receiver } from '../support/receiver.ts';

/** Closes what a test opened when the test is over. */
const untilTheEnd = async <Open extends { close(): Promise<void> }>(opening: Open | Promise<Open>): Promise<Open> => {
  const open = await opening;
  onTestFinished(() => open.close());
  return open;
};

/** A way out that trusts the tests' certificates and, unless told otherwise, lets nothing private pass. */
export const anEgress = async (settings: Partial<EgressSettings> = {}): Promise<Egress> => {
  const { ca } = await certificates();
  return untilTheEnd(
    openEgress({ clock: systemClock, publicUrl: 'https://service.example', extraCa: ca, timeout: 5_000, ...settings }),
  );
};

/** One that may also reach the receivers on this machine. */
export const aLocalEgress = (settings: Partial<EgressSettings> = {}): Promise<Egress> =>
  anEgress({ allowTargets: ['127.0.0.1/32'], ...settings });

export const aReceiver = (...settings: Parameters<typeof startReceiver>): Promise<Receiver> =>
  untilTheEnd(startReceiver(...settings));

export const aRawReceiver = (...settings: Parameters<typeof startRawReceiver>): Promise<RawReceiver> =>
  untilTheEnd(startRawReceiver(...settings));

export const aNameServer = (zone: Zone): Promise<NameServer> => untilTheEnd(startNameServer(zone));

export const aMessage = (url: string): Message => ({
  url,
  headers: { 'Content-Type': 'application/json', 'Svc-Event-Id': 'evt_1' },
  body: '{"id":"evt_1"}',
});

/** Answers every request in these very bytes. */
export const answering = (bytes: string | Buffer) => (socket: Socket) =>
  void socket.once('data', () => socket.write(bytes));

/** Sends a piece again and again until the other side has enough. */
export const writeForever = (socket: Socket, piece: string | Buffer, everyMs: number): void => {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
};

/** Every TCP connection that this process begins, from now until the test is over. */
export const outgoingSockets = (): readonly Socket[] => {
  const begun: Socket[] = [];
  const note = (message: unknown) => {
    if (isBeginning(message)) begun.push(message.socket);
  };
  subscribe('net.client.socket', note);
  onTestFinished(() => {
    unsubscribe('net.client.socket', note);
  });
  return begun;
};

const isBeginning = (message: unknown): message is { socket: Socket } =>
  typeof message === 'object' && message !== null && 'socket' in message;
