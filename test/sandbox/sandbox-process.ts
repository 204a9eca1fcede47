import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import { z } from 'zod';
import { makeClient, type Client } from '../support/client.ts';
import { createDatabase, withSql } from '../support/postgres.ts';
import { twoFreePorts } from '../support/ports.ts';
import { Ready } from './sandbox-host.ts';

const host = join(import.meta.dirname, 'sandbox-host.ts');

/** A sandbox in its own process, because its clock is that of the process, on the databases of the tests. */
export interface TestSandbox extends Ready {
  readonly client: Client;
  /** Sends a request to the control channel. */
  control(operation: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Lets time pass, and fails if something that became due was not done. */
  pass(span: string): Promise<void>;
  close(): Promise<void>;
}

const Body = z.record(z.string(), z.unknown());

export const startTestSandbox = async ({ webhookTarget }: { webhookTarget: string }): Promise<TestSandbox> => {
  const seeded = await createDatabase();
  const seed = new URL(seeded.url).pathname.slice(1);
  const live = `${seed}_live`;
  const folder = mkdtempSync(join(tmpdir(), 'team-customer-api-test-sandbox-'));
  const options = { serverUrl: seeded.url, names: { seed, live }, folder, port: await twoFreePorts(), webhookTarget };
  const child = spawn(process.execPath, [host, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await vi.waitUntil(() => printed.endsWith('\n') || child.exitCode !== null, { timeout: 60_000, interval: 20 });
  const ready = Ready.parse(JSON.parse(printed));

  const control: TestSandbox['control'] = async (operation, body) => {
    const [method = '', path = ''] = operation.split(' ');
    const response = await fetch(`${ready.control_url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${ready.control_token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: Body.parse(await response.json()) };
  };
  return {
    ...ready,
    client: makeClient(ready.base_url, ready.seed.api_key),
    control,
    async pass(span) {
      const { status, body } = await control('POST /clock', { move: span });
      if (status !== 200 || body['settled'] !== true) throw new Error(JSON.stringify(body));
    },
    async close() {
      child.stdin.end();
      await ended;
      const { adminUrl } = inject('databaseServer');
      await withSql({ databaseUrl: adminUrl }, (sql) => sql.query(`drop database if exists ${live} with (force)`));
      await seeded.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
