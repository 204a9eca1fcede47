import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { hoursToMs } from '../../src/core/clock.ts';
import { pack, unpack } from '../../src/core/json.ts';
import { deleteOldAnswers } from '../../src/modules/idempotency/service.ts';
import { rotateKey } from '../../src/modules/keys/service.ts';
import { keyBudget, setInvitationsInHour, spend } from '../support/budgets.ts';
import { makeClient, type Answer, type Client, rawRequest } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

const service = await useTestService();

interface Options {
  key?: string;
  headers?: Record<string, string>;
}

const invite = (client: Client, body: unknown, { key = 'a key', headers = {} }: Options = {}): Promise<Answer> =>
  client.post('/users', body, { headers: { 'Idempotency-Key': key, ...headers } });

const isReplayed = (answer: Answer): boolean => answer.headers.get('idempotent-replayed') === 'true';
const invited = (team: TestTeam) =>
  service.database.prisma.member.count({ where: { tenantId: team.id, role: { not: 'owner' } } });
const kept = (team: TestTeam) => service.database.prisma.idempotencyRecord.findMany({ where: { tenantId: team.id } });
const withoutRequestId = ({ body: { request_id: _own, ...rest } }: Answer) => rest;

describe('the same Idempotency-Key with the same body', () => {
  it('gets the first answer as it was, also after a release that has added a field to such answers', async () => {
    const team = await aTeam(service);
    const create = () =>
      team.client.post('/cases', { user_id: team.owner.user_id }, { headers: { 'Idempotency-Key': 'a key' } });
    const { body } = await create();

    const { database, vault } = service.platform;
    const [record] = await kept(team);
    const context = `${team.id} a key`;
    const { persona_id: _later, ...former } = body;
    await database.prisma.idempotencyRecord.updateMany({
      where: { tenantId: team.id },
      data: { answer: vault.seal('idempotency', context, pack({ answer: former })) },
    });
    expect(unpack(vault.open('idempotency', context, record?.answer ?? new Uint8Array()))).toEqual({ answer: body });
    const again = await create();
    expect([again.status, again.body, isReplayed(again)]).toEqual([201, former, true]);
  });

  it('gets the first answer, and the action does not run again', async () => {
    const team = await aTeam(service);
    const body = { email: anEmail() };
    const first = await invite(team.client, body);
    expect(first.status).toBe(201);
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    for (const _ of [1, 2]) {
      const again = await invite(team.client, body);
      expect([again.status, again.text, again.headers.get('location')]).toEqual([
        201,
        first.text,
        first.headers.get('location'),
      ]);
      expect(isReplayed(again)).toBe(true);
    }
    expect(await invited(team)).toBe(1);
    expect(await service.mailsTo(body.email)).toHaveLength(1);
    expect(await service.database.prisma.webhookEvent.count({ where: { tenantId: team.id } })).toBe(1);
    expect(
      await service.database.prisma.auditEntry.count({ where: { tenantId: team.id, action: 'member.joined' } }),
    ).toBe(1);
  });

  it.each<[code: 'conflict' | 'seat_limit_reached', seats: number]>([
    ['conflict', 5],
    ['seat_limit_reached', 1],
  ])('gets a first answer 409 %s again, even if it would succeed by now', async (code, seats) => {
    const team = await aTeam(service, { seats });
    const body = { email: code === 'conflict' ? team.owner.email : anEmail() };
    const first = await invite(team.client, body);
    expect(first).toBeProblem(code);
    expect(isReplayed(first)).toBe(false);
    await team.change({ seats: 10 });
    const again = await invite(team.client, body);
    expect(again).toBeProblem(code);
    expect(isReplayed(again)).toBe(true);
    expect(withoutRequestId(again)).toEqual(withoutRequestId(first));
    expect(await invited(team)).toBe(0);
  });

  it('replayed many times at once always gets the answer, without waiting for each other', async () => {
    const team = await aTeam(service);
    const body = { email: anEmail() };
    const first = await invite(team.client, body);
    const answers = await Promise.all(Array.from({ length: 20 }, () => invite(team.client, body)));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [201, first.text]));
    expect(answers.every(isReplayed)).toBe(true);
  });

  it('has the request id of the present call, in the header and in a problem', async () => {
    const team = await aTeam(service);
    const body = { email: team.owner.email };
    const first = await invite(team.client, body);
    const id = crypto.randomUUID();
    const again = await invite(team.client, body, { headers: { 'X-Request-Id': id } });
    expect([again.headers.get('x-request-id'), again.body['request_id']]).toEqual([id, id]);
    expect(first.body['request_id']).not.toBe(id);
  });

  it('has the language of the present call', async () => {
    const team = await aTeam(service);
    const body = { email: team.owner.email };
    const titles = [];
    for (const language of ['de', 'en', 'fr', 'en;q=0.1']) {
      titles.push((await invite(team.client, body, { headers: { 'Accept-Language': language } })).body['title']);
    }
    expect(titles).toEqual([
      'Steht im Widerspruch zum Bestand',
      'Conflict',
      'Steht im Widerspruch zum Bestand',
      'Conflict',
    ]);
  });

  it('has the budget of the present call, and is counted', async () => {
    const team = await aTeam(service);
    const body = { email: anEmail() };
    const left = [];
    for (const _ of [1, 2, 3]) left.push((await invite(team.client, body)).headers.get('ratelimit-remaining'));
    expect(left).toEqual(['119', '118', '117']);
  });

  it('has the present privacy: the email is left out, or there again', async () => {
    const team = await aTeam(service);
    const [early, late] = [{ email: anEmail() }, { email: anEmail() }];
    expect((await invite(team.client, early, { key: 'early' })).body['email']).toBe(early.email);
    await team.change({ memberDetail: false });
    expect((await invite(team.client, late, { key: 'late' })).body).not.toHaveProperty('email');
    const hidden = await invite(team.client, early, { key: 'early' });
    expect([isReplayed(hidden), 'email' in hidden.body]).toEqual([true, false]);
    await team.change({ memberDetail: true });
    expect((await invite(team.client, early, { key: 'early' })).body['email']).toBe(early.email);
    expect((await invite(team.client, late, { key: 'late' })).body['email']).toBe(late.email);
  });

  it('survives the rotation of the API key, and is valid for every key of the team', async () => {
    const team = await aTeam(service);
    const body = { email: anEmail() };
    const { id, text } = await team.aKey();
    const first = await invite(makeClient(service.baseUrl, text), body);
    const { key } = await rotateKey(await team.acting(), id, { graceSeconds: 0 });
    for (const client of [makeClient(service.baseUrl, key), team.client]) {
      const again = await invite(client, body);
      expect([again.status, again.text, isReplayed(again)]).toEqual([201, first.text, true]);
    }
  });

  it('needs the scope at every call', async () => {
    const team = await aTeam(service);
    const body = { email: anEmail() };
    await invite(team.client, body);
    expect(await invite(await team.aClient({ scopes: ['users:read'] }), body)).toBeProblem('insufficient_scope');
  });

  it('is independent in another team', async () => {
    const body = { email: anEmail() };
    const answers = [];
    for (const team of [await aTeam(service), await aTeam(service)]) answers.push(await invite(team.client, body));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers.some(isReplayed)).toBe(false);
  });

  it('can be used again after exactly 24 hours, swept or not', async () => {
    for (const sweep of [false, true]) {
      const team = await aTeam(service, { seats: 1 });
      const body = { email: anEmail() };
      const start = new Date();
      expect(await invite(team.client, body)).toBeProblem('seat_limit_reached');
      const [record] = await kept(team);
      expect(record && record.expiresAt.getTime() - record.createdAt.getTime()).toBe(hoursToMs(24));
      expect(record && record.createdAt.getTime() - start.getTime()).toBeLessThan(5_000);
      await team.change({ seats: 5 });

      service.clock.set(new Date((record?.expiresAt.getTime() ?? 0) - 5_000));
      if (sweep) await deleteOldAnswers(service.platform);
      expect(await invite(team.client, body)).toBeProblem('seat_limit_reached');
      service.clock.set(record?.expiresAt ?? start);
      if (sweep) {
        await deleteOldAnswers(service.platform);
        expect(await kept(team)).toEqual([]);
      }
      const again = await invite(team.client, body);
      expect([again.status, isReplayed(again)]).toEqual([201, false]);
      expect(isReplayed(await invite(team.client, body))).toBe(true);
      service.clock.set(new Date());
    }
  });
});

