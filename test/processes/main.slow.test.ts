import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { makeClient } from '../support/client.ts';
import { urlOf } from '../support/database-url.ts';
import { occupy, twoFreePorts } from '../support/ports.ts';
import { useTestService } from '../support/service.ts';
import { scrape } from '../telemetry/scrape.ts';

const Line = z.record(z.string(), z.unknown());
const program = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const service = await useTestService({ own: true });

/** `node src/main.ts` as an operator starts it. */
const start = (environment: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      APP_SECRET: 'a secret that only spawned test processes know',
      DATABASE_URL: service.databaseUrl,
      PORT: '0',
      ...environment,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Record<string, unknown>[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  createInterface(child.stdout).on('line', (line) => lines.push(Line.parse(JSON.parse(line))));
  const logged = (msg: string) => lines.filter((line) => line['msg'] === msg);
  return {
    child,
    logged,
    stderr: () => stderr,
    closed: once(child, 'close'),
    started: (): Promise<Record<string, unknown>> =>
      vi.waitUntil(
        () => {
          if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${stderr}`);
          return logged('started')[0];
        },
        { timeout: 60_000, interval: 20 },
      ),
  };
};

describe('node src/main.ts without a role', () => {
  it('runs the API and the worker in one process, whose metrics and readiness are on METRICS_PORT too', async () => {
    const running = start({ METRICS_PORT: '0' });
    const { port, metrics_port, roles } = await running.started();
    expect(roles).toEqual(['api', 'worker']);
    for (const one of [port, metrics_port])
      await vi.waitUntil(
        async () => (await makeClient(`http://127.0.0.1:${Number(one)}`).get('/readyz')).status === 200,
        { timeout: 30_000 },
      );
    const { status, text } = await scrape(Number(metrics_port));
    expect(status).toBe(200);
    expect(text).toContain('http_request');
    expect(running.stderr()).toBe('');
  });

  it('SIGTERM or SIGINT stops it in order, and it ends with 0', async () => {
    await Promise.all(
      (['SIGTERM', 'SIGINT'] as const).map(async (signal) => {
        const running = start();
        await running.started();
        running.child.kill(signal);
        // A terminal's Ctrl-C arrives twice, from the terminal and from npm.
        running.child.kill(signal);
        expect(await running.closed).toEqual([0, null]);
        expect(running.logged('stopping')).toMatchObject([{ signal }]);
        expect(running.logged('stopped')).toHaveLength(1);
      }),
    );
  });

  it('what prevents the start is explained once', async () => {
    const taken = await twoFreePorts();
    await occupy(taken);
    const portTaken = /^listen EADDRINUSE: [^\n]*: give this process another PORT, WORKER_PORT or METRICS_PORT\n$/;
    const missing = urlOf(service.databaseUrl, 'a_database_that_does_not_exist');
    const reasons: [environment: Record<string, string>, message: RegExp][] = [
      [{ PORT: 'many' }, /^Bad configuration:\n {2}PORT: must be a whole number\n$/],
      [{ DATABASE_URL: missing }, /^The database lacks migrations: run npm run migrate \(.*\)\n$/],
      [{ PORT: String(taken) }, portTaken],
      [{ WORKER_PORT: String(taken) }, portTaken],
      [{ METRICS_PORT: String(taken) }, portTaken],
    ];
    await Promise.all(
      reasons.map(async ([environment, message]) => {
        const refused = start(environment);
        expect(await refused.closed).toEqual([1, null]);
        expect(refused.stderr()).toMatch(message);
        expect(refused.logged('started')).toEqual([]);
      }),
    );
  });
});
