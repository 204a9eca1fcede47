import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { bundleOf } from '../../scripts/client/size.ts';
import { twoFreePorts } from '../support/ports.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { failuresIn, installPacked, type Installed } from './packed.ts';
import { aWorld } from './world.ts';
import { patience } from '../support/patience.ts';

const execute = promisify(execFile);

/** Exact versions, so that every failure is caused by the client. */
const runtimes = ['bun@1.4.5', 'deno@2.9.6', 'workerd@1.20261117.1'];

let service: TestService;
let packed: Installed;
let folder: string;
beforeAll(async () => {
  [service, packed, folder] = await Promise.all([
    startTestService(),
    installPacked(),
    mkdtemp(join(tmpdir(), 'client-runtimes-')),
  ]);
  await writeFile(join(folder, 'package.json'), '{}');
  await execute('npm', ['install', '--no-audit', '--no-fund', ...runtimes], { cwd: folder });
}, 600_000);
afterAll(async () => {
  const folders = [folder, dirname(packed.project)];
  await Promise.all([service.close(), ...folders.map((folder) => rm(folder, { recursive: true }))]);
});

const program = (name: string) => join(folder, 'node_modules', '.bin', name);

it.each([
  ['bun', ['run', 'runner.mjs']],
  ['deno', ['run', '--allow-env', '--allow-net', '--allow-read', '--no-lock', 'runner.mjs']],
])('the packed client passes its suite in %s', async (name, args) => {
  const env = { WORLD: JSON.stringify(await aWorld(service)), HOME: folder, DENO_NO_UPDATE_CHECK: '1' };
  const { stdout } = await execute(program(name), args, { cwd: packed.project, env });
  expect(failuresIn(stdout)).toEqual([]);
});

const workerdConfig = (port: number) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["local", "public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-11-01",
);`;

it('the packed client passes its suite in workerd, the runtime of Cloudflare Workers', async () => {
  const source = join(packed.project, 'worker-source.mjs');
  await writeFile(
    source,
    `import * as client from 'team-customer-api-client';
     import { run } from './suite.mjs';
     export default { fetch: async (request) => Response.json(await run(client, await request.json())) };`,
  );
  await writeFile(join(folder, 'worker.mjs'), await bundleOf(source, 'es'));
  const port = await twoFreePorts();
  await writeFile(join(folder, 'worker.capnp'), workerdConfig(port));
  const child = spawn(program('workerd'), ['serve', 'worker.capnp'], { cwd: folder, stdio: 'inherit' });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const body = JSON.stringify(await aWorld(service));
  const answer = await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body }), patience);
  expect(failuresIn(await answer.text())).toEqual([]);
});