describe('the same Idempotency-Key with something else', () => {
  it.each<[string, (email: string) => string]>([
    ['another value', () => JSON.stringify({ email: anEmail() })],
    ['one more field', (email) => JSON.stringify({ email, role: 'member' })],
    ['other white space: the exact body counts', (email) => `{ "email": "${email}" }`],
  ])('422 idempotency_mismatch: %s', async (_what, other) => {
    const team = await aTeam(service);
    const email = anEmail();
    await invite(team.client, { email });
    const answer = await invite(team.client, other(email));
    expect(answer).toBeProblem('idempotency_mismatch');
    expect(isReplayed(answer)).toBe(false);
    expect(isReplayed(await invite(team.client, { email }))).toBe(true);
    expect(await invited(team)).toBe(1);
  });

  it('422 idempotency_mismatch: the same body at another route or another path of it', async () => {
    const team = await aTeam(service);
    const headers = { 'Idempotency-Key': 'one' };
    const [first, second] = [await anEndpoint(service, team), await anEndpoint(service, team)];
    const post = (path: string) => team.client.post(`/webhook-endpoints/${path}`, undefined, { headers });
    expect((await post(`${first}/test`)).status).toBe(202);
    for (const path of [`${second}/test`, `${first}/check`]) {
      expect(await post(path)).toBeProblem('idempotency_mismatch');
    }
    expect(isReplayed(await post(`${first}/test`))).toBe(true);
    expect(await service.database.prisma.webhookDelivery.count({ where: { tenantId: team.id } })).toBe(1);
  });

  it('422 idempotency_mismatch: after a stored problem as well', async () => {
    const team = await aTeam(service);
    await invite(team.client, { email: team.owner.email });
    expect(await invite(team.client, { email: anEmail() })).toBeProblem('idempotency_mismatch');
  });

  it('422 validation_error comes first: an invalid body is no other request', async () => {
    const team = await aTeam(service);
    await invite(team.client, { email: anEmail() });
    expect(await invite(team.client, { email: 'nobody' })).toBeProblem('validation_error');
    expect(await invite(team.client, '{')).toBeProblem('validation_error');
  });

  it('422 validation_error: the header is given twice', async () => {
    const team = await aTeam(service);
    const request = httpRequest(`${service.baseUrl}/users`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${team.client.key ?? ''}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': ['a', 'b'],
      },
    });
    request.end(JSON.stringify({ email: anEmail() }));
    const [response]: IncomingMessage[] = await once(request, 'response');
    expect(response?.statusCode).toBe(422);
    expect(JSON.parse(response ? await text(response) : '')).toMatchObject({
      field: 'Idempotency-Key',
      detail: 'The header Idempotency-Key may be sent once, with 1 to 100 characters.',
    });
  });

  it('only a POST uses it: elsewhere the header is ignored', async () => {
    const team = await aTeam(service);
    const headers = { 'Idempotency-Key': '' };
    expect((await team.client.get('/users', { headers })).status).toBe(200);
    const { id } = await team.anActiveMember();
    expect((await team.client.patch(`/users/${id}`, { role: 'admin' }, { headers })).status).toBe(200);
    expect(await kept(team)).toEqual([]);
  });
});

