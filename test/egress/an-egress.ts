import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { openEgress, type Egress, type EgressSettings, type OutgoingMessage } from '../../src/egress/egress.ts';
import { certificates } from '../support/certificates.ts';
import { startNameServer, type NameServer, type Zone } from '../support/name-server.ts';
import { startRawReceiver, type RawReceiver } from '../support/receiver.ts';

/** Closes at the end of the test what the test opened. */
const untilTheEnd = async <Open extends { close(): Promise<void> }>(opening: Open | Promise<Open>): Promise<Open> => {
  const open = await opening;
  onTestFinished(() => open.close());
  return open;
};

/** An egress that trusts the tests' certificates and by default refuses private addresses. */
export const anEgress = async (settings: Partial<EgressSettings> = {}): Promise<Egress> => {
  const { ca } = await certificates();
  return untilTheEnd(
    openEgress({ clock: systemClock, publicUrl: 'https://service.example', extraCa: ca, timeout: 5_000, ...settings }),
  );
};

/** An egress that may also connect to receivers on this machine. */
export const aLocalEgress = (settings: Partial<EgressSettings> = {}): Promise<Egress> =>
  anEgress({ allowTargets: ['127.0.0.1/32'], ...settings });

export const aRawReceiver = (...settings: Parameters<typeof startRawReceiver>): Promise<RawReceiver> =>
  untilTheEnd(startRawReceiver(...settings));

export const aNameServer = (zone: Zone): Promise<NameServer> => untilTheEnd(startNameServer(zone));

export const aMessage = (url: string): OutgoingMessage => ({
  url,
  headers: { 'Content-Type': 'application/json', 'Svc-Event-Id': 'evt_1' },
  body: '{"id":"evt_1"}',
});

/** Answers every request with exactly these bytes. */
export const answering = (bytes: string | Buffer) => (socket: Socket) =>
  void socket.once('data', () => socket.write(bytes));

/** Sends a piece again and again until the other side closes. */
export const writeForever = (socket: Socket, piece: string | Buffer, everyMs: number): void => {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
};

/** All TCP connections that this process opens from now until the end of the test. */
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
