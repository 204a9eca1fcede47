import { describe, expect, it, onTestFinished } from 'vitest';
import { startServiceProcess } from '../support/production-service.ts';
import { makeClient } from '../support/client.ts';
import { urlOf } from '../support/throw-away-postgres.ts';
import { occupy, twoFreePorts } from '../support/ports.ts';
import { useTestService } from '../support/service.ts';
import { scrape } from '../telemetry/scrape.ts';

const service = await useTestService({ own: true });

const start = (environment: Record<string, string> = {}) =>
  startServiceProcess({ databaseUrl: service.databaseUrl, environment });

describe('node src/main.ts without a role', () => {
  it('runs the API and the worker in one process, whose metrics and readiness are on METRICS_PORT too', async () => {
    const running = await start({ METRICS_PORT: '0' });
    onTestFinished(async () => void (await running.stop()));
    const started = running.logged().find(({ msg }) => msg === 'started');
    const { port, metrics_port, roles } = started ?? {};
    expect(roles).toEqual(['api', 'worker']);
    for (const one of [port, metrics_port])
      await expect
        .poll(async () => (await makeClient(`http://127.0.0.1:${Number(one)}`).get('/readyz')).status)
        .toBe(200);
    const { status, text } = await scrape(Number(metrics_port));
    expect(status).toBe(200);
    expect(text).toContain('http_request');
    expect(running.complaints()).toBe('');
  });

  it('SIGTERM or SIGINT stops it in order, and it ends with 0', async () => {
    await Promise.all(
      (['SIGTERM', 'SIGINT'] as const).map(async (signal) => {
        const running = await start();
        running.child.kill(signal);
        // A terminal's Ctrl-C arrives twice, from the terminal and from npm.
        running.child.kill(signal);
        expect(await running.ended).toBe(0);
        expect(running.logged()).toContainEqual(expect.objectContaining({ msg: 'stopping', signal }));
        expect(running.logged().map(({ msg }) => msg)).toContain('stopped');
      }),
    );
  });

  it('what prevents the start is explained once', async () => {
    const taken = await twoFreePorts();
    await occupy(taken);
    const portTaken = /listen EADDRINUSE: [^\n]*: give this process another PORT, WORKER_PORT or METRICS_PORT\n/;
    const missing = urlOf(service.databaseUrl, 'a_database_that_does_not_exist');
    const reasons: [environment: Record<string, string>, message: RegExp][] = [
      [{ PORT: 'many' }, /Bad configuration:\n {2}PORT: must be a whole number\n/],
      [{ DATABASE_URL: missing }, /The database lacks migrations: run npm run migrate \(.*\)\n/],
      [{ PORT: String(taken) }, portTaken],
      [{ WORKER_PORT: String(taken) }, portTaken],
      [{ METRICS_PORT: String(taken) }, portTaken],
    ];
    await Promise.all(
      reasons.map(([environment, { source }]) =>
        expect(start(environment)).rejects.toThrow(new RegExp(`^the process ended with 1: ${source}$`)),
      ),
    );
  });
});
