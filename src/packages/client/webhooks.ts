import type { KnownEvent } from './generated/types.ts';
import { causeOf } from './webhook-cause.ts';
import { keysOf, readSignatures, timeOfMatch, type HeadersGiven } from './webhook-signature.ts';

/**
 * A type that was added after this version of the client, which may be any text. With the type `string`, it would
 * prevent `type` from narrowing.
 */
declare enum UnknownType {
  any = 'a type that this version of the client does not know',
}

/** An event of a type that was added after this version of the client. Ignore it, or check `data` before you use it. */
export interface UnknownEvent extends Omit<KnownEvent, 'type' | 'data'> {
  type: UnknownType;
  data: Record<string, unknown>;
}

/** An event. Comparing `type` narrows it: with `evaluation.completed`, `data` has a `training_id`. */
export type WebhookEvent = KnownEvent | UnknownEvent;

/** Why a request is refused. */
export type WebhookErrorReason =
  /** There is no signature: the request is not from the service, or a proxy removes headers. */
  | 'missing_header'
  /** The signature does not have the service's format. */
  | 'malformed_header'
  /**
   * The signature is older than the tolerance: a replayed request, one that waited in a queue, or your clock is fast.
   */
  | 'timestamp_too_old'
  /** The signature is from the future: your clock is slow. */
  | 'timestamp_in_future'
  /** No secret matches: it is the secret of another endpoint, the request is forged, or the body was changed. */
  | 'wrong_secret'
  /**
   * The body is not the one that was sent: it was parsed and serialized again, decoded wrongly, truncated or already
   * consumed.
   */
  | 'body_changed'
  /** A secret is missing, or has additional spaces or quotes, or a wrong prefix. */
  | 'malformed_secret';

/** A request that must be refused. `reason` and `message` are for your log; answer the sender with 400 only. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookErrorReason;
  constructor(reason: WebhookErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface WebhookRequest {
  /** The body exactly as received, before it is parsed. */
  body: string | Uint8Array | ArrayBuffer;
  /** All headers of the request, as your framework provides them. */
  headers: HeadersGiven;
  /** The endpoint's secret, `whsec_…`, or those of both endpoints while you change to a new one. */
  secret: string | readonly string[];
  /**
   * The maximum distance of the signature's time to your clock, in the past or in the future, in seconds. By default
   * 300.
   */
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
 * Returns the event of a webhook if the service signed it with one of these secrets a moment ago. Throws a
 * `WebhookError` otherwise. One signature must match: `webhook-signature` (Standard Webhooks), or else `Svc-Signature`.
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
  // Anybody can sign with an empty key, so a missing setting must not make the client accept everything.
  if (secrets.length === 0 || secrets.some((one) => !one)) {
    throw new WebhookError('malformed_secret', 'The signing secret is missing.');
  }
  const read = readSignatures(headers);
  if ('reason' in read) throw new WebhookError(read.reason, read.message);

  const time = await timeOfMatch(bytes, read.signatures, await keysOf(secrets));
  if (time === undefined) {
    const { reason, message } = await causeOf(bytes, read.signatures, secrets);
    throw new WebhookError(reason, message);
  }
  const age = Math.floor(now.getTime() / 1000) - time;
  if (age < -toleranceSeconds) {
    throw new WebhookError('timestamp_in_future', `The signature is ${-age} seconds from the future.`);
  }
  // This comparison also refuses NaN, from an invalid clock or tolerance.
  if (!(age <= toleranceSeconds)) throw new WebhookError('timestamp_too_old', `The signature is ${age} seconds old.`);
  try {
    const event: WebhookEvent = JSON.parse(new TextDecoder().decode(bytes));
    return event;
  } catch {
    throw new WebhookError(
      'body_changed',
      'The signature matches, but the body is not JSON. The service always sends JSON.',
    );
  }
};
