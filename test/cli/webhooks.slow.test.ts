import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { publicEventId } from '../../src/deliveries/message.ts';
import { makeDeliverJobs } from '../../src/deliveries/outbox.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { startTestService, testSecret, useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent, deliveryNow, waitingFor } from '../support/webhooks.ts';
import { cliOnDatabase } from './on-database.ts';

const service = await useTestService({ own: true });
const cli = await cliOnDatabase(service.databaseUrl);
const team = await aTeam(service);

// The exact output of the commands with --json.

const Time = z.iso.datetime({ precision: 3 });

const Status = z.strictObject({
  due: z.int(),
  oldest_due_seconds: z.number().nullable(),
  sending: z.int(),
  later: z.int(),
  held: z.int(),
  endpoints: z.array(
    z.strictObject({
      tenant_id: z.uuid(),
      endpoint_id: z.uuid(),
      status: z.string(),
      url: z.url(),
      waiting: z.int(),
      due: z.int(),
      oldest_due_seconds: z.number().nullable(),
      sending: z.int(),
    }),
  ),
});

const Endpoints = z.array(
  z.strictObject({
    endpoint_id: z.uuid(),
    url: z.url(),
    events: z.array(z.string()),
    status: z.string(),
    api_version: z.string(),
    description: z.string().nullable(),
    header_names: z.array(z.string()),
    created_at: Time,
    last_success_at: Time.nullable(),
    failing_since: Time.nullable(),
  }),
);

const Started = z.strictObject({ delivery_id: z.uuid(), status: z.literal('pending') });
const Recovered = z.strictObject({ recovered: z.int(), older: z.int(), more: z.boolean() });

const Resealed = z.strictObject({ resealed: z.int(), lost: z.int(), lost_endpoints: z.array(z.uuid()) });

const headers = z.record(z.string(), z.string());
const Attempts = z.array(
  z.strictObject({
    id: z.uuid(),
    number: z.int(),
    manual: z.boolean(),
    started_at: Time,
    url: z.url(),
    request_headers: headers,
    request_body: z.string().nullable(),
    response_code: z.int().nullable(),
    response_headers: headers.nullable(),
    response_excerpt: z.string().nullable(),
    response_ms: z.int().nullable(),
    error: z.string().nullable(),
    error_de: z.string().nullable(),
    member_detail: z.boolean(),
  }),
);

describe('webhooks status', () => {
  const status = () => cli.json(Status, ['webhooks', 'status']);

  it('of a service that has sent nothing yet is all zeros', async () => {
    expect(await status()).toEqual({
      due: 0,
      oldest_due_seconds: null,
      sending: 0,
      later: 0,
      held: 0,
      endpoints: [],
    });
    const { exitCode, stdout } = await cli.run(['webhooks', 'status']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^due .*0$/m)]);
  });

  it('shows waiting deliveries and since when, and running ones, with the ten worst endpoints first', async () => {
    const now = service.clock.now();
    const own = await aTeam(service);
    const [one, two] = [await anEndpoint(service, own), await anEndpoint(service, own, { status: 'disabled' })];
    await aDelivery(service, own, { endpointId: one, dueAt: later(now, -secondsToMs(100)) });
    await aDelivery(service, own, { endpointId: one, dueAt: later(now, -secondsToMs(10)), claimId: makeId() });
    await aDelivery(service, own, { endpointId: one, dueAt: later(now, secondsToMs(30)), claimId: makeId() });
    await aDelivery(service, own, { endpointId: one, status: 'failed' });
    await aDelivery(service, own, { endpointId: two, dueAt: later(now, -secondsToMs(500)) });
    for (let more = 0; more < 10; more += 1) {
      await aDelivery(service, own, { endpointId: await anEndpoint(service, own), status: 'failed' });
    }

    const { endpoints, oldest_due_seconds, ...all } = await status();
    expect(all).toEqual({
      due: 2,
      sending: 1,
      later: 11,
      held: 1,
    });
    expect(oldest_due_seconds).toBeGreaterThanOrEqual(100);
    expect(oldest_due_seconds).toBeLessThan(160);
    expect(endpoints).toHaveLength(10);
    expect(endpoints[0]).toEqual({
      tenant_id: own.id,
      endpoint_id: one,
      status: 'active',
      url: 'https://example.com/',
      waiting: 4,
      due: 2,
      oldest_due_seconds: expect.any(Number),
      sending: 1,
    });
    expect(endpoints.slice(1).map(({ due }) => due)).toEqual(Array.from({ length: 9 }, () => 0));
    const { stdout } = await cli.run(['webhooks', 'status']);
    expect(stdout).toContain(one);
  });
});

