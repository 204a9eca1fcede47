import type { IncomingMessage } from 'node:http';

const kept = new WeakMap<IncomingMessage, () => number>();

/** Says how much of a request's body is in memory. Without it nothing is: a refused body is thrown away as it comes. */
export const countKept = (request: IncomingMessage, bytes: () => number): void => {
  kept.set(request, bytes);
};

/** How many bytes of a body are in memory: what was read for an operation, and what waits to be read. */
export const bodyBytesKept = (request: IncomingMessage): number =>
  (kept.get(request)?.() ?? 0) + request.readableLength;
