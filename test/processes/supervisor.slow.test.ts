import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeSupervisor } from '../../src/run/supervisor/supervisor.ts';
import type { Ended } from '../../src/run/supervisor/supervisor.ts';
import { makeClient } from '../support/client.ts';
import { occupy, twoFreePorts } from '../support/ports.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { urlOf } from '../support/database-url.ts';
import { scrape } from '../telemetry/scrape.ts';
import { isAlive, startSupervised } from './supervised.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ own: true });
});
afterAll(() => service.close());

const start = (more: Record<string, string> = {}) =>
  startSupervised({ DATABASE_URL: service.databaseUrl, PORT: '0', ...more });

const isReady = async (port: unknown): Promise<boolean> =>
  makeClient(`http://127.0.0.1:${Number(port)}`)
    .get('/readyz')
    .then(
      ({ status }) => status === 200,
      () => false,
    );

describe('node src/main.ts without a role', () => {
  it('runs the API and the worker in separate processes; a killed one is started again and the other continues', async () => {
    const running = start();
    const [api, worker] = [await running.pidOf('api'), await running.pidOf('worker')];
    const { port } = await running.started('api');
    expect(new Set([running.child.pid, api, worker]).size).toBe(3);
    await vi.waitUntil(() => isReady(port), { timeout: 30_000 });

    process.kill(api, 'SIGKILL');
    const secondApi = await running.pidOf('api', 2);
    expect(secondApi).not.toBe(api);
    // On the same port, which the system had chosen.
    await vi.waitUntil(() => isReady(port), { timeout: 30_000 });
    expect(isAlive(worker)).toBe(true);

    process.kill(worker, 'SIGKILL');
    const secondWorker = await running.pidOf('worker', 2);
    expect(secondWorker).not.toBe(worker);
    expect(isAlive(secondApi)).toBe(true);
    expect(await isReady(port)).toBe(true);

    // The pause grows each time.
    process.kill(secondWorker, 'SIGABRT');
    await running.started('worker', 3);
    const ended = running.lines.filter((line) => line['role'] === 'supervisor' && line['child'] === 'worker');
    expect(ended.map(({ signal, again_in_ms }) => [signal, again_in_ms])).toEqual([
      ['SIGKILL', 200],
      ['SIGABRT', 400],
    ]);
    expect(running.of('api', 'started')).toHaveLength(2);
    expect(running.stderr()).toBe('');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s stops the API first, then the worker, and ends with 0',
    async (signal) => {
      const running = start();
      const pids = [await running.pidOf('api'), await running.pidOf('worker')];
      running.child.kill(signal);
      expect(await running.exited).toEqual([0, null]);
      await running.closed;
      const stops = running.lines.filter(({ msg }) => msg === 'stopping' || msg === 'stopped');
      expect(stops.map(({ role, msg }) => [role, msg])).toEqual([
        ['api', 'stopping'],
        ['api', 'stopped'],
        ['worker', 'stopping'],
        ['worker', 'stopped'],
      ]);
      expect(stops.map(({ pid }) => pid)).toEqual([pids[0], pids[0], pids[1], pids[1]]);
      expect(pids.some(isAlive)).toBe(false);
    },
  );

  it('a terminal’s Ctrl-C, which reaches all of them at once, starts none again', async () => {
    const running = start();
    const pids = [await running.pidOf('api'), await running.pidOf('worker')];
    for (const pid of [running.child.pid, ...pids]) process.kill(pid ?? 0, 'SIGINT');
    expect(await running.exited).toEqual([0, null]);
    await running.closed;
    expect(running.of('api', 'started')).toHaveLength(1);
    expect(running.of('worker', 'started')).toHaveLength(1);
  });

  it('a supervisor that is killed leaves no process behind: both stop in order', async () => {
    const running = start();
    const pids = [await running.pidOf('api'), await running.pidOf('worker')];
    running.child.kill('SIGKILL');
    await running.closed;
    await vi.waitUntil(() => !pids.some(isAlive), { timeout: 30_000 });
    for (const role of ['api', 'worker']) {
      expect(running.of(role, 'stopping')[0]).toMatchObject({ signal: 'the supervisor is gone' });
      expect(running.of(role, 'stopped')).toHaveLength(1);
    }
  });

  it.each<[what: string, environment: () => Promise<Record<string, string>>, message: RegExp]>([
    ['a bad setting', async () => ({ PORT: 'many' }), /^Bad configuration:\n {2}PORT: is no whole number\n$/],
    [
      'a database without migrations',
      async () => ({ DATABASE_URL: urlOf(service.databaseUrl, 'a_database_that_does_not_exist') }),
      /^The database lacks migrations: run npm run migrate \(.*\)\n$/,
    ],
    [
      'a port that is taken',
      async () => {
        const port = await twoFreePorts();
        await occupy(port);
        return { PORT: String(port) };
      },
      /^listen EADDRINUSE: [^\n]*: give this process another PORT, WORKER_PORT or METRICS_PORT\n$/,
    ],
  ])('%s is explained once and ends the start', async (_what, environment, message) => {
    const refused = start(await environment());
    expect((await refused.exited)[0]).toBe(1);
    await refused.closed;
    expect(refused.stderr()).toMatch(message);
    expect(refused.lines.filter(({ msg }) => msg === 'started')).toEqual([]);
  });

  it('an error of the worker alone ends the whole start, explained once', async () => {
    const metricsPort = await twoFreePorts();
    await occupy(metricsPort + 1);
    const refused = start({ METRICS_PORT: String(metricsPort) });
    expect((await refused.exited)[0]).toBe(1);
    await refused.closed;
    expect(refused.stderr()).toMatch(/^listen EADDRINUSE: [^\n]*\n$/);
    expect(refused.of('api', 'stopped')).toHaveLength(1);
  });

  it('serves metrics of the API on METRICS_PORT and of the worker on the next port', async () => {
    const metricsPort = await twoFreePorts();
    const running = start({ METRICS_PORT: String(metricsPort) });
    expect((await running.started('api'))['metrics_port']).toBe(metricsPort);
    expect((await running.started('worker'))['metrics_port']).toBe(metricsPort + 1);
    for (const port of [metricsPort, metricsPort + 1]) expect((await scrape(port)).status).toBe(200);
  });

  it('with METRICS_PORT 0 each process uses a free one', async () => {
    const running = start({ METRICS_PORT: '0' });
    const ports = [(await running.started('api'))['metrics_port'], (await running.started('worker'))['metrics_port']];
    expect(new Set(ports).size).toBe(2);
    for (const port of ports) expect((await scrape(Number(port))).status).toBe(200);
  });
});

it('pauses between restarts double, and start again after a process has been up for a minute', async () => {
  let clock = 0;
  const ups: number[] = [];
  const ends: Ended[] = [];
  const supervisor = makeSupervisor({
    roles: ['worker'],
    environment: () => ({
      DATABASE_URL: service.databaseUrl,
      APP_SECRET: 'a secret that only this test uses',
      LOG_LEVEL: 'silent',
    }),
    onStarted: (_role, pid) => ups.push(pid ?? 0),
    onEnded: (ended) => ends.push(ended),
    now: () => clock,
  });
  onTestFinished(() => supervisor.stop());
  await supervisor.start();
  const endAfter = async (upForMs: number) => {
    const times = ends.length;
    await vi.waitUntil(() => ups.length > times, { timeout: 60_000 });
    clock += upForMs;
    process.kill(ups.at(-1) ?? 0, 'SIGKILL');
    await vi.waitUntil(() => ends.length > times, { timeout: 60_000 });
    // The time until it has started does not count as running well.
    clock += 600_000;
    return ends.at(-1)?.againInMs;
  };
  expect(await endAfter(1_000)).toBe(200);
  expect(await endAfter(59_999)).toBe(400);
  expect(await endAfter(1_000)).toBe(800);
  expect(await endAfter(60_000)).toBe(200);
  expect(await endAfter(0)).toBe(400);
});
