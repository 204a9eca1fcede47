import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';
import { needAnswerSize } from '../platform/answer-size.ts';

/** Below this a compressed answer saves no packet. */
const compressedFrom = 1400;

const encoders = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
};

const encodingFor = (request: Request): keyof typeof encoders | undefined => {
  const [wanted] = new Negotiator(request).encodings(['br', 'gzip', 'identity']);
  return wanted === 'br' || wanted === 'gzip' ? wanted : undefined;
};

interface Body {
  type: string;
  text: string;
  /** How many bytes it may have, unless the limit of every answer holds. */
  most?: number | undefined;
}

/** Writes a whole body at once, compressed where that pays and the client reads it. */
export const writeAnswer = async (request: Request, response: Response, { type, text, most }: Body): Promise<void> => {
  const bytes = Buffer.byteLength(text);
  needAnswerSize(bytes, most);
  request.exchange.answering.written?.(bytes);
  if (response.destroyed) return;
  response.setHeader('Content-Type', type);
  if (request.headers['accept-encoding'] !== undefined && text.length >= compressedFrom) {
    const encoding = encodingFor(request);
    if (encoding) {
      const body = await encoders[encoding](Buffer.from(text));
      response.setHeader('Content-Encoding', encoding);
      response.setHeader('Content-Length', body.length);
      response.end(body);
      return;
    }
  }
  response.setHeader('Content-Length', bytes);
  response.end(text);
};
