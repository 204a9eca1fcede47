import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../core/limits.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { Problem } from '../../core/problem.ts';

const cutOffs = new WeakMap<IncomingMessage, Problem>();
const cutOffEvent = Symbol('cut off');

/**
 * Ends a request whose body will never be complete: reading the body fails with the problem, and the connection closes
 * after the answer.
 */
export const cutOff = (request: IncomingMessage, response: ServerResponse, problem: Problem): void => {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  cutOffs.set(request, problem);
  request.emit(cutOffEvent, problem);
};

const unreadable = ({ headers }: IncomingMessage, max: number): Problem | undefined => {
  if (Number(headers['content-length'] ?? 0) > max) return tooLarge(max);
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return coding === 'identity'
    ? undefined
    : new Problem('bad_request', { status: 415, detail: accessMessages.bodyCompressed });
};

const tooLarge = (max: number) => new Problem('bad_request', { status: 413, detail: accessMessages.bodyTooLarge(max) });

const cutShort = () => new Problem('bad_request', { detail: accessMessages.bodyCutShort });

/** The body's bytes, up to the limit. Rejects if the body will never be complete, for any reason. */
export const readBody = (request: IncomingMessage, max: number = limits.bodyBytes): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const problem = unreadable(request, max) ?? cutOffs.get(request) ?? (request.destroyed ? cutShort() : undefined);
    if (problem) {
      reject(problem);
      return;
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    // The rest of a body that is too large is read and discarded, so that the client starts to read its answer.
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= max) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(max));
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once(cutOffEvent, reject);
    request.once('error', () => reject(cutShort()));
    request.once('close', () => {
      if (!request.complete) reject(cutShort());
    });
  });
