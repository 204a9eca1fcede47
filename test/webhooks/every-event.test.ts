import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, it, vi } from 'vitest';
import { eventTypes } from '../../src/core/events.ts';
import { webhookLimits } from '../../src/core/limits.ts';
import { headersOf, makeSecret } from '../../src/deliveries/message.ts';
import { verifyWebhook, WebhookRefused } from '../../src/server/developers/examples/verify-webhook.mts';
import { aDispatcher, deliveriesTo } from '../support/worker.ts';
import { expectDescribedEvent } from '../support/document.ts';
import { liveThrough } from '../support/every-event.ts';
import type { Received } from '../support/receiver.ts';
import { aTeam } from '../support/team.ts';
import { verified } from '../../src/server/developers/examples/library-receiver.mts';
import { patience } from '../support/patience.ts';
import { useServiceWithReceiver } from '../support/service.ts';

const { receiver, service } = await useServiceWithReceiver();

const isBelieved = ({ body, headers }: Received, secret: string): boolean => {
  try {
    const signature = String(headers['svc-signature']);
    return verifyWebhook({ body, signature, secrets: secret }).id === headers['svc-event-id'];
  } catch (error) {
    if (error instanceof WebhookRefused) return false;
    throw error;
  }
};

/** The standard headers of a request, in the form that the libraries of Standard Webhooks expect. */
const standardHeaders = ({ headers }: Received) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
});

/** The secret of the team’s receiver. The second test verifies the same requests with other libraries. */
let secretOf: string;

it('a receiver gets every type of event with a valid signature, and nothing of another team', async () => {
  const team = await aTeam(service);
  const others = await aTeam(service);
  const wanted = { url: `${receiver.url}/hooks`, events: Object.keys(eventTypes), description: 'everything' };
  const { id, secret } = (await team.client.post('/webhook-endpoints', wanted)).body;
  await aDispatcher(service, { egress: service.platform.egress });
  await liveThrough(service, team);
  await liveThrough(service, others);
  await team.client.post(`/webhook-endpoints/${String(id)}/test`);

  const types = [...Object.keys(eventTypes), 'ping'].sort();
  const typeOf = ({ body }: Received): string => String(JSON.parse(body).type);
  const received = await receiver.untilReceived((all) =>
    types.every((type) => all.some((one) => typeOf(one) === type)),
  );
  await vi.waitFor(async () => {
    const deliveries = await deliveriesTo(service, String(id));
    expect(deliveries.every(({ status }) => status === 'ok')).toBe(true);
    expect(deliveries).toHaveLength(receiver.received.length);
  }, patience);
  expect([...new Set(received.map(typeOf))].sort()).toEqual(types);
  for (const request of receiver.received) {
    const { body } = request;
    expectDescribedEvent(typeOf(request), JSON.parse(body));
    expect(JSON.parse(body)).toMatchObject({ tenant_id: team.id, api_version: '2026-11' });
    expect(isBelieved(request, String(secret))).toBe(true);
    expect(isBelieved(request, `${String(secret)}x`)).toBe(false);
  }
  secretOf = String(secret);
});

it.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('the library %s verifies every type of event, and refuses forged, changed and old ones', (_, Library) => {
  expect(receiver.received).not.toEqual([]);
  const library = new Library(secretOf);
  const other = new Library(makeSecret());
  for (const request of receiver.received) {
    const { body } = request;
    const headers = standardHeaders(request);
    expect(() => library.verify(body, headers)).not.toThrow();
    expect(verified(body, headers, secretOf)).toEqual(JSON.parse(body));
    expect(headers['webhook-id']).toBe(request.headers['svc-event-id']);
    expect(() => other.verify(body, headers)).toThrow('No matching signature found');
    expect(() => library.verify(`${body} `, headers)).toThrow('No matching signature found');
    expect(() => library.verify(body, { ...headers, 'webhook-id': 'evt_another' })).toThrow('No matching signature');
    const old = new Date(Date.now() - (webhookLimits.signatureAgeSeconds + 5) * 1000);
    const late = headersOf({ secret: secretOf, eventId: headers['webhook-id'], body, at: old });
    expect(() => library.verify(body, late)).toThrow('Message timestamp too old');
  }
});
