import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

// Content codings, and contents that are made once and sent often: the files of the app, the documentation, the
// description of the API.

/** Below this size, compression saves no packet. */
export const compressedFrom = 1400;

const brotli = promisify(brotliCompress);

export const compress = {
  br: (text: string): Promise<Buffer> => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<string, Buffer>(gzip),
};

type Coding = 'identity' | keyof typeof compress;

/** The codings, beginning with the one that compresses best. */
const smallestFirst = ['br', 'gzip'] as const;

/** The smallest of the codings that a client accepts. Browsers accept Brotli too, but name gzip first. */
export const codingFor = (
  request: Request,
  codings: readonly (typeof smallestFirst)[number][] = smallestFirst,
): Coding => codings.find((coding) => request.acceptsEncodings(coding) === coding) ?? 'identity';

export interface Content {
  readonly type: string;
  /** The beginning of the content's ETags. */
  readonly tag: string;
  /** The content by its coding; only `identity` if it is small. */
  readonly bodies: Readonly<Partial<Record<Coding, Buffer>> & { identity: Buffer }>;
}

export const tagOf = (body: Buffer): string => hash('sha256', body, 'base64url').slice(0, 22);

/** Makes a content of bytes that are compressed already. */
export const compressedContentOf = (type: string, identity: Buffer): Content => ({
  type,
  tag: tagOf(identity),
  bodies: { identity },
});

/** Makes a content of a text, in all codings unless the text is small. */
export const contentOf = async (type: string, text: string): Promise<Content> => {
  const identity = Buffer.from(text);
  const [br, gzipped] = text.length < compressedFrom ? [] : [await compress.br(text), await compress.gzip(text)];
  return { type, tag: tagOf(identity), bodies: { identity, ...(br && gzipped && { br, gzip: gzipped }) } };
};

/** Each coding has its own ETag, because a strong ETag identifies exact bytes. */
const etagOf = (tag: string, coding: Coding): string => (coding === 'identity' ? `"${tag}"` : `"${tag}-${coding}"`);

/**
 * The ETag of a content that the client already has, in any coding. Express would ignore `If-None-Match` if the client
 * sends `Cache-Control: no-cache`, so it is compared here.
 */
const knownETag = ({ headers }: Request, tag: string, coding: Coding): string | undefined => {
  const known = headers['if-none-match']?.split(',').map((text) => text.trim().replace(/^W\//, ''));
  if (known?.includes('*')) return etagOf(tag, coding);
  const own = [coding, 'identity', 'br', 'gzip'] as const;
  return own.map((each) => etagOf(tag, each)).find((etag) => known?.includes(etag));
};

/** Sends a content in the smallest coding that the client accepts; 304 if the client has it already. */
export const sendContent = (request: Request, response: Response, { type, tag, bodies }: Content): void => {
  const made = smallestFirst.filter((each) => bodies[each]);
  const coding = codingFor(request, made);
  const body = bodies[coding] ?? bodies.identity;
  const known = knownETag(request, tag, coding);
  response.set({ 'Content-Type': type, ETag: known ?? etagOf(tag, coding) });
  if (known !== undefined) {
    response.status(304).end();
    return;
  }
  if (coding !== 'identity') response.set('Content-Encoding', coding);
  response.set('Content-Length', String(body.length)).end(body);
};
