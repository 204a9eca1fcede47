import type { Request, Response } from 'express';
import { putInBytes } from '../core/raw-json.ts';
import { needAnswerSize, settleWith } from '../http/exchange.ts';

/**
 * Holds back what tRPC writes until the answer is whole: its raw parts are put in, and one that is larger than any may be is
 * answered as `refuse` says instead. `done` runs when the answer is whole, with its size. Nothing here is streamed, so nobody waits longer for it.
 */
export const writeWhole = (
  { exchange }: Request,
  response: Response,
  done: (bytes: number) => void,
  refuse: (error: unknown) => { status: number; body: string },
): void => {
  const chunks: Uint8Array[] = [];
  const take = (chunk: unknown): void => {
    if (chunk instanceof Uint8Array) chunks.push(chunk);
    else if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
  };
  const end: (body: Buffer) => Response = response.end.bind(response);
  response.write = (chunk: unknown) => {
    take(chunk);
    return true;
  };
  response.end = (chunk?: unknown) => {
    take(chunk);
    settleWith(exchange.answering, response);
    let body = putInBytes(Buffer.concat(chunks));
    try {
      needAnswerSize(body.length);
      // tRPC ends an answer without a status where it could not read the request at all.
      if (!Number.isInteger(response.statusCode)) throw new Error('tRPC gave an answer without a status');
    } catch (error) {
      const refusal = refuse(error);
      response.statusCode = refusal.status;
      body = Buffer.from(refusal.body);
    }
    done(body.length);
    exchange.answering.written?.(body.length);
    if (!response.headersSent) response.setHeader('Content-Length', body.length);
    return end(body);
  };
};
