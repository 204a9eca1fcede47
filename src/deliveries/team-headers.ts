import { z } from 'zod';
import type { Vault } from '../core/crypto.ts';
import { webhookLimits } from '../core/limits.ts';
import { makeRedactor, redactedMark } from '../core/redacted.ts';
import type { RequestResult } from '../egress/egress.ts';

// Headers that a team adds to the requests to an endpoint, for instance for a gateway in front of its receiver. Their
// values are secrets: they are encrypted in the database, and nothing else that is stored or shown has them in a form
// that we recognize.

/** Values by name, as the team wrote the names. */
export type TeamHeaders = ReadonlyMap<string, string>;

export const headersPurpose = 'webhook-headers';

const Stored = z.array(z.tuple([z.string(), z.string()]));

/** The headers encrypted for the database; null if there are none. */
export const sealHeaders = (vault: Vault, endpointId: string, headers: TeamHeaders): Buffer<ArrayBuffer> | null =>
  headers.size === 0 ? null : vault.seal(headersPurpose, endpointId, JSON.stringify([...headers]));

export const unsealHeaders = (vault: Vault, endpointId: string, sealed: Uint8Array | null): TeamHeaders =>
  new Map(sealed === null ? [] : Stored.parse(JSON.parse(vault.open(headersPurpose, endpointId, sealed))));

/** A name begins with a letter or a digit, so it is never `__proto__`, which is special in JavaScript. */
export const headerNamePattern = /^[A-Za-z0-9][A-Za-z0-9!#$%&'*+.^_`|~-]*$/;

/** Names that HTTP or the connection uses, in lower case. */
const namesOfHttp = new Set([
  'accept-encoding',
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'user-agent',
]);

const reservedPrefixes = ['content-', 'transfer-', 'svc-', 'webhook-'];

/** Whether HTTP, the signature or the service itself uses a header, so that a team can't set it. */
export const isReserved = (name: string): boolean => {
  const lower = name.toLowerCase();
  return namesOfHttp.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix));
};

/** The team's headers in the form in which they are stored with an attempt. */
export const withHiddenValues = (headers: TeamHeaders): Record<string, string> =>
  Object.fromEntries([...headers.keys()].map((name) => [name, redactedMark]));

/**
 * The result of a request as it is stored: without the values of the headers, because a receiver may repeat the request
 * in its answer. The answer was cut before, so it may end with the beginning of a value. The excerpt is cut again,
 * because `[redacted]` may be longer than the text that it replaces.
 */
export const withoutValues = (result: RequestResult, headers: TeamHeaders): RequestResult => {
  if (headers.size === 0) return result;
  const redact = makeRedactor(headers.values());
  const { excerpt, headers: received } = result;
  return {
    ...result,
    excerpt: excerpt === null ? null : [...redact(excerpt)].slice(0, webhookLimits.excerptCharacters).join(''),
    headers:
      received && Object.fromEntries(Object.entries(received).map(([name, value]) => [redact(name), redact(value)])),
  };
};