const Queue = z.strictObject({
  waits_for: z.string(),
  status: z.enum(['active', 'disabled', 'disabled_failures']),
  throttled: z.boolean(),
  due: z.int(),
  sending: z.int(),
  later: z.int(),
  next_due_at: Time.nullable(),
  job_run_at: Time.nullable(),
  job_running_since: Time.nullable(),
  job_last_error: z.string().nullable(),
  locked_by_pid: z.int().nullable(),
  locked_since: Time.nullable(),
  locked_by_query: z.string().nullable(),
});

describe('webhooks queue', () => {
  const queueOf = (own: { id: string }, endpoint: string) =>
    cli.json(Queue, ['webhooks', 'queue', '--team', own.id, '--endpoint', endpoint]);

  it('says what an endpoint’s deliveries wait for', async () => {
    const own = await aTeam(service);
    const endpointId = await anEndpoint(service, own);
    const now = service.clock.now();
    const waitsFor = async () => (await queueOf(own, endpointId)).waits_for;

    expect(await waitsFor()).toBe('nothing: no delivery waits');
    await aDelivery(service, own, { endpointId, dueAt: later(now, secondsToMs(300)) });
    expect(await waitsFor()).toBe('the time of the next attempt');
    await aDelivery(service, own, { endpointId, dueAt: later(now, secondsToMs(300)), claimId: makeId() });
    expect(await waitsFor()).toBe('the receiver’s answers');
    await aDelivery(service, own, { endpointId, dueAt: later(now, -secondsToMs(10)) });
    expect(await waitsFor()).toBe('a job, which a worker adds within seconds');
    await makeDeliverJobs(service.database).add({ tenantId: own.id, endpointId, inMs: 0 });
    expect(await queueOf(own, endpointId)).toMatchObject({
      waits_for: 'a worker that fetches its job',
      due: 1,
      sending: 1,
      later: 1,
      job_run_at: expect.any(String),
      job_running_since: null,
      locked_by_pid: null,
    });
    await service.database.transaction(async (tx) => {
      await tx.$executeRaw`select from webhook_endpoint where id = ${endpointId}::uuid for update`;
      expect(await queueOf(own, endpointId)).toMatchObject({
        waits_for: 'the transaction that has locked the endpoint',
        locked_by_pid: expect.any(Number),
        locked_by_query: expect.stringContaining('for update'),
      });
    });
    await service.database.prisma.webhookEndpoint.updateMany({
      where: { id: endpointId },
      data: { status: 'disabled' },
    });
    expect(await waitsFor()).toBe('the team: the endpoint is disabled');
  });

  it('is not found for an endpoint of another team', async () => {
    const [own, other] = [await aTeam(service), await aTeam(service)];
    const endpointId = await anEndpoint(service, other);
    const { exitCode } = await cli.run(['webhooks', 'queue', '--team', own.id, '--endpoint', endpointId]);
    expect(exitCode).not.toBe(0);
  });
});

describe('webhooks endpoints', () => {
  it('lists a team’s, newest first, without their secrets', async () => {
    const own = await aTeam(service);
    const failingSince = new Date('2026-05-01T10:00:00.120Z');
    const first = await anEndpoint(service, own, { failingSince });
    const second = await anEndpoint(service, own, { status: 'disabled' });
    await anEndpoint(service, team);
    const listed = await cli.json(Endpoints, ['webhooks', 'endpoints', '--team', own.id]);
    expect(listed).toMatchObject([
      { endpoint_id: second, status: 'disabled', failing_since: null },
      { endpoint_id: first, status: 'active', failing_since: '2026-05-01T10:00:00.120Z' },
    ]);
  });
});

