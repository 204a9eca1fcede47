import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { lingering } from './refusal.ts';

/** The most bytes of a body that are read after its request was answered. Somebody who sends 10 MB by mistake gets the answer. */
const mostTaken = 16 * 1024 * 1024;

/** How often the bodies that are still coming in are looked at, in milliseconds. Node counts their bytes, but calls nobody for them. */
const lookEvery = 50;

interface Rest {
  readonly socket: Socket;
  readonly bytesBefore: number;
  closing: NodeJS.Timeout | undefined;
}

/**
 * Bounds what is taken of bodies whose requests were answered before the body ended, such as those without a key. Taking some of
 * it lets a client that sends first and reads later get its answer. Beyond `mostTaken` nothing more is read, and the connection is
 * closed once the client has had time to read the answer.
 */
export const boundRestOfBodies = (): ((request: IncomingMessage) => void) => {
  const coming = new Map<IncomingMessage, Rest>();
  let looking: NodeJS.Timeout | undefined;

  const look = (): void => {
    for (const [request, rest] of coming) {
      const { socket, bytesBefore } = rest;
      if (request.complete || socket.destroyed) {
        coming.delete(request);
        clearTimeout(rest.closing);
      } else if (!rest.closing && socket.bytesRead - bytesBefore > mostTaken) {
        socket.pause();
        rest.closing = setTimeout(() => socket.destroy(), lingering).unref();
      }
    }
    if (coming.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };

  return (request) => {
    const { socket } = request;
    if (request.complete || socket.destroyed) return;
    coming.set(request, { socket, bytesBefore: socket.bytesRead, closing: undefined });
    looking ??= setInterval(look, lookEvery).unref();
  };
};