describe('answers that are not stored', () => {
  it('422 validation_error: the corrected body is accepted', async () => {
    const team = await aTeam(service);
    for (const bad of ['{', {}, { email: 'nobody' }, { email: anEmail(), role: 'owner' }]) {
      expect(await invite(team.client, bad)).toBeProblem('validation_error');
    }
    expect(await kept(team)).toEqual([]);
    expect((await invite(team.client, { email: anEmail() })).status).toBe(201);
  });

  it('403 insufficient_scope, of the key and of the action', async () => {
    const team = await aTeam(service);
    const { client } = await team.aFormerAdmin();
    const body = { email: anEmail(), role: 'admin' };
    expect(await invite(await team.aClient({ scopes: ['users:read'] }), body)).toBeProblem('insufficient_scope');
    expect(await invite(client, body)).toBeProblem('insufficient_scope');
    expect(await kept(team)).toEqual([]);
    expect((await invite(team.client, body)).status).toBe(201);
  });

  it('401 unauthorized and 403 api_disabled', async () => {
    const team = await aTeam(service);
    const body = { email: anEmail() };
    expect(await invite(makeClient(service.baseUrl), body)).toBeProblem('unauthorized');
    await team.change({ status: 'suspended' });
    expect(await invite(team.client, body)).toBeProblem('api_disabled');
    await team.change({ status: 'active' });
    expect(await kept(team)).toEqual([]);
    expect((await invite(team.client, body)).status).toBe(201);
  });

  it('429 rate_limited, of requests and of invitations', async () => {
    const team = await aTeam(service, { seats: 100 });
    const { id, text } = await team.aKey();
    const client = makeClient(service.baseUrl, text);
    const body = { email: anEmail() };
    await client.get('/me');
    await spend(service, keyBudget(id), 120);
    expect(await invite(client, body)).toBeProblem('rate_limited');
    await setInvitationsInHour(service, team, 60);
    expect(await invite(team.client, body)).toBeProblem('rate_limited');
    expect(await kept(team)).toEqual([]);
    await setInvitationsInHour(service, team, 59);
    expect((await invite(team.client, body)).status).toBe(201);
  });

  it('409 conflict while a check of the endpoint is running', async () => {
    const team = await aTeam(service);
    const id = await anEndpoint(service, team);
    const check = (headers: Record<string, string> = {}) =>
      team.client.post(`/webhook-endpoints/${id}/check`, undefined, { headers });
    const headers = { 'Idempotency-Key': 'a key' };
    expect((await check()).status).toBe(202);
    const refused = await check(headers);
    expect(refused).toBeProblem('conflict');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await kept(team)).toEqual([]);
    await service.database.prisma.webhookCheck.updateMany({
      where: { tenantId: team.id, endpointId: id },
      data: { completedAt: service.clock.now() },
    });
    for (const replayed of [false, true]) {
      const answer = await check(headers);
      expect([answer.status, isReplayed(answer)]).toEqual([202, replayed]);
    }
  });

  it('415 and 413 of a body that was not even read', async () => {
    const team = await aTeam(service);
    const headers = { 'Content-Type': 'text/plain' };
    expect(await invite(team.client, { email: anEmail() }, { headers })).toBeProblem('bad_request', { status: 415 });
    expect(await invite(team.client, { email: 'x'.repeat(300_000) })).toBeProblem('bad_request', { status: 413 });
    expect((await invite(team.client, { email: anEmail() })).status).toBe(201);
  });
});

