import type { KnownEvent } from './generated/types.ts';
import { causeOf } from './webhook-cause.ts';
import { fits, keysOf, readSignatures } from './webhook-signature.ts';
import type { HeadersGiven } from './webhook-signature.ts';

/** A type that the service got after this version of the client was made: any text. As a text, it would keep `type` from narrowing. */
declare enum UnknownType {
  any = 'a type that this version of the client does not know',
}

/** An event of a type that the service got after this version of the client was made. Ignore it, or read `data` with care. */
export interface UnknownEvent extends Omit<KnownEvent, 'type' | 'data'> {
  type: UnknownType;
  data: Record<string, unknown>;
}

/** An event. A comparison of `type` narrows it: with `evaluation.completed`, `data` has a `training_id`. */
export type WebhookEvent = KnownEvent | UnknownEvent;

/** Why a request is refused. */
export type WebhookErrorReason =
  /** It has no signature: it is not from the service, or a proxy drops headers. */
  | 'missing_header'
  /** The signature has not the form that the service writes. */
  | 'malformed_header'
  /** The signature is older than the tolerance: a recorded request, one that waited in a queue, or your clock is fast. */
  | 'timestamp_too_old'
  /** The signature is from the future: your clock is slow. */
  | 'timestamp_in_future'
  /** No secret fits. It is the secret of another endpoint, the request is forged, or the body is another one. */
  | 'wrong_secret'
  /** The body is not what was sent: parsed and written again, decoded wrongly, cut off or read before. */
  | 'body_changed'
  /** A secret is missing, or has spaces, quotes or a prefix that do not belong to it. */
  | 'malformed_secret';

/** A request that must not be believed. `reason` and `message` are for your log; the sender needs no more than a 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookErrorReason;
  constructor(reason: WebhookErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface WebhookRequest {
  /** The body exactly as it came, before anything parses it. */
  body: string | Uint8Array | ArrayBuffer;
  /** All headers of the request, as your framework gives them. */
  headers: HeadersGiven;
  /** The endpoint's secret, `whsec_…`, or those of both endpoints while you change to a new one. */
  secret: string | readonly string[];
  /** How far the signature's time may lie in the past, or in the future for clocks that differ. By default 300. */
  toleranceSeconds?: number | undefined;
  now?: Date | undefined;
}

const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  const message = 'The body must be the raw text or bytes of the request, not what a parser made of it.';
  throw new WebhookError('body_changed', message);
};

/**
 * The event of a webhook, if the service sent it a moment ago to the holder of one of these secrets. Throws a `WebhookError` if not.
 * It checks `webhook-signature` (Standard Webhooks), or `Svc-Signature` where a request or a secret has only that form.
 */
export const verifyWebhook = async ({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
  now = new Date(),
}: WebhookRequest): Promise<WebhookEvent> => {
  const bytes = bytesOf(body);
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
  // Anybody can sign with an empty key: a setting that was forgotten must not open the door.
  if (secrets.length === 0 || secrets.some((one) => !one)) {
    throw new WebhookError('malformed_secret', 'The signing secret is missing.');
  }
  const read = readSignatures(headers);
  if ('reason' in read) throw new WebhookError(read.reason, read.message);

  const time = await fits(bytes, read.signatures, await keysOf(secrets));
  if (time === undefined) {
    const { reason, message } = await causeOf(bytes, read.signatures, secrets);
    throw new WebhookError(reason, message);
  }
  const age = Math.floor(now.getTime() / 1000) - time;
  if (age < -toleranceSeconds) {
    throw new WebhookError('timestamp_in_future', `The signature is ${-age} seconds from the future.`);
  }
  // Written so that a clock or a tolerance that is no number refuses.
  if (!(age <= toleranceSeconds)) throw new WebhookError('timestamp_too_old', `The signature is ${age} seconds old.`);
  try {
    const event: WebhookEvent = JSON.parse(new TextDecoder().decode(bytes));
    return event;
  } catch {
    throw new WebhookError('body_changed', 'The signature fits, but the body is not JSON. The service sends JSON.');
  }
};