describe('webhooks attempts', () => {
  it('shows what was sent and received', async () => {
    const endpointId = await anEndpoint(service, team);
    const eventId = await anEvent(service, team, { data: { training_id: 'a training' } });
    const deliveryId = await aDelivery(service, team, { endpointId, eventId, status: 'ok' });
    await anAttempt(service, team, { deliveryId, code: null });
    await anAttempt(service, team, { deliveryId, number: 2 });
    const args = ['webhooks', 'attempts', '--team', team.id, '--delivery', deliveryId];
    const [last, first] = await cli.json(Attempts, args);
    expect([last?.number, last?.response_code, first?.number, first?.error]).toEqual([
      2,
      200,
      1,
      'The connection was refused.',
    ]);
    expect(JSON.parse(last?.request_body ?? '')).toMatchObject({
      id: publicEventId(eventId),
      data: { training_id: 'a training' },
    });
    expect((await cli.run(args)).stdout).toMatch(/^request_headers Svc-Signature +t=1795000000,v1=00$/m);
  });
});

describe('webhooks replay', () => {
  it('sends an event once more, audited as the operator’s', async () => {
    const [endpointId, eventId] = [await anEndpoint(service, team), await anEvent(service, team)];
    for (const event of [eventId, publicEventId(eventId)]) {
      const args = ['webhooks', 'replay', '--team', team.id, '--event', event, '--endpoint', endpointId];
      const { delivery_id } = await cli.json(Started, args);
      expect(await deliveryNow(service, team, delivery_id)).toMatchObject({ eventId, endpointId, status: 'pending' });
    }
    expect(await waitingFor(service, endpointId)).toHaveLength(2);
    expect(await auditEntriesOn(service, team, eventId)).toMatchObject([
      { action: 'webhook_event.replayed', actor: ['operator', null] },
      { action: 'webhook_event.replayed', actor: ['operator', null] },
    ]);
  });
});

describe('an event that a command raises', () => {
  it('is sent at once: its endpoint has its job when the command ends', async () => {
    const own = await aTeam(service);
    const endpointId = await anEndpoint(service, own, { events: ['member.joined'] });
    const person = ['--email', anEmail(), '--active'];
    expect((await cli.run(['member', 'add', '--team', own.id, ...person])).exitCode).toBe(0);
    expect(await waitingFor(service, endpointId)).toHaveLength(1);
    const jobs = await service.database.prisma.$queryRaw`
      select task_identifier as task from graphile_worker.jobs where key = ${`deliver:${endpointId}`}`;
    expect(jobs).toEqual([{ task: 'deliver' }]);
  });
});

describe('webhooks recover', () => {
  it('sends an endpoint the events that it missed since a time', async () => {
    const own = await aTeam(service);
    const endpointId = await anEndpoint(service, own);
    await anEvent(service, own, { at: new Date('2026-05-01T08:59:59.999Z') });
    await anEvent(service, own, { at: new Date('2026-05-01T09:00:00Z') });
    const args = ['webhooks', 'recover', '--team', own.id, '--endpoint', endpointId];
    const since = '2026-05-01T11:00:00+02:00';
    const recover = (...more: string[]) => cli.json(Recovered, [...args, '--since', since, ...more]);
    expect(await recover()).toEqual({ recovered: 0, older: 1, more: false });
    expect(await recover('--dry-run', '--include-older')).toEqual({ recovered: 1, older: 1, more: false });
    expect(await recover('--include-older')).toEqual({ recovered: 1, older: 1, more: false });
    expect(await recover('--include-older')).toEqual({ recovered: 0, older: 0, more: false });
    expect(await waitingFor(service, endpointId)).toHaveLength(1);
  });
});

describe('webhooks reseal', () => {
  it('encrypts endpoint secrets with the current secret, and names the lost ones', async () => {
    const own = await startTestService({ own: true });
    onTestFinished(() => own.close());
    const there = await aTeam(own);
    for (const _ of [1, 2]) await anEndpoint(own, there);
    const lost = await anEndpoint(own, there);
    await own.database.prisma.webhookEndpoint.updateMany({
      where: { id: lost },
      data: { secret: Buffer.from('lost') },
    });
    const environment = {
      DATABASE_URL: own.databaseUrl,
      APP_SECRET: `a secret that came into use later,${testSecret}`,
    };
    const reseal = () => cli.json(Resealed, ['webhooks', 'reseal'], environment);
    expect(await reseal()).toEqual({ resealed: 2, lost: 1, lost_endpoints: [lost] });
    expect(await reseal()).toEqual({ resealed: 0, lost: 1, lost_endpoints: [lost] });
  });
});
