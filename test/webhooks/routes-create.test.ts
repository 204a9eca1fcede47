import { afterEach, describe, expect, it, vi } from 'vitest';
import { targetMessages } from '../../src/core/messages/requests.ts';
import { allEventTypes } from '../../src/core/events.ts';
import { endpointLimits } from '../../src/core/limits.ts';
import { unsealSecret } from '../../src/deliveries/message.ts';
import { apiInTheApp } from '../support/app-caller.ts';
import { makeClient } from '../support/client.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { anEndpoint } from '../support/webhooks.ts';

const service = await useTestService();
afterEach(() => void vi.restoreAllMocks());

const url = 'https://hooks.example.com/training';
const events = ['training.completed'];
const endpointsOf = (team: TestTeam) =>
  service.database.prisma.webhookEndpoint.findMany({ where: { tenantId: team.id }, orderBy: { id: 'asc' } });
const idempotently = (team: TestTeam, body: unknown, key = 'a key') =>
  team.client.post('/webhook-endpoints', body, { headers: { 'Idempotency-Key': key } });

describe('POST /webhook-endpoints', () => {
  it('201: creates an active endpoint, shows its secret, and is audited without it', async () => {
    const team = await aTeam(service);
    const key = await team.aKey();
    const answer = await makeClient(service.baseUrl, key.text).post('/webhook-endpoints', {
      url,
      events: ['member.joined', 'member.joined'],
      description: 'For the dashboard – any text 😀',
    });
    const id = String(answer.body['id']);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(String),
        url,
        events: ['member.joined'],
        status: 'active',
        api_version: '2026-11',
        description: 'For the dashboard – any text 😀',
        headers: {},
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        last_success_at: null,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{44}$/),
      },
    ]);
    expect(answer.headers.has('location')).toBe(false);
    const auditEntries = await auditEntriesOn(service, team, id);
    expect(auditEntries).toEqual([
      {
        action: 'webhook_endpoint.created',
        actor: ['key', key.id],
        data: { url, events: ['member.joined'] },
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
    expect(JSON.stringify(auditEntries)).not.toContain('whsec_');
  });

  it('stores the secret encrypted, and shows it in no other answer', async () => {
    const team = await aTeam(service);
    const { body } = await team.client.post('/webhook-endpoints', { url, events });
    const [row] = await endpointsOf(team);
    const sealed = Buffer.from(row?.secret ?? []);
    expect(sealed.includes(String(body['secret']))).toBe(false);
    expect(unsealSecret(service.platform.vault, String(body['id']), sealed)).toBe(body['secret']);
    for (const answer of [
      await team.client.get('/webhook-endpoints'),
      await team.client.patch(`/webhook-endpoints/${String(body['id'])}`, { description: 'x' }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.text).not.toMatch(/secret|whsec_/);
    }
  });

  it('two endpoints have two secrets', async () => {
    const team = await aTeam(service);
    const secrets = [];
    for (const _ of [1, 2])
      secrets.push((await team.client.post('/webhook-endpoints', { url, events })).body['secret']);
    expect(new Set(secrets).size).toBe(2);
  });

  it('events: every subscribable type, in the order given, each once', async () => {
    const team = await aTeam(service);
    const wanted = [...allEventTypes.toReversed(), ...allEventTypes];
    const { status, body } = await team.client.post('/webhook-endpoints', { url, events: wanted });
    expect([status, body['events']]).toEqual([201, allEventTypes.toReversed()]);
  });

  it.each([22, 80, 1023, 5432, 27_017])('422 validation_error on url, which names the port %d', async (port) => {
    const team = await aTeam(service);
    const refused = { field: 'url', detail: expect.stringContaining(`Port ${port} is not allowed`) };
    const body = { url: `https://hooks.example.com:${port}/`, events };
    expect(await team.client.post('/webhook-endpoints', body)).toBeProblem('validation_error', refused);
    const id = await anEndpoint(service, team);
    const change = await team.client.patch(`/webhook-endpoints/${id}`, { url: body.url });
    expect(change).toBeProblem('validation_error', refused);
    const { webhooks } = await apiInTheApp(team, ['webhooks:manage']);
    const sameInTheApp = { cause: { code: 'validation_error', members: refused } };
    await expect(webhooks.create({ ...body, events: ['training.completed'] })).rejects.toMatchObject(sameInTheApp);
    await expect(webhooks.change({ endpoint_id: id, url: body.url })).rejects.toMatchObject(sameInTheApp);
  });

  it.each([443, 1024, 8443])('accepts the port %d', async (port) => {
    const team = await aTeam(service);
    const body = { url: `https://hooks.example.com:${port}/`, events };
    expect((await team.client.post('/webhook-endpoints', body)).status).toBe(201);
  });

  it('accepts a description of the maximum length, or none', async () => {
    const team = await aTeam(service);
    for (const description of ['😀'.repeat(endpointLimits.descriptionCharacters), '', null]) {
      const { status, body } = await team.client.post('/webhook-endpoints', { url, events, description });
      expect([status, body['description']]).toEqual([201, description]);
    }
  });

  it('422 validation_error for one more than a team may have, also if several are created at once', async () => {
    const team = await aTeam(service);
    for (let made = 2; made < endpointLimits.endpointsPerTeam; made += 1) await anEndpoint(service, team);
    const answers = await Promise.all([1, 2, 3, 4].map(() => team.client.post('/webhook-endpoints', { url, events })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    for (const answer of answers.filter(({ status }) => status === 422)) {
      expect(answer).toBeProblem('validation_error', {
        field: 'webhook_endpoints',
        detail: expect.stringContaining('50'),
      });
    }
    const [first] = await endpointsOf(team);
    await team.client.delete(`/webhook-endpoints/${first?.id}`);
    expect((await team.client.post('/webhook-endpoints', { url, events })).status).toBe(201);
  });
});

describe('POST /webhook-endpoints with an Idempotency-Key', () => {
  it('makes DNS look-ups before any transaction is open', async () => {
    const team = await aTeam(service);
    const { egress, database } = service.platform;
    const vet = egress.vet.bind(egress);
    const open: unknown[] = [];
    vi.spyOn(egress, 'vet').mockImplementation(async (given) => {
      open.push(
        ...(await database.prisma.$queryRaw<{ state: string }[]>`
          select state from pg_stat_activity
           where datname = current_database() and state like 'idle in transaction%'`),
      );
      return vet(given);
    });
    const { body } = await idempotently(team, { url, events });
    await team.client.patch(`/webhook-endpoints/${String(body['id'])}`, { url: `${url}/other` });
    expect(egress.vet).toHaveBeenCalledTimes(2);
    expect(open).toEqual([]);
  });

  it('gets the first answer even if the URL would be refused now, and a refusal is not stored', async () => {
    const team = await aTeam(service);
    const vet = vi.spyOn(service.platform.egress, 'vet');
    const refusal = { allowed: false, reason: targetMessages.nameOfPrivateAddress } as const;
    vet.mockResolvedValueOnce(refusal);
    const refused = await idempotently(team, { url, events });
    expect(refused).toBeProblem('validation_error', { field: 'url', detail: refusal.reason.en });
    const made = await idempotently(team, { url, events });
    expect(made.status).toBe(201);
    vet.mockResolvedValueOnce(refusal);
    expect((await idempotently(team, { url, events })).text).toBe(made.text);
    vet.mockResolvedValueOnce(refusal);
    expect(await idempotently(team, { url: `${url}/other`, events })).toBeProblem('idempotency_mismatch');
  });
});
