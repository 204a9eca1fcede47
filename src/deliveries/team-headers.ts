import { z } from 'zod';
import type { Vault } from '../core/crypto.ts';
import { redactedMark, withoutSecrets } from '../core/redacted.ts';
import type { RequestResult } from '../egress/egress.ts';

// Headers that a team adds to the requests to an endpoint, for instance for a gateway in front of its receiver. Their
// values are secrets: they are stored encrypted and sent, and nothing else contains them.

/** Values by name, as the team wrote the names. */
export type TeamHeaders = ReadonlyMap<string, string>;

export const headersPurpose = 'webhook-headers';

const Stored = z.array(z.tuple([z.string(), z.string()]));

/** Null if there are none. */
export const sealHeaders = (vault: Vault, endpointId: string, headers: TeamHeaders): Buffer<ArrayBuffer> | null =>
  headers.size === 0 ? null : vault.seal(headersPurpose, endpointId, JSON.stringify([...headers]));

export const unsealHeaders = (vault: Vault, endpointId: string, sealed: Uint8Array | null): TeamHeaders =>
  new Map(sealed === null ? [] : Stored.parse(JSON.parse(vault.open(headersPurpose, endpointId, sealed))));

/** Letters and digits come first, so no name is special in JavaScript. */
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

/** The headers of a request as its attempt is stored. */
export const withHiddenValues = (headers: TeamHeaders): Record<string, string> =>
  Object.fromEntries([...headers.keys()].map((name) => [name, redactedMark]));

/** Shorter values are too common to be replaced in the answer of a receiver. */
const shortestReplaced = 8;

/** The result of a request as it is stored: a receiver may answer with what it received. */
export const withoutValues = (result: RequestResult, headers: TeamHeaders): RequestResult => {
  const values = [...headers.values()].filter((value) => value.length >= shortestReplaced);
  if (values.length === 0) return result;
  const hidden = (text: string) => withoutSecrets(text, values);
  const { excerpt, headers: received } = result;
  return {
    ...result,
    excerpt: excerpt === null ? null : hidden(excerpt),
    headers:
      received === null
        ? null
        : Object.fromEntries(Object.entries(received).map(([name, value]) => [name, hidden(value)])),
  };
};
