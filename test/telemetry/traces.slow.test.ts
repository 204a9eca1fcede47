import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noTraces, openTraces } from '../../src/platform/telemetry/telemetry.ts';
import { makeClient } from '../support/client.ts';
import { anEndpointAt, anEvent } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { startCollector } from './collector.ts';
import { startObserved } from '../support/production-service.ts';

const service = await useTestService({ own: true });

const aCollector = async (options?: { hangs: boolean }) => {
  const collector = await startCollector(options);
  onTestFinished(() => collector.close());
  return collector;
};
const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const [server, unset, failed] = [2, 0, 2];
const silent = pino({ level: 'silent' });

describe('traces', () => {
  it('have a span for each request, within the trace that the client names, sent at the latest when the service stops', async () => {
    const collector = await aCollector();
    const { baseUrl, stop } = await startObserved(service.databaseUrl, 'api', {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    });
    const team = await aTeam(service, { members: 1 });
    const client = makeClient(baseUrl, team.client.key);
    const [requestId, traceId, parentId] = [randomUUID(), hex(16), hex(8)];
    const begin = BigInt(Date.now()) * 1_000_000n;
    await client.get(`/users/${team.members[0]?.id}`, {
      headers: { 'X-Request-Id': requestId, traceparent: `00-${traceId}-${parentId}-00` },
    });
    await client.get('/nothing/here?secret=x');
    await stop();

    expect([...collector.services]).toEqual(['team-customer-api']);
    const [span, unknown] = collector.spans;
    expect(collector.spans).toHaveLength(2);
    expect(span).toMatchObject({
      name: 'GET /users/{member_id}',
      kind: server,
      traceId,
      parentSpanId: parentId,
      status: { code: unset },
    });
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/users/{member_id}',
      'http.response.status_code': 200,
      'team_api.request_id': requestId,
      'team_api.tenant_id': team.id,
    });
    const { startTimeUnixNano = 0n, endTimeUnixNano = 0n } = span ?? {};
    expect(startTimeUnixNano).toBeGreaterThan(begin - 1_000_000_000n);
    expect(endTimeUnixNano).toBeGreaterThan(startTimeUnixNano);
    expect(endTimeUnixNano).toBeLessThanOrEqual(BigInt(Date.now() + 1_000) * 1_000_000n);

    expect(unknown).toMatchObject({ name: 'GET', attributes: { 'error.type': 'not_found' } });
    expect(unknown).not.toHaveProperty('parentSpanId');
    expect(unknown?.traceId).not.toBe(traceId);
    expect(JSON.stringify(unknown?.attributes)).not.toMatch(/secret|nothing/);
  });

  it('start a new trace if the traceparent is missing or invalid', async () => {
    const collector = await aCollector();
    const { baseUrl, stop } = await startObserved(service.databaseUrl, 'api', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const requests = [
      { form: 'none', headers: {} },
      { form: 'all zeros', headers: { traceparent: `00-${'0'.repeat(32)}-${hex(8)}-01` } },
      { form: 'a parent of zeros', headers: { traceparent: `00-${hex(16)}-${'0'.repeat(16)}-01` } },
      { form: 'capitals', headers: { traceparent: `00-${'A'.repeat(32)}-${hex(8)}-01` } },
      { form: 'more than version 00 has', headers: { traceparent: `00-${hex(16)}-${hex(8)}-01-x` } },
      { form: 'version ff', headers: { traceparent: `ff-${hex(16)}-${hex(8)}-01` } },
      { form: 'garbage', headers: { traceparent: 'x'.repeat(5_000) } },
    ].map((request) => ({ ...request, id: randomUUID() }));
    for (const { headers, id } of requests)
      await makeClient(baseUrl).get('/me', { headers: { ...headers, 'X-Request-Id': id } });
    await stop();
    for (const { form, headers, id } of requests) {
      const span = collector.spans.find(({ attributes }) => attributes['team_api.request_id'] === id);
      expect(span?.attributes, form).toMatchObject({
        'error.type': 'unauthorized',
        'http.response.status_code': 401,
      });
      expect(span?.traceId, form).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
      expect(headers.traceparent ?? '', form).not.toContain(span?.traceId);
      expect(span, form).not.toHaveProperty('parentSpanId');
    }
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(requests.length);
  });

  it('have a span for each job; a failed one is marked, without the error’s text', async () => {
    const collector = await aCollector();
    await startObserved(service.databaseUrl, 'worker', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await service.database.prisma.$executeRaw`
      select graphile_worker.add_job('send_mail', '{"mailId":"a secret"}'::json, max_attempts := 1)`;
    await expect
      .poll(() => collector.spans.map(({ name }) => name))
      .toEqual(expect.arrayContaining(['job send_mail', 'job reseal']));
    const span = collector.spans.find(({ name }) => name === 'job send_mail');
    expect(span).toMatchObject({
      status: { code: failed },
      attributes: { 'team_api.job.task': 'send_mail', 'team_api.job.try': 1, 'error.type': 'ZodError' },
    });
    expect(JSON.stringify(span?.attributes)).not.toContain('a secret');
    expect(collector.spans.find(({ name }) => name === 'job reseal')?.status).toEqual({ code: unset });
  });

  it('have a span for each attempt of a delivery within that of its job; both, and log lines, name the job', async () => {
    const collector = await aCollector();
    const team = await aTeam(service);
    await anEndpointAt(service, team, 'https://receiver.example.com/');
    await anEvent(service, team);
    // With a different secret than the service's, so that the delivery can't be prepared and is logged.
    const { logged } = await startObserved(service.databaseUrl, 'worker', {
      APP_SECRET: 'a secret that only this test knows',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const span = (name: string) => collector.spans.find((candidate) => candidate.name === name);
    await expect.poll(() => [span('job deliver'), span('webhook.attempt')]).not.toContain(undefined);
    const [job, attempt] = [span('job deliver'), span('webhook.attempt')];
    expect(attempt).toMatchObject({ parentSpanId: job?.spanId, traceId: job?.traceId });
    const id = job?.attributes['team_api.job.id'];
    expect(id).toMatch(/^\d+$/);
    expect(attempt?.attributes).toMatchObject({ 'team_api.job.id': id, 'team_api.tenant_id': team.id });
    const lines = logged().filter(({ msg }) => msg === 'a delivery could not be prepared');
    expect(lines.map(({ job_id, tenant_id }) => [job_id, tenant_id])).toEqual([[id, team.id]]);
  });

  it('nest spans correctly, concurrent ones too, with their attributes', async () => {
    const collector = await aCollector();
    const traces = await openTraces(collector.url, silent);
    const outer = (name: string) =>
      traces.traced(name, { n: 1 }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return traces.traced(`${name}.attempt`, { tenant: 't', left: undefined }, async (note) => {
          note({ result: 'ok', ms: 1.5, again: false });
          return name;
        });
      });
    expect(await Promise.all([outer('a'), outer('b')])).toEqual(['a', 'b']);
    await expect(traces.traced('c', {}, () => Promise.reject(new TypeError('a secret')))).rejects.toThrow('a secret');
    await traces.close();
    const span = (name: string) => collector.spans.find((candidate) => candidate.name === name);
    for (const name of ['a', 'b']) {
      const parent = span(name);
      expect(span(`${name}.attempt`)).toMatchObject({ parentSpanId: parent?.spanId, traceId: parent?.traceId });
      expect(parent).not.toHaveProperty('parentSpanId');
    }
    expect(span('a.attempt')?.attributes).toEqual({ tenant: 't', result: 'ok', ms: 1.5, again: false });
    expect(span('c')).toMatchObject({ attributes: { 'error.type': 'TypeError' }, status: { code: failed } });
  });

  it('are neither created nor sent if no collector is configured', async () => {
    const collector = await aCollector();
    const { baseUrl, stop } = await startObserved(service.databaseUrl, 'api');
    await makeClient(baseUrl).get('/me');
    await stop();
    expect(collector.spans).toEqual([]);
    expect(await openTraces(undefined, silent)).toBe(noTraces);
    expect(await noTraces.traced('x', {}, async (note) => (note({ a: 1 }), 7))).toBe(7);
  });

  it('are logged if they could not be sent, and the service continues', async () => {
    const observed = await startObserved(service.databaseUrl, 'api', {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    });
    await makeClient(observed.baseUrl).get('/me');
    await expect.poll(() => observed.logged().map(({ msg }) => msg)).toContain('traces could not be sent');
    expect((await makeClient(observed.baseUrl).get('/me')).status).toBe(401);
  });

  it.each([
    ['nobody listens', async () => 'http://127.0.0.1:1'],
    ['somebody listens and never answers', async () => (await aCollector({ hangs: true })).url],
  ])('delay neither requests nor the stop if %s', async (_where, collectorUrl) => {
    const observed = await startObserved(service.databaseUrl, 'api', {
      OTEL_EXPORTER_OTLP_ENDPOINT: await collectorUrl(),
    });
    const team = await aTeam(service);
    const client = makeClient(observed.baseUrl, team.client.key);
    for (let asked = 0; asked < 20; asked += 1) expect((await client.get('/me')).status).toBe(200);
    const begin = performance.now();
    await observed.stop();
    // Its own 1.5 s, and the delay of a busy machine.
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});
