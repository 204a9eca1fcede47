import { createHmac, randomBytes } from 'node:crypto';
import type { Vault } from '../core/crypto.ts';

export const purpose = 'webhook-secret';

/** What an endpoint's events are signed with: `whsec_` and 43 characters of base64url. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

export const sealSecret = (vault: Vault, endpointId: string, secret: string): Buffer<ArrayBuffer> =>
  vault.seal(purpose, endpointId, secret);

export const openSecret = (vault: Vault, endpointId: string, sealed: Uint8Array): string =>
  vault.open(purpose, endpointId, sealed);

const mostOpened = 1_000;

/** Opens secrets and keeps those of the endpoints that were sent to last: a lane needs the same one for each delivery. */
export const secretOpener = (vault: Vault): ((endpointId: string, sealed: Uint8Array) => string) => {
  const opened = new Map<string, { sealed: Uint8Array; secret: string }>();
  return (endpointId, sealed) => {
    const known = opened.get(endpointId);
    if (known && Buffer.compare(known.sealed, sealed) === 0) return known.secret;
    const secret = openSecret(vault, endpointId, sealed);
    if (opened.size >= mostOpened) opened.clear();
    opened.set(endpointId, { sealed, secret });
    return secret;
  };
};

/** The version of events that new endpoints get; an endpoint keeps the one it was created with. */
export const apiVersion = '2026-11';

/** An event's id as receivers see it. */
export const publicEventId = (id: string): string => `evt_${id.replaceAll('-', '')}`;

interface EventToSend {
  tenantId: string;
  eventId: string;
  type: string;
  /** Of the event, as answers write times. */
  createdAt: string;
  apiVersion: string;
  data: unknown;
}

/** What is sent: the same bytes at every attempt. */
export const bodyOf = ({ tenantId, eventId, type, createdAt, apiVersion, data }: EventToSend): string =>
  JSON.stringify({
    id: publicEventId(eventId),
    type,
    created_at: createdAt,
    api_version: apiVersion,
    tenant_id: tenantId,
    data,
  });

/** The value of `Svc-Signature`; the whole secret, as it was shown, is the key. */
export const signatureOf = (secret: string, body: string, at: Date): string => {
  const t = Math.floor(at.getTime() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return `t=${t},v1=${v1}`;
};
