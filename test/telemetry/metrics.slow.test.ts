import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { minutesToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { beginMaintenance, endMaintenance } from '../../src/modules/maintenance/service.ts';
import { makeMeter, startMetricsServer, type Backlog } from '../../src/platform/telemetry/meter.ts';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { recurringTasks } from '../../src/worker/tasks.ts';
import { say } from '../rest/raw-http.ts';
import { makeClient } from '../support/client.ts';
import { certificates } from '../support/certificates.ts';
import { anEndpointAt, anEvent, aWorker } from '../support/worker.ts';
import { aConnection } from '../support/postgres.ts';
import { aReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { startObserved } from '../support/production-service.ts';
import { noBacklog } from './backlog.ts';
import { scrape } from './scrape.ts';
import { patience } from '../support/patience.ts';

const service = await useTestService({ own: true });

const requests = (method: string, route: string, status: number) =>
  `team_api_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
const refusals = (code: string) => `team_api_gate_refusals_total{code="${code}"}`;
const oldestDue = (task: string) => `team_api_jobs_oldest_due_age_seconds{task="${task}"}`;
const lastSuccess = (task: string) => `team_api_recurring_task_last_success_timestamp_seconds{task="${task}"}`;
const waiting = (state: string) => `team_api_webhook_waiting_deliveries{state="${state}"}`;

describe('GET /metrics', () => {
  it('counts requests by method, route template and status, with how long they took; never a path', async () => {
    const { baseUrl, metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    const team = await aTeam(service, { members: 1 });
    const client = makeClient(baseUrl, team.client.key);
    const id = team.members[0]?.id ?? '';
    await client.get(`/users/${id}`);
    await client.get(`/users/${id}`);
    await client.get(`/users/${id}?x=1`);
    await client.get('/some/path/that/is/none');
    await vi.waitFor(async () => {
      const { status, type, text, value } = await scrape(metricsPort);
      expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
      expect(value(requests('GET', '/users/{member_id}', 200))).toBe(2);
      expect(value(requests('GET', '/users/{member_id}', 422))).toBe(1);
      expect(value(requests('GET', 'unknown', 404))).toBe(1);
      const seconds = (kind: string, bucket = '') =>
        value(`team_api_http_request_duration_seconds_${kind}{${bucket}method="GET",route="/users/{member_id}"}`);
      expect([seconds('bucket', 'le="+Inf",'), seconds('count')]).toEqual([3, 3]);
      expect(seconds('sum')).toBeGreaterThan(0);
      expect(seconds('sum')).toBeLessThan(60);
      expect(text).not.toContain('some/path');
      expect(text).not.toContain(id);
    }, patience);
  });

  it('counts requests that were refused before any check, by code, and no others', async () => {
    const { baseUrl, port, metricsPort } = await startObserved(service.databaseUrl, 'api', {
      METRICS_PORT: '0',
      ANON_RATE_PER_MIN: '3',
    });
    const team = await aTeam(service);
    const client = makeClient(baseUrl, team.client.key);
    const stranger = makeClient(baseUrl, 'wrong');
    for (let asked = 0; asked < 5; asked += 1) await stranger.get('/me');
    await client.get('/users?limit=none');
    await team.change({ status: 'suspended' });
    await client.get('/me');
    await say(`http://127.0.0.1:${port}`, 'BAD\r\n\r\n');
    await vi.waitFor(async () => {
      const { text, value } = await scrape(metricsPort);
      expect(
        ['unauthorized', 'rate_limited', 'api_disabled', 'bad_request'].map((code) => value(refusals(code))),
      ).toEqual([3, 2, 1, 1]);
      expect(text.match(/^team_api_gate_refusals_total\{/gm)).toHaveLength(4);
    }, patience);
  });

  it('counts unexpected errors, from 0 on: Prometheus sees an increase only of what it has seen before', async () => {
    const { baseUrl, metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    const counted = async () => (await scrape(metricsPort)).value('team_api_logged_errors_total');
    const client = makeClient(baseUrl, (await aTeam(service)).client.key);
    await client.get('/no/such/path');
    expect(await counted()).toBe(0);
    const { prisma } = service.database;
    await prisma.$executeRaw`alter table training rename to renamed_training`;
    onTestFinished(async () => void (await prisma.$executeRaw`alter table renamed_training rename to training`));
    expect((await client.get('/trainings')).status).toBe(500);
    await expect.poll(() => counted()).toBe(1);
  });

  it('shows that all requests of a caller to a route fail, and no longer once one is answered well', async () => {
    const { baseUrl, metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    const failing = async () =>
      (await scrape(metricsPort)).value('team_api_failing_callers{method="GET",route="/trainings"}');
    const [one, other] = [await aTeam(service), await aTeam(service)].map(({ client }) =>
      makeClient(baseUrl, client.key),
    );
    const { prisma } = service.database;
    await prisma.$executeRaw`alter table training rename to renamed_training`;
    const back = async () => void (await prisma.$executeRaw`alter table if exists renamed_training rename to training`);
    onTestFinished(back);
    for (const client of [one, other, one]) await client?.get('/trainings');
    expect(await failing()).toBeUndefined();
    await one?.get('/trainings');
    await expect.poll(() => failing()).toBe(1);
    for (let turn = 0; turn < 2; turn += 1) await other?.get('/trainings');
    await expect.poll(() => failing()).toBe(2);
    await back();
    for (const client of [one, other]) expect((await client?.get('/trainings'))?.status).toBe(200);
    await expect.poll(() => failing()).toBeUndefined();
  });

  it('has nothing about nodes: they are of a distributed database', async () => {
    const { baseUrl, metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    await makeClient(baseUrl, 'wrong').get('/me');
    const { text, value } = await scrape(metricsPort);
    expect(text).not.toMatch(/node=|^team_api_(?:cells|places_age_seconds|prepared_transaction_age_seconds)\{/m);
    expect(value('team_api_database_connections{state="waiting"}')).toBe(0);
  });

  it('shows waiting deliveries: due, being sent, for later, held back; and the age of the oldest', async () => {
    const { metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    const client = await aConnection(service.databaseUrl);
    const age = async () => (await scrape(metricsPort)).value('team_api_webhook_oldest_due_age_seconds');
    await expect.poll(age).toBe(0);
    await client.query(
      `with team as (select id from team limit 1),
            endpoint as (
              insert into webhook_endpoint (tenant_id, id, url, events, status, api_version, secret, created_at)
              select id, gen_random_uuid(), 'https://example.com/', '{member.joined}', status::endpoint_status, '2026-11', '', now()
                from team, unnest(array['active', 'disabled']) as status
              returning tenant_id, id, status)
       insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, claim_id)
       select endpoint.tenant_id, gen_random_uuid(), endpoint.id, due_at, claim_id
         from endpoint join (values (now() - interval '90 seconds', null), (now() - interval '5 seconds', null),
                      (now() - interval '10 seconds', gen_random_uuid()), (now() + interval '1 hour', gen_random_uuid()),
                      (now() + interval '1 hour', null)) as w (due_at, claim_id)
           on endpoint.status = 'active' or claim_id is null`,
    );
    onTestFinished(async () => void (await client.query('truncate webhook_waiting')));
    // What a busy machine does not count in time, it shows at a later request. The row whose lease has ended is due again.
    await expect
      .poll(async () => {
        const { value } = await scrape(metricsPort);
        return ['due', 'sending', 'later', 'held'].map((state) => value(waiting(state)));
      })
      .toEqual([3, 1, 1, 3]);
    expect(await age()).toBeGreaterThanOrEqual(90);
    expect(await age()).toBeLessThan(150);
  });

  it('shows for each task how long its oldest job that is due and not taken has been due, until it is done', async () => {
    const { metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    const { prisma } = service.database;
    await prisma.$executeRaw`delete from graphile_worker._private_jobs`;
    await prisma.$executeRaw`
      select graphile_worker.add_job(task, run_at => now() - seconds * interval '1 second', job_key => key)
        from (values ('send_mail', 90, 'a'), ('send_mail', 900, 'b'), ('erase_person', 300, 'c'), ('retention', 90, 'taken'),
                     ('check_up', 90, 'used up'), ('deliver', -90, 'later')) as job (task, seconds, key)`;
    await prisma.$executeRaw`
      update graphile_worker._private_jobs set locked_by = 'w', locked_at = now() where key = 'taken'`;
    await prisma.$executeRaw`update graphile_worker._private_jobs set attempts = max_attempts where key = 'used up'`;
    const shown = async () => (await scrape(metricsPort)).text.match(/^team_api_jobs_oldest_due_age_seconds\{/gm) ?? [];
    await expect.poll(async () => (await shown()).length).toBe(2);
    const { value } = await scrape(metricsPort);
    for (const [task, seconds] of [
      ['send_mail', 900],
      ['erase_person', 300],
    ] as const) {
      expect(value(oldestDue(task))).toBeGreaterThanOrEqual(seconds);
      expect(value(oldestDue(task))).toBeLessThan(seconds + 60);
    }
    await prisma.$executeRaw`delete from graphile_worker._private_jobs`;
    await expect.poll(shown).toEqual([]);
  });

  it('shows how many erasures failed, and the age of the oldest that is not finished', async () => {
    const { metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    const shown = async () => {
      const { value } = await scrape(metricsPort);
      return { failed: value('team_api_erasures_failed'), age: value('team_api_erasures_oldest_age_seconds') };
    };
    await expect.poll(shown).toEqual({ failed: 0, age: 0 });
    const { id: tenantId } = await aTeam(service);
    const { prisma } = service.database;
    const minutesAgo = (count: number) => new Date(Date.now() - minutesToMs(count));
    const erasure = (age: number, failedAt: Date | null) => ({
      tenantId,
      id: makeId(),
      placeholderUserId: makeId(),
      placeholderMemberId: makeId(),
      memberIds: [],
      emails: [],
      names: [],
      step: 'person',
      createdAt: minutesAgo(age),
      failedAt,
    });
    await prisma.erasure.createMany({
      data: [erasure(20, null), erasure(10, minutesAgo(1)), erasure(5, minutesAgo(2))],
    });
    onTestFinished(async () => void (await prisma.erasure.deleteMany({ where: { tenantId } })));
    await expect.poll(async () => (await shown()).failed).toBe(2);
    const { age } = await shown();
    expect(age).toBeGreaterThan(20 * 60 - 5);
    expect(age).toBeLessThan(21 * 60);
  });

  it('a worker shows whether each of its queues fetches, which none does during maintenance; an API has none', async () => {
    const { metricsPort } = await startObserved(service.databaseUrl, 'worker', { METRICS_PORT: '0' });
    const shown = async () => [...(await scrape(metricsPort)).text.matchAll(/^team_api_queue_fetching\{.*$/gm)].join();
    const all = (value: number) =>
      ['deliveries', 'crm_syncs', 'other_jobs']
        .map((queue) => `team_api_queue_fetching{queue="${queue}"} ${value}`)
        .join();
    await expect.poll(() => shown()).toBe(all(1));
    await beginMaintenance(service.platform);
    onTestFinished(() => endMaintenance(service.platform));
    await expect.poll(() => shown()).toBe(all(0));
    const api = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    expect((await scrape(api.metricsPort)).text).not.toContain('team_api_queue_fetching{');
  });

  it('a worker shows when each recurring task last succeeded, from its start on', async () => {
    const startedAt = Date.now() / 1000;
    const { metricsPort } = await startObserved(service.databaseUrl, 'worker', { METRICS_PORT: '0' });
    const { value } = await scrape(metricsPort);
    for (const task of recurringTasks) expect(value(lastSuccess(task)), task).toBeGreaterThanOrEqual(startedAt);
    const addedAt = Date.now() / 1000;
    await service.database.prisma.$executeRaw`select graphile_worker.add_job('delete_ended_teams')`;
    await expect
      .poll(async () => (await scrape(metricsPort)).value(lastSuccess('delete_ended_teams')))
      .toBeGreaterThanOrEqual(addedAt);
    expect((await scrape(metricsPort)).text).not.toContain(lastSuccess('send_mail'));
  });

  it('a recurring task that fails keeps the time of its last success', async () => {
    const telemetry = noopTelemetry();
    const brokenClock = {
      now(): Date {
        throw new Error('no time');
      },
    };
    aWorker(service, { telemetry, scheduled: false, platform: { ...service.platform, clock: brokenClock } });
    telemetry.meter.lastSuccess.set({ task: 'retention' }, 1);
    await service.database.prisma.$executeRaw`select graphile_worker.add_job('retention', max_attempts := 1)`;
    await vi.waitFor(async () => {
      const text = await telemetry.meter.text();
      expect(text).toContain('team_api_jobs_total{task="retention",result="failed"} 1\n');
      expect(text).toContain(`${lastSuccess('retention')} 1\n`);
    }, patience);
  });

  it('a worker counts its jobs, those that failed too, and measures its own process', async () => {
    const { metricsPort } = await startObserved(service.databaseUrl, 'worker', { METRICS_PORT: '0' });
    await service.database.prisma.$executeRaw`
      select graphile_worker.add_job('send_mail', '{"mailId":"none"}'::json, max_attempts := 1)`;
    await vi.waitFor(async () => {
      const { text, value } = await scrape(metricsPort);
      // Once at its start, and once more if its hour came meanwhile.
      expect(value('team_api_jobs_total{task="reseal",result="ok"}')).toBeGreaterThanOrEqual(1);
      expect(value('team_api_jobs_total{task="send_mail",result="failed"}')).toBe(1);
      expect(value('team_api_jobs_total{task="erase_person",result="failed"}')).toBe(0);
      expect(value('team_api_job_duration_seconds_count{task="send_mail"}')).toBe(1);
      expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
      expect(text).toContain('nodejs_eventloop_lag_seconds');
    }, patience);
  });

  it('a worker counts the jobs of endpoints, and the deliveries sent in them', async () => {
    const receiver = await aReceiver();
    const team = await aTeam(service);
    await anEndpointAt(service, team, receiver.url);
    const { metricsPort } = await startObserved(service.databaseUrl, 'worker', {
      METRICS_PORT: '0',
      WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: (await certificates()).caFile(),
    });
    await anEvent(service, team);
    await receiver.untilReceived(1);
    await vi.waitFor(async () => {
      const { value } = await scrape(metricsPort);
      expect(value('team_api_jobs_total{task="deliver",result="ok"}')).toBeGreaterThanOrEqual(1);
      expect(value('team_api_job_duration_seconds_count{task="deliver"}')).toBeGreaterThanOrEqual(1);
      expect(value('team_api_webhook_attempts_total{result="ok"}')).toBe(1);
    }, patience);
  });

  it('is served only on METRICS_PORT, where there is nothing else', async () => {
    const plain = await startObserved(service.databaseUrl, 'api');
    expect(plain.metricsPort).toBeUndefined();
    expect((await fetch(`http://127.0.0.1:${plain.port}/metrics`)).status).toBe(404);
    const { metricsPort } = await startObserved(service.databaseUrl, 'api', { METRICS_PORT: '0' });
    const answers = await Promise.all([
      fetch(`http://127.0.0.1:${metricsPort}/`),
      fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method: 'POST' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('the database is away'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])(
    'keeps the last values from the database if it %s, with their age, and is answered all the same',
    async (_how, fail) => {
      let ask: () => Promise<Backlog> = async () => ({ ...noBacklog, due: 5, oldestDueSeconds: 60 });
      const meter = makeMeter({ backlog: () => ask(), timeoutMs: 100 });
      expect(await meter.text()).toContain('team_api_webhook_backlog_age_seconds 0\n');
      ask = fail;
      meter.attempts.inc({ result: 'ok' });
      const server = await startMetricsServer({ meter, host: '127.0.0.1', port: 0 });
      onTestFinished(() => server.close());
      const { status, value } = await scrape(server.port);
      expect(status).toBe(200);
      expect(value(waiting('due'))).toBe(5);
      expect(value('team_api_webhook_oldest_due_age_seconds')).toBe(60);
      expect(value('team_api_webhook_backlog_age_seconds')).toBeGreaterThan(0);
      expect(value('team_api_webhook_attempts_total{result="ok"}')).toBe(1);
    },
  );

  it('sends one query at a time to the database, however many wait for the answer', async () => {
    let asked = 0;
    const answers: (() => void)[] = [];
    const backlog = () => {
      asked += 1;
      return new Promise<Backlog>((resolve) => answers.push(() => resolve({ ...noBacklog, due: 7 })));
    };
    const meter = makeMeter({ backlog, timeoutMs: 20_000 });
    const texts = [meter.text(), meter.text()];
    for (const answer of answers) answer();
    for (const text of await Promise.all(texts)) expect(text).toContain(`${waiting('due')} 7`);
    expect(asked).toBe(1);
    void meter.text();
    expect(asked).toBe(2);
  });
});
