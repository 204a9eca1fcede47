import { createHmac } from 'node:crypto';

/** The answer of the receiver to a forwarded event, or the reason why there is none. */
export type Forwarded = { status: number; body: string } | { error: string };

export type Forward = (body: string | Uint8Array, headers: Record<string, string>) => Promise<Forwarded>;

const timeoutMs = 10_000;

/** Posts events to another receiver, as the service would. */
export const forwardTo =
  (url: URL): Forward =>
  async (body, headers) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body: typeof body === 'string' ? body : Buffer.from(body),
        headers: { 'Content-Type': 'application/json', ...headers },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: answer.status, body: await answer.text() };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      return { error: cause instanceof Error ? cause.message || cause.name : String(cause) };
    }
  };

/** The headers with which the service signs a body, in both forms if the secret fits both. */
export const signedHeaders = (eventId: string, body: string, secret: string): Record<string, string> => {
  const t = String(Math.floor(Date.now() / 1000));
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const headers = { 'Svc-Event-Id': eventId, 'Svc-Signature': `t=${t},v1=${v1}` };
  if (!/^whsec_([A-Za-z0-9+/]{4})+$/.test(secret)) return headers;
  const key = Buffer.from(secret.slice(6), 'base64');
  const standard = createHmac('sha256', key).update(`${eventId}.${t}.${body}`).digest('base64');
  return { ...headers, 'webhook-id': eventId, 'webhook-timestamp': t, 'webhook-signature': `v1,${standard}` };
};
