import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { sandboxProgram } from '../../src/packages/sandbox/program.ts';
import { startSandbox } from '../../src/packages/sandbox/sandbox.ts';
import { anEgress } from '../egress/an-egress.ts';
import { createDatabase, withSql } from '../support/postgres.ts';
import { silentLog } from '../support/worker.ts';

const run = async (args: string[], env: NodeJS.ProcessEnv) => {
  const printed = { stdout: '', stderr: '' };
  const output = (name: keyof typeof printed) => ({ write: (text: string) => (printed[name] += text) });
  const context = { env, stdin: Readable.from([]), stdout: output('stdout'), stderr: output('stderr') };
  return { code: await runCli(args, context, sandboxProgram), ...printed };
};

describe('in production', () => {
  it.each([[[]], [['start']], [['start', '--detach']]])('the command sandbox %j is refused', async (args) => {
    const { code, stderr, stdout } = await run(['sandbox', ...args], { NODE_ENV: 'production' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('no sandbox in production');
  });

  it('a sandbox does not start', async () => {
    const options = { serverUrl: 'postgresql://127.0.0.1:1/x', folder: '/nowhere', host: '127.0.0.1', port: 1 };
    const environment = { NODE_ENV: 'production' };
    const starting = startSandbox({ ...options, environment, log: silentLog, report: () => {} });
    await expect(starting).rejects.toThrow('no sandbox in production');
  });
});

describe('receivers on this machine', () => {
  const allowed = async (url: string, loopback?: boolean): Promise<boolean> =>
    (await (await anEgress({ publicUrl: 'http://localhost:4010', loopback })).vet(url)).allowed;

  it.each([
    'http://localhost:4998/hooks',
    'http://127.0.0.1:4998/',
    'http://127.0.0.2/',
    'http://[::1]:4998/',
    'https://localhost:4998/',
  ])('%s is allowed only in the sandbox', async (url) => {
    expect(await allowed(url, true)).toBe(true);
    expect(await allowed(url)).toBe(false);
  });

  it.each([
    'http://hooks.example.com/',
    'http://10.0.0.1/',
    'https://10.0.0.1/',
    'http://localhost.example.com/',
    'http://user@localhost:4998/',
    'ftp://localhost:4998/',
    'http://localhost:4010/',
    'http://0.0.0.0:4998/',
  ])('%s is refused in the sandbox too', async (url) => {
    expect(await allowed(url, true)).toBe(false);
  });

  it('can’t be stored without TLS in the database of the service', async () => {
    const database = await createDatabase();
    try {
      const inserting = withSql({ databaseUrl: database.url }, async (sql) => {
        await sql.query(
          `insert into team (id, name, plan, seats, created_at) values ('01990c1e-7a00-7000-8000-000000000001', 'A', 'team', 1, now())`,
        );
        await sql.query(
          `insert into webhook_endpoint (tenant_id, id, url, events, api_version, secret, created_at)
           values ('01990c1e-7a00-7000-8000-000000000001', '01990c1e-7a00-7000-8000-000000000002',
                   'http://localhost:4998/', '{training.completed}', '2026-11', '\\x00', now())`,
        );
      });
      await expect(inserting).rejects.toThrow('webhook_endpoint_url_check');
    } finally {
      await database.drop();
    }
  });
});

describe('the command line', () => {
  it('explains itself', async () => {
    const { code, stdout } = await run(['sandbox', '--help'], {});
    expect(code).toBe(0);
    for (const name of ['start', 'status', 'stop', 'reset', 'clock', 'trigger', 'create-key']) {
      expect(stdout).toMatch(new RegExp(`^  ${name}`, 'm'));
    }
  });

  it('has different exit codes for a wrong use and for a refusal', async () => {
    expect((await run(['sandbox', 'trigger'], {})).code).toBe(2);
    expect((await run(['sandbox', 'start', '--port', '70000'], {})).code).toBe(2);
    const missing = await run(['sandbox', 'clock', '--port', '1', '--json'], {});
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.stderr)).toMatchObject({ error: { message: 'No sandbox is running on port 1.' } });
  });
});
