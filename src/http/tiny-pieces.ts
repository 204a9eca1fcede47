import type { IncomingMessage } from 'node:http';

/** A body that comes in pieces is watched from so many on, and may not have pieces that are smaller on average. */
const watchedFrom = 1_000;
const leastBytes = 64;

/**
 * Calls `onTiny` for a body that comes in very many tiny chunks. Each chunk costs some ten microseconds and an object, whatever
 * its size, also in a body that nobody reads: a quarter of a million of them would stop the process for seconds.
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
