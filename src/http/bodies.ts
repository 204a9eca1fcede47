import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { lingering } from './refusal.ts';

// The bodies of requests: reading them up to a limit, and limits for bodies that no operation reads.

// Reading

const kept = new WeakMap<IncomingMessage, () => number>();

/** Sets how many bytes of a request's body are in memory. Default: none, because the body of a refused request is discarded. */
export const countKept = (request: IncomingMessage, bytes: () => number): void => {
  kept.set(request, bytes);
};

/** The bytes of a body in memory: those read for an operation, and those waiting to be read. */
export const bodyBytesKept = (request: IncomingMessage): number =>
  (kept.get(request)?.() ?? 0) + request.readableLength;

const cutOffs = new WeakMap<IncomingMessage, Problem>();
const cutOffEvent = Symbol('cut off');

/**
 * Ends a request whose body will never be complete: reading the body fails with the problem, and the connection closes after the answer.
 */
export const cutOff = (request: IncomingMessage, response: ServerResponse, problem: Problem): void => {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  cutOffs.set(request, problem);
  request.emit(cutOffEvent, problem);
};

const unreadable = ({ headers }: IncomingMessage, most: number): Problem | undefined => {
  if (Number(headers['content-length'] ?? 0) > most) return tooLarge(most);
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return coding === 'identity'
    ? undefined
    : new Problem('bad_request', { status: 415, detail: 'A compressed body is not read.' });
};

const tooLarge = (most: number) =>
  new Problem('bad_request', { status: 413, detail: `A body has at most ${most} bytes.` });

const cutShort = () => new Problem('bad_request', { detail: 'The body ended too early.' });

/** The body's bytes, up to the limit. Rejects if the body will never be complete, for any reason. */
export const readBody = (request: IncomingMessage, most: number = limits.bodyBytes): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const problem = unreadable(request, most) ?? cutOffs.get(request) ?? (request.destroyed ? cutShort() : undefined);
    if (problem) {
      reject(problem);
      return;
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    countKept(request, () => (size <= most ? size : 0));
    // The rest of a body that is too large is read and discarded, so that the client starts to read its answer.
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(most));
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once(cutOffEvent, reject);
    request.once('error', () => reject(cutShort()));
    request.once('close', () => {
      if (!request.complete) reject(cutShort());
    });
  });

// Bodies of answered requests

/**
 * The maximum of bytes that are read of a body after its request was answered. So a client that sends 10 MB by mistake still gets the
 * answer.
 */
const mostTaken = 16 * 1024 * 1024;

/** Milliseconds between checks of the bodies that are still coming in: Node counts their bytes, but emits no event. */
const checkEveryMs = 50;

interface Rest {
  readonly socket: Socket;
  readonly bytesBefore: number;
  closing: NodeJS.Timeout | undefined;
}

/**
 * Limits how much is read of bodies whose requests were answered before the body ended, such as requests without a key. Some of it must be
 * read, because clients that first send everything would otherwise not get their answer. After `mostTaken` bytes, reading stops, and the
 * connection is closed when the client has had time to read the answer.
 */
export const boundRestOfBodies = (): ((request: IncomingMessage) => void) => {
  const coming = new Map<IncomingMessage, Rest>();
  let checking: NodeJS.Timeout | undefined;

  const check = (): void => {
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
    clearInterval(checking);
    checking = undefined;
  };

  return (request) => {
    const { socket } = request;
    if (request.complete || socket.destroyed) return;
    coming.set(request, { socket, bytesBefore: socket.bytesRead, closing: undefined });
    checking ??= setInterval(check, checkEveryMs).unref();
  };
};

// Tiny chunks

/** The average size of chunks is checked from this number of chunks on. */
const watchedFrom = 1_000;
const leastBytes = 64;

/**
 * Calls `onTiny` for a body with very many tiny chunks. Each chunk costs some ten microseconds and an object, whatever its size, even if no
 * operation reads the body. A quarter of a million of them would block the process for seconds.
 */
export const watchPieces = (request: IncomingMessage, onTiny: () => void): void => {
  if (request.headers['transfer-encoding'] === undefined) return;
  const push = request.push.bind(request);
  let [pieces, bytes, isTiny] = [0, 0, false];
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (isTiny) return false;
    if (chunk instanceof Uint8Array) {
      pieces += 1;
      bytes += chunk.length;
      if (pieces > watchedFrom && bytes < pieces * leastBytes) {
        isTiny = true;
        onTiny();
        return false;
      }
    }
    return push(chunk, encoding);
  };
};
