import type { WebhookErrorReason } from './webhooks.ts';
import { keysOf, timeOfMatch, type ReadSignature } from './webhook-signature.ts';

interface Cause {
  reason: WebhookErrorReason;
  message: string;
}

/**
 * The service sends at most 16 KiB, and a changed body may be larger. The cause is not searched for a body above this
 * size.
 */
const largestBody = 65_536;

/** Possible texts of the sent body, obtained by undoing the usual mistakes. */
const possibleOriginals = (body: Uint8Array<ArrayBuffer>): [what: string, original: Uint8Array<ArrayBuffer>][] => {
  const encoder = new TextEncoder();
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const found: [string, Uint8Array<ArrayBuffer>][] = [
    ['has white space before or after it', encoder.encode(text.replace(/^\u{FEFF}/u, '').trim())],
    // Each byte of UTF-8 was decoded as one character.
    ['was decoded as Latin-1 and encoded as UTF-8', Uint8Array.from(text, (character) => character.charCodeAt(0))],
  ];
  try {
    const value: unknown = JSON.parse(text.trim());
    found.push(['was parsed and written as JSON again', encoder.encode(JSON.stringify(value))]);
    // Some programs sort the fields alphabetically.
    const { id, type, created_at, api_version, tenant_id, data } = Object(value);
    const ordered = JSON.stringify({ id, type, created_at, api_version, tenant_id, data });
    found.push(['was parsed and written as JSON again, in another order', encoder.encode(ordered)]);
  } catch {
    // Not JSON: `causeOf` reports this.
  }
  return found;
};

const isJson = (body: Uint8Array<ArrayBuffer>): boolean => {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
};

/** The secret without the usual mistakes: spaces, quotes or a lost prefix. */
const repairedSecret = (secret: string): string => {
  const bare = secret.trim().replace(/^["'](.*)["']$/, '$1');
  return bare.startsWith('whsec_') ? bare : `whsec_${bare}`;
};

/** Tries to find out why no signature matches, by undoing the usual mistakes one after the other. */
export const causeOf = async (
  body: Uint8Array<ArrayBuffer>,
  signatures: readonly ReadSignature[],
  secrets: readonly string[],
): Promise<Cause> => {
  if (body.length === 0) {
    return {
      reason: 'body_changed',
      message: 'The body is empty: something has already read it, for example a body parser.',
    };
  }
  if (body.length <= largestBody) {
    const others = secrets.map(repairedSecret).filter((secret) => !secrets.includes(secret));
    if (others.length > 0 && (await timeOfMatch(body, signatures, await keysOf(others))) !== undefined) {
      const message = 'The secret has spaces or quotes around it, or lacks whsec_ at its beginning.';
      return { reason: 'malformed_secret', message };
    }
    const keys = await keysOf(secrets);
    for (const [what, original] of possibleOriginals(body)) {
      if ((await timeOfMatch(original, signatures, keys)) !== undefined) {
        return { reason: 'body_changed', message: `The body ${what}. Verify the raw body, before anything parses it.` };
      }
    }
    if (!isJson(body)) {
      const message = 'The body is not JSON, but the service always sends JSON. Verify the raw body.';
      return { reason: 'body_changed', message };
    }
  }
  const wrong = secrets.find((secret) => repairedSecret(secret) !== secret);
  if (wrong !== undefined) {
    return { reason: 'malformed_secret', message: 'A secret has the form whsec_ and 43 or 44 letters and digits.' };
  }
  return {
    reason: 'wrong_secret',
    message:
      'No signature matches: this is the secret of another endpoint, the request is forged, or its body was changed.',
  };
};
