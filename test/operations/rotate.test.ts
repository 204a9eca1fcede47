import { expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs } from '../../src/core/clock.ts';
import { verifyWebhook } from '../../src/server/developers/examples/verify-webhook.mts';
import { providerOf } from '../../src/modules/company-sign-in/service.ts';
import { rotateSecrets } from '../../src/worker/reseal.ts';
import { makeBrowser, aStoredProvider, aSignedInPerson, testPassword } from '../support/people.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, aSync, token } from '../support/crm.ts';
import { localFeeds, aReceiver } from '../support/receiver.ts';
import { aDispatcher } from '../support/worker.ts';
import { totp } from '../support/authenticators.ts';
import { makeClient } from '../support/client.ts';
import { startTestService, useTestService, type TestService } from '../support/service.ts';
import { aTeam, anEmail } from '../support/team.ts';

const former = 'the secret that was in use before this';
const next = 'the secret that is in use from now on';

const environment = localFeeds((await certificates()).caFile());
const old = await useTestService({ secrets: [former], environment });
const team = await aTeam(old);

const Endpoint = z.looseObject({ id: z.string(), secret: z.string() });

interface Made {
  idempotencyKey: string;
  body: { email: string };
  answer: Record<string, unknown>;
}

/** Invites with an Idempotency-Key: one stored answer and one waiting mail each, both encrypted. */
const invite = async (service: TestService, number: number): Promise<Made> => {
  const idempotencyKey = `invitation ${number}`;
  const body = { email: anEmail('rotated') };
  const client = makeClient(service.baseUrl, team.client.key);
  const { status, body: answer } = await client.post('/users', body, {
    headers: { 'Idempotency-Key': idempotencyKey },
  });
  expect(status).toBe(201);
  return { idempotencyKey, body, answer };
};

it('secrets are rotated under traffic, in steps, with the number of values that still need the former one', async () => {
  const made: Made[] = [];
  for (let number = 0; number < 12; number += 1) made.push(await invite(old, number));
  const receiver = await aReceiver();
  const endpoint = { url: receiver.url, events: ['member.joined'] };
  const once = { headers: { 'Idempotency-Key': 'endpoint' } };
  const created = await team.client.post('/webhook-endpoints', endpoint, once);
  const feed = await aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]);
  const connectionId = await aFeedConnection(team, feed);
  await aStoredProvider(old, team, 'kept');
  const careful = await aSignedInPerson(old, team);
  const started = await careful.browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
  const { secret: factor } = z.object({ secret: z.string() }).parse(started.data);
  expect((await careful.browser.mutate('entrance/account.confirmTwoFactor', { code: totp(factor) })).status).toBe(200);

  // Processes are restarted one by one: all can open both secrets, and the old process still seals with the former one.
  const both = await startTestService({ databaseUrl: old.databaseUrl, secrets: [next, former], environment });
  const first = await rotateSecrets(both.platform, 3);
  expect(first).toMatchObject({ resealed: 3, lost: 0, former_needed_until: null });
  // 12 mails, the endpoint’s secret, the connection’s token, the client secret and the second factor.
  expect(first.left).toBe(12 + 4 - 3);
  expect(first.kinds).toContainEqual(expect.objectContaining({ what: 'tokens of CRM connections', resealed: 1 }));
  expect(first.kinds).toContainEqual(expect.objectContaining({ what: 'second factors', left: 1 }));

  const load = { goOn: true };
  const traffic = async (service: TestService, from: number) => {
    for (let number = from; load.goOn && number < from + 20; number += 1) made.push(await invite(service, number));
  };
  const running = [traffic(old, 100), traffic(both, 200)];
  while ((await rotateSecrets(both.platform, 5)).resealed === 5) expect(load.goOn).toBe(true);
  load.goOn = false;
  await Promise.all(running);

  // Now every process seals with the next secret.
  const before = both.clock.now();
  const last = await rotateSecrets(both.platform);
  expect(last).toMatchObject({ left: 0, lost: 0 });
  const until = new Date(last.former_needed_until ?? 0).getTime();
  expect(until).toBeGreaterThanOrEqual(before.getTime() + daysToMs(1));
  expect(until).toBeLessThan(before.getTime() + daysToMs(1.1));
  expect(await rotateSecrets(both.platform)).toMatchObject({ resealed: 0, left: 0, lost: 0 });
  // Kept answers expire within that time.
  const withBoth = makeClient(both.baseUrl, team.client.key);
  for (const { idempotencyKey, body, answer } of made) {
    const replay = await withBoth.post('/users', body, { headers: { 'Idempotency-Key': idempotencyKey } });
    expect([replay.headers.get('idempotent-replayed'), replay.body]).toEqual(['true', answer]);
  }
  expect((await withBoth.post('/webhook-endpoints', endpoint, once)).body).toEqual(created.body);
  await both.close();

  const without = await startTestService({ databaseUrl: old.databaseUrl, secrets: [next], environment });
  const client = makeClient(without.baseUrl, team.client.key);
  for (const { body } of made) {
    expect((await without.mailsTo(body.email)).map((mail) => mail.body.subject)).toEqual([
      'Einladung zum Üben von Verkaufsgesprächen',
    ]);
  }
  expect(await aSync(without, team, connectionId)).toMatchObject({ outcome: 'ok', deals: 1 });
  expect(feed.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
  await aDispatcher(without);
  const { id: endpointId, secret } = Endpoint.parse(created.body);
  expect((await client.post(`/webhook-endpoints/${endpointId}/test`, {})).status).toBeLessThan(300);
  // Events that were raised before are delivered as well.
  const types = new Set<unknown>();
  await receiver.untilReceived((received) => received.some(({ body }) => body.includes('"type":"ping"')));
  for (const { body, headers } of receiver.received) {
    const signature = String(headers['svc-signature']);
    types.add(verifyWebhook({ body, signature, secrets: secret, now: without.clock.now() }).type);
  }
  expect(types).toEqual(new Set(['member.joined', 'ping']));
  expect(await providerOf(without.platform, team.id)).toMatchObject({ clientSecret: 'kept' });
  const browser = makeBrowser(without);
  expect((await browser.signIn(careful.email, testPassword)).data).toEqual({ next: 'second_factor' });
  const proof = { code: totp(factor, 1), kind: 'totp', trust_device: false };
  expect((await browser.mutate('entrance/entrance.proveSecondFactor', proof)).data).toEqual({ ok: true });
  expect(await browser.isSignedIn()).toBe(true);
  expect(await rotateSecrets(without.platform)).toMatchObject({ resealed: 0, left: 0, lost: 0 });
  await without.close();
});

it('values that no configured secret opens are reported and kept', async () => {
  const stranger = await startTestService({
    databaseUrl: old.databaseUrl,
    secrets: ['a secret that sealed nothing here'],
  });
  const { kinds, lost, resealed } = await rotateSecrets(stranger.platform);
  expect(resealed).toBe(0);
  expect(lost).toBeGreaterThan(0);
  expect(kinds.find(({ what }) => what === 'endpoint secrets')).toMatchObject({
    lost: 1,
    lost_ids: [expect.any(String)],
  });
  await stranger.close();
});
