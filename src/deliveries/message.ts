import { createHmac } from 'node:crypto';
import { randomText, type Vault } from '../core/crypto.ts';
import { userAgent } from '../core/product.ts';

export const purpose = 'webhook-secret';

const secretPrefix = 'whsec_';

/**
 * A new endpoint's secret: `whsec_` and 44 letters and digits, which both base64 alphabets decode to the same 33 bytes.
 */
export const makeSecret = (): string => `${secretPrefix}${randomText(44)}`;

export const sealSecret = (vault: Vault, endpointId: string, secret: string): Buffer<ArrayBuffer> =>
  vault.seal(purpose, endpointId, secret);

export const unsealSecret = (vault: Vault, endpointId: string, sealed: Uint8Array): string =>
  vault.open(purpose, endpointId, sealed);

/** The version of events that new endpoints get; an endpoint keeps the one it was created with. */
export const apiVersion = '2026-11';

/** An event's id in its public form. */
export const publicEventId = (id: string): string => `evt_${id.replaceAll('-', '')}`;

const written = /^(?:evt_)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** An event's id from its public form or a UUID; undefined for any other text. */
export const readEventId = (given: string): string | undefined => written.exec(given)?.slice(1).join('-');

interface EventToSend {
  tenantId: string;
  eventId: string;
  type: string;
  /** The time of the event, in the format of answers. */
  createdAt: string;
  apiVersion: string;
  data: unknown;
}

/** An event as receivers get it and as the event feed shows it. */
export const envelopeOf = <Data>(event: EventToSend & { data: Data }) => ({
  id: publicEventId(event.eventId),
  type: event.type,
  created_at: event.createdAt,
  api_version: event.apiVersion,
  tenant_id: event.tenantId,
  data: event.data,
});

/**
 * The body of a delivery: the same bytes at every attempt, unless the team switches member details off or on in
 * between.
 */
export const bodyOf = (event: EventToSend): string => JSON.stringify(envelopeOf(event));

/** The value of `Svc-Signature`. The key is the whole text of the secret, as the team sees it. */
export const signatureOf = (secret: string, body: string, at: Date): string => {
  const t = unixTime(at);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
};

const unixTime = (at: Date): number => Math.floor(at.getTime() / 1000);

/** The signing secret, the event's id in its public form, the body, and the time of the attempt. */
type ToSign = { secret: string; eventId: string; body: string; at: Date };

/**
 * The headers of an attempt, in addition to those that HTTP itself needs. The headers `webhook-…` are those of the
 * Standard Webhooks specification, so that its libraries can verify a delivery. Their key is the bytes to which the
 * text after `whsec_` decodes.
 */
export const headersOf = ({ secret, eventId, body, at }: ToSign): Record<string, string> => {
  const timestamp = String(unixTime(at));
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const v1 = createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64');
  return {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'Svc-Event-Id': eventId,
    'Svc-Signature': signatureOf(secret, body, at),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${v1}`,
  };
};
