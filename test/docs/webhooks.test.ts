import { describe, expect, it } from 'vitest';
import { headersOf, signatureOf } from '../../src/deliveries/message.ts';
import { WebhookRefused, verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { expectDescribedEvent } from '../support/document.ts';
import { readVectors } from './webhook-guide.ts';

const vectors = await readVectors();

describe('docs/webhook-test-vectors.json', () => {
  it('has every reason for a refusal, and enough accepted cases', () => {
    const reasons = new Set(vectors.map(({ reason }) => reason));
    expect([...reasons]).toEqual([null, 'missing', 'malformed', 'too_old', 'too_new', 'wrong']);
    for (const { name, accepted, reason } of vectors) expect(reason === null, name).toBe(accepted);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(vectors.some(({ accepted, body }) => accepted && /[^\0-\u{FFFF}]/u.test(body))).toBe(true);
  });

  it.each(vectors)('$name: as the service signs it, and as the verifier treats it', (vector) => {
    const { body, signature, secrets, now, accepted, reason, standard_webhooks: standard } = vector;
    const event: { type: string } = JSON.parse(body);
    expectDescribedEvent(event.type, event);
    const verify = () => verifyWebhook({ body, signature, secrets, now: new Date(now * 1000) });
    if (!accepted) {
      expect(verify).toThrow(expect.objectContaining({ reason }));
      expect(verify).toThrow(WebhookRefused);
      return;
    }
    expect(verify()).toEqual(event);
    const signedAt = new Date(Number(signature?.slice(2, 12)) * 1000);
    const own = secrets.map((key) => signatureOf(key, body, signedAt).replace(/^.*v1=/, 'v1='));
    expect(signature?.split(',')).toEqual(expect.arrayContaining([expect.toBeOneOf(own)]));
    if (standard) {
      const [secret = ''] = secrets;
      expect(headersOf({ secret, eventId: standard['webhook-id'] ?? '', body, at: signedAt })).toMatchObject(standard);
    }
  });
});
