import { createHmac, timingSafeEqual } from 'node:crypto';

/** The format of every event. Ignore fields and types that you do not know, because more may be added. */
export interface WebhookEvent {
  /** The same at every delivery of this event: use it to recognise duplicates. */
  id: string;
  type: string;
  created_at: string;
  api_version: string;
  tenant_id: string;
  data: Record<string, unknown>;
}

const refusals = {
  missing: 'There is no Svc-Signature header.',
  malformed: 'The Svc-Signature header is not t=<unix time>,v1=<hex>.',
  wrong: 'No signature matches this body and these secrets.',
  too_old: 'The signature is too old.',
  too_new: 'The signature is from the future.',
};

/** A request that must be refused. `reason` is for your log; answer the sender with 400 only. */
export class WebhookRefused extends Error {
  override name = 'WebhookRefused';
  readonly reason: keyof typeof refusals;
  constructor(reason: keyof typeof refusals) {
    super(refusals[reason]);
    this.reason = reason;
  }
}

export interface SignedRequest {
  /** The body exactly as received, before it is parsed. */
  body: string | Uint8Array;
  /** The `Svc-Signature` header, as your framework provides it. */
  signature: string | readonly string[] | null | undefined;
  /** The secret of the endpoint, or both secrets while you change to a new one. */
  secrets: string | readonly string[];
  now?: Date;
  /** The maximum distance of `t` to your clock, in the past or in the future, in seconds. */
  toleranceSeconds?: number;
}

const valuesOf = (name: string, header: string): string[] =>
  header
    .split(',')
    .filter((field) => field.startsWith(`${name}=`))
    .map((field) => field.slice(name.length + 1));

/**
 * Returns the event if the service signed it with one of these secrets a moment ago. Throws `WebhookRefused` otherwise.
 */
export const verifyWebhook = ({
  body,
  signature,
  secrets,
  now = new Date(),
  toleranceSeconds = 300,
}: SignedRequest): WebhookEvent => {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('The body must be raw: what was parsed and is written again has no signature.');
  }
  const keys = typeof secrets === 'string' ? [secrets] : secrets;
  // Anybody can sign with an empty key, so a missing setting must not accept everything.
  if (keys.length === 0 || keys.some((key) => !key)) throw new TypeError('The signing secret is missing.');

  const header = typeof signature === 'object' && signature !== null ? signature.join(',') : signature;
  if (!header) throw new WebhookRefused('missing');
  const [t = '', ...moreTimes] = valuesOf('t', header);
  const signatures = valuesOf('v1', header).filter((v1) => /^[0-9a-f]{64}$/.test(v1));
  if (!/^\d{1,12}$/.test(t) || moreTimes.length > 0 || signatures.length === 0) throw new WebhookRefused('malformed');

  let fits = false;
  for (const key of keys) {
    const expected = createHmac('sha256', key).update(`${t}.`).update(body).digest();
    for (const v1 of signatures) if (timingSafeEqual(expected, Buffer.from(v1, 'hex'))) fits = true;
  }
  if (!fits) throw new WebhookRefused('wrong');

  const age = Math.floor(now.getTime() / 1000) - Number(t);
  if (age < -toleranceSeconds) throw new WebhookRefused('too_new');
  // Written so that NaN, from an invalid clock or tolerance, is refused.
  if (!(age <= toleranceSeconds)) throw new WebhookRefused('too_old');

  const event: WebhookEvent = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  return event;
};
