import { z } from 'zod';
import { secondsToMs } from '../../core/clock.ts';
import { isPlainLine } from '../../core/name-text.ts';
import { TtlMap } from '../../core/ttl-map.ts';
import { documentLimits } from '../../core/limits.ts';
import type { Egress } from '../../egress/egress.ts';
import { Failure } from '../../egress/failure.ts';
import type { ReceivedHeaders, WholeAnswer } from '../../egress/outgoing-request.ts';
import type { Platform } from '../../platform/team.ts';
import { clientNameOf, isRedirectUri, type AssistantClient } from './clients.ts';

// Client ID Metadata Documents: the client id of an assistant is the HTTPS address of a document with its name and its
// redirect addresses (draft-ietf-oauth-client-id-metadata-document). The document is fetched through the egress, which
// follows no redirects and whose guard refuses private addresses.

/** Whether a client id is the address of a document, in the only notation that is accepted. */
export const isDocumentUrl = (clientId: string): boolean => {
  if (clientId.length > documentLimits.urlCharacters || !isPlainLine(clientId)) return false;
  const url = URL.parse(clientId);
  // The URL parser resolves `.` and `..`, so a path with them has another text afterwards.
  if (url?.protocol !== 'https:' || url.href !== clientId || url.pathname === '/') return false;
  return url.username === '' && url.password === '' && !clientId.includes('#');
};

/**
 * The fields of a document that are read. Shared secrets can't be in a public document. A client that could show a key
 * is treated as a public one, like all clients, because the server's metadata offers nothing else.
 */
const ClientDocument = z.object({
  client_id: z.string(),
  client_name: z.exactOptional(z.string()),
  redirect_uris: z.array(z.string()),
  client_secret: z.exactOptional(z.never()),
  token_endpoint_auth_method: z.exactOptional(z.string().regex(/^(?!client_secret_)/)),
});

const jsonType = /^application\/(?:[\w.-]{1,100}\+)?json\s*(?:;|$)/i;

const textOf = (headers: ReceivedHeaders, name: string): string => [headers[name]].flat().join(', ').slice(0, 1_000);

const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

/** The assistant in a document; undefined if the document is not valid. */
const readDocument = (url: string, { code, headers, body }: WholeAnswer): AssistantClient | undefined => {
  if (code !== 200 || !jsonType.test(textOf(headers, 'content-type'))) return undefined;
  const read = ClientDocument.safeParse(parseJson(body));
  if (!read.success || read.data.client_id !== url) return undefined;
  // A document may also have addresses that are not accepted here, for instance with schemes of apps.
  const redirectUris = read.data.redirect_uris.filter(isRedirectUri);
  return redirectUris.length === 0
    ? undefined
    : { name: clientNameOf(read.data.client_name, [url]), redirectUris, documentHost: new URL(url).host };
};

/** How long a document is cached: as its headers say, within our limits. Without such a header: the shortest time. */
const cacheSecondsOf = (headers: ReceivedHeaders, now: Date): number => {
  const { min, max } = documentLimits.cacheSeconds;
  const control = textOf(headers, 'cache-control');
  const [, maxAge] = /\bmax-age=(\d{1,9})/i.exec(control) ?? [];
  const wanted =
    maxAge === undefined ? (Date.parse(textOf(headers, 'expires')) - now.getTime()) / 1000 : Number(maxAge);
  if (/\bno-(?:store|cache)\b/i.test(control) || Number.isNaN(wanted)) return min;
  return Math.min(max, Math.max(min, wanted));
};

const cachedDocuments = 1_000;

/** The assistants whose documents each egress has fetched. A process has one egress. */
const caches = new WeakMap<Egress, TtlMap<AssistantClient>>();

const cacheOf = (egress: Egress): TtlMap<AssistantClient> => {
  const cache = caches.get(egress) ?? new TtlMap<AssistantClient>({ capacity: cachedDocuments });
  caches.set(egress, cache);
  return cache;
};

/**
 * The assistant whose document is at this address; undefined if there is no valid one. `beforeFetch` runs if the
 * document is not in the cache. Failures are not cached.
 */
export const clientAt = async (
  { egress, clock }: Platform,
  url: string,
  beforeFetch: () => Promise<void>,
): Promise<AssistantClient | undefined> => {
  const now = clock.now();
  const cache = cacheOf(egress);
  const known = cache.get(url, now.getTime());
  if (known) return known;
  await beforeFetch();
  const answer = await egress
    .fetch({
      method: 'GET',
      url,
      headers: { Accept: 'application/json', 'User-Agent': 'Team-Customer-API' },
      timeout: documentLimits.timeoutMs,
      maxBytes: documentLimits.bytes,
    })
    .catch((error: unknown) => {
      if (error instanceof Failure) return undefined;
      throw error;
    });
  const client = answer && readDocument(url, answer);
  if (answer && client) {
    cache.set(url, client, { ttlMs: secondsToMs(cacheSecondsOf(answer.headers, now)), now: now.getTime() });
  }
  return client;
};
