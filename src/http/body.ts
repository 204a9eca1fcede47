import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';

const kept = new WeakMap<IncomingMessage, () => number>();

/** Sets how many bytes of a request's body are in memory. By default none: the body of a refused request is discarded as it comes. */
export const countKept = (request: IncomingMessage, bytes: () => number): void => {
  kept.set(request, bytes);
};

/** The bytes of a body in memory: those read for an operation, and those waiting to be read. */
export const bodyBytesKept = (request: IncomingMessage): number =>
  (kept.get(request)?.() ?? 0) + request.readableLength;

const cutOffs = new WeakMap<IncomingMessage, Problem>();
const cutOffEvent = Symbol('cut off');

/** Ends a request whose body will never be complete: reading the body fails with the problem, and the connection closes behind the answer. */
export const cutOff = (request: IncomingMessage, response: ServerResponse, problem: Problem): void => {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  cutOffs.set(request, problem);
  request.emit(cutOffEvent, problem);
};

const unreadable = ({ headers }: IncomingMessage): Problem | undefined => {
  if (Number(headers['content-length'] ?? 0) > limits.bodyBytes) return tooLarge();
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return coding === 'identity'
    ? undefined
    : new Problem('bad_request', { status: 415, detail: 'A compressed body is not read.' });
};

const tooLarge = () =>
  new Problem('bad_request', { status: 413, detail: `A body has at most ${limits.bodyBytes} bytes.` });

const cutShort = () => new Problem('bad_request', { detail: 'The body ended too early.' });

/** The body's bytes, up to the limit. */
export const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const problem = unreadable(request) ?? cutOffs.get(request) ?? (request.destroyed ? cutShort() : undefined);
    if (problem) {
      reject(problem);
      return;
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    countKept(request, () => (size <= limits.bodyBytes ? size : 0));
    // The rest of a body that is too large is read and discarded, so that the client gets to reading its answer.
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= limits.bodyBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge());
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once(cutOffEvent, reject);
    request.once('error', () => reject(cutShort()));
    request.once('close', () => {
      if (!request.complete) reject(cutShort());
    });
  });