describe('the key itself', () => {
  const post = (team: TestTeam, key: string) =>
    rawRequest(`${service.baseUrl}/users`, {
      method: 'POST',
      headers: [
        'Authorization',
        `Bearer ${team.client.key ?? ''}`,
        'Content-Type',
        'application/json',
        'Idempotency-Key',
        key,
      ],
      body: JSON.stringify({ email: anEmail() }),
    });
  const utf8 = (text: string) => Buffer.from(text).toString('latin1');

  it.each([
    ['empty', ''],
    ['only spaces, which HTTP takes away', '   '],
    ['101 characters', 'x'.repeat(101)],
    ['101 characters of several bytes', utf8('é'.repeat(101))],
    ['101 characters beyond the basic plane', utf8('😀'.repeat(101))],
    ['10,000 characters', 'x'.repeat(10_000)],
  ])('422 validation_error: %s', async (_what, key) => {
    const team = await aTeam(service);
    expect(await post(team, key)).toBeProblem('validation_error', { field: 'Idempotency-Key' });
    expect(await invited(team)).toBe(0);
  });

  it.each([
    ['one character', 'x'],
    ['100 characters', 'x'.repeat(100)],
    ['100 characters of several bytes', utf8('é'.repeat(100))],
    ['100 characters beyond the basic plane', utf8('😀'.repeat(100))],
    ['100 characters of Latin-1', 'é'.repeat(100)],
    ['quotes and backslashes', `"'\\%_`],
  ])('201: %s', async (_what, key) => {
    const team = await aTeam(service);
    expect((await post(team, key)).status).toBe(201);
    expect(await kept(team)).toHaveLength(1);
    expect(await post(team, key)).toBeProblem('idempotency_mismatch');
  });

  it('differs by case and by every character', async () => {
    const team = await aTeam(service);
    for (const key of ['a', 'A', 'ab', 'a b']) expect((await post(team, key)).status).toBe(201);
    expect(await invited(team)).toBe(4);
  });
});

it('stored answers are encrypted: neither the answer nor the body can be read in the database', async () => {
  const team = await aTeam(service);
  const body = { email: anEmail() };
  const first = await invite(team.client, body);
  const [record] = await kept(team);
  const bytes = Buffer.from(record?.answer ?? []);
  expect(bytes.length).toBeGreaterThan(first.text.length);
  for (const secret of [body.email, String(first.body['id']), '"role"']) expect(bytes.includes(secret)).toBe(false);
  // The record is bound to its place: a record of another team can't be used instead.
  const other = await aTeam(service);
  await invite(other.client, body);
  await service.database.prisma.idempotencyRecord.updateMany({
    where: { tenantId: other.id },
    data: { answer: record?.answer ?? bytes },
  });
  expect(await invite(other.client, body)).toBeProblem('internal');
});
