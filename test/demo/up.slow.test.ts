import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { openCluster, runningPostmaster } from '../../src/db/embedded/cluster.ts';
import { makeCliOfProcesses } from '../cli/cli.ts';
import { Demo } from '../cli/shapes.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';
import { startUp } from './up-process.ts';

const folder = throwAwayFolder();
afterAll(() => removeServer(folder));

const up = (more: Record<string, string> = {}) => startUp({ DATA_DIR: folder, PORT: '0', ...more });
const cli = makeCliOfProcesses({ DATA_DIR: folder });
const postgres = () => runningPostmaster(join(folder, 'postgres', 'data'));

const get = async (url: string, authorization?: string): Promise<Response> =>
  fetch(url, { headers: { connection: 'close', ...(authorization !== undefined && { authorization }) } });

// The order matters: each test starts with the data folder of the one before.
describe('npm run up', () => {
  let demo: z.infer<typeof Demo>;

  it('stops in order even while it is starting', async () => {
    const starting = up();
    await starting.prints('Creating the embedded PostgreSQL');
    starting.signal('SIGTERM');
    expect(await starting.ended).toBe(0);
    expect(starting.printed.stdout).not.toContain('curl');
    expect(postgres()).toBeUndefined();
  });

  it('creates everything and prints a request that works; Ctrl-C stops everything', async () => {
    const running = up();
    const { url, authorization } = await running.firstRequest();
    expect(running.printed.stdout).toMatch(/Applied migration[\s\S]*Creating the demo data/);

    const answer = await get(url, authorization);
    expect(answer.status).toBe(200);
    for (const path of ['/', '/readyz', '/healthz', '/developers/errors', '/api/public/v1/openapi.v1.json']) {
      expect((await get(new URL(path, url).href)).status, path).toBe(200);
    }
    // The command line works at the same time and finds the URL of the service.
    demo = await cli.json(Demo, ['demo']);
    expect(`${demo.base_url}/me`).toBe(url);
    for (const { owner, keys } of demo.teams) {
      for (const text of [owner.email, owner.password, keys.all]) expect(running.printed.stdout).toContain(text);
    }

    // Ctrl-C in a terminal sends two signals: one from the terminal and one from npm.
    running.signal('SIGINT');
    running.signal('SIGINT');
    expect(await running.ended).toBe(0);
    expect(running.printed.stderr).toBe('');
    expect(postgres()).toBeUndefined();
  });

  it('starts again quickly with the same data, even after a kill, and refuses a taken port without disturbing its owner', async () => {
    const startAgain = async () => {
      const begin = performance.now();
      const running = up();
      const { url, authorization } = await running.firstRequest();
      // It takes about a second on an idle machine. The limit only finds a start that does everything anew, or hangs.
      expect(performance.now() - begin).toBeLessThan(90_000);
      expect(authorization).toBe(`Bearer ${demo.teams[0].keys.all}`);
      expect((await get(url, authorization)).status).toBe(200);
      return { running, url, authorization };
    };
    const { running: killed } = await startAgain();
    killed.signal('SIGKILL');
    await killed.ended;
    const { running, url, authorization } = await startAgain();

    const { port } = new URL(url);
    const second = up({ PORT: port });
    expect(await second.ended).toBe(1);
    expect(second.printed.stderr).toMatch(new RegExp(`^Port ${port} is taken: .*\n$`));
    expect((await get(url, authorization)).status).toBe(200);
    running.signal('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(postgres()).toBeUndefined();
  });

  it('starts PostgreSQL again if it is killed, without filling the log, and ends with a message if it was stopped', async () => {
    const running = up();
    const { url, authorization } = await running.firstRequest();
    process.kill(postgres()?.pid ?? 0, 'SIGKILL');
    await running.prints('The embedded PostgreSQL answers again.');
    await expect.poll(async () => (await get(url, authorization)).status).toBe(200);
    // Each of the three queues complains once about each of two or three things.
    const errors = running.printed.stdout.split('\n').filter((line) => line.includes('"level":"error"'));
    expect(errors.length, errors.join('\n')).toBeLessThanOrEqual(7);

    await openCluster(folder).stop();
    expect(await running.ended).toBe(1);
    expect(running.printed.stderr).toBe('The embedded PostgreSQL was stopped.\n');
    expect(postgres()).toBeUndefined();
  });

  it('refuses production and a bad configuration with only a message', async () => {
    const production = {
      APP_SECRET: 'x'.repeat(32),
      PUBLIC_URL: 'https://trainer.example',
      DATABASE_URL: 'postgresql://x@127.0.0.1:1/x',
    };
    const refusals = [
      [{ NODE_ENV: 'production', ...production }, 'production'],
      [{ HOST: '192.0.2.1' }, 'HOST'],
      [{ DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' }, 'The database can not be reached'],
    ] as const;
    await Promise.all(
      refusals.map(async ([bad, message]) => {
        const refused = up(bad);
        expect(await refused.ended).toBe(1);
        expect(refused.printed.stderr).toContain(message);
        expect(refused.printed.stderr).not.toMatch(/\n\s+at /);
        expect(refused.printed.stdout).toBe('');
      }),
    );
  });
});
