import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { Announcement } from '../../src/packages/sandbox/announcement.ts';
import { makeClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';

// The result of `npm pack`, installed like by npm: under node_modules, where Node runs no TypeScript, with only the packages that it
// depends on. They are linked, not downloaded.

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** A folder that PostgreSQL's account may enter, too. All files of this test are in it. */
const home = mkdtempSync(join(tmpdir(), 'team-customer-api-packed-'));
chmodSync(home, 0o711);
const modules = join(home, 'node_modules');
/** Temporary files of the sandboxes. */
const temporary = join(home, 'tmp');

/** The machine's own Node, any version from 20, as a customer has it. */
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: temporary };
const bin = join(modules, 'team-customer-api', 'bin', 'team-customer-api.mjs');
const sandbox = async (...args: string[]): Promise<string> =>
  (await execute('node', [bin, 'sandbox', ...args], { cwd: home, env })).stdout;

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ dev: z.boolean().default(false), devOptional: z.boolean().default(false) }),
  ),
});

/** Links the packages that an installation without development has. */
const linkDependencies = (): void => {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    const isOfTheTop = /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path);
    if (!isOfTheTop || dev || devOptional || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(home, path)), { recursive: true });
    symlinkSync(join(root, path), join(home, path));
  }
};

const packed: string[] = [];

beforeAll(async () => {
  mkdirSync(modules);
  mkdirSync(temporary);
  chmodSync(temporary, 0o711);
  await execute('npm', ['pack', '--silent', '--pack-destination', home], { cwd: root });
  const [tarball = ''] = readdirSync(home).filter((name) => name.endsWith('.tgz'));
  const { stdout } = await execute('tar', ['tzf', tarball], { cwd: home });
  packed.push(...stdout.trim().split('\n'));
  await execute('tar', ['xzf', tarball], { cwd: home });
  linkDependencies();
  await execute('mv', ['package', join(modules, 'team-customer-api')], { cwd: home });
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const read = (text: string): Announcement => Announcement.parse(JSON.parse(text));

/** The files that sandboxes have left behind, apart from the empty folder of the announcements. */
const leftovers = (): string[] =>
  readdirSync(temporary, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^team-customer-api-sandboxes-\d+$/.test(name),
  );

describe('the package', () => {
  it('has the code that runs, and no sources, tests, settings or secrets', () => {
    const expected =
      /^package\/(?:build\/(?:src|dist\/(?:web|client)|prisma|docs)\/|build\/package\.json$|bin\/|scripts\/install\/pinned-node\.mjs$|(?:package\.json|README\.md|CHANGELOG\.md|LICENSE)$)/;
    expect(packed.filter((file) => !expected.test(file))).toEqual([]);
    // The documentation shows these files unchanged, and customers install the client.
    const shown = /^package\/build\/(?:src\/server\/developers\/(?:examples|receivers)|dist\/client)\//;
    const own = packed.filter((file) => !shown.test(file));
    expect(own.filter((file) => /\.(?:ts|pem|env|log|map)$|\.test\.|\/\.data\//.test(file))).toEqual([]);
  });

  it('starts several sandboxes at once, which serve, obey their commands and leave nothing behind', async () => {
    const shell = spawn('sh', ['-c', `node '${bin}' sandbox --json & wait`], { cwd: home, env });
    onTestFinished(() => void shell.kill('SIGKILL'));
    let printed = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const [stopped, killed] = (
      await Promise.all([sandbox('start', '--detach', '--json'), sandbox('start', '--detach', '--json')])
    ).map(read);
    // Three that start at once can take minutes on a busy machine.
    await vi.waitFor(() => expect(printed.trimEnd()).toMatch(/\}$/), { timeout: 300_000, interval: 100 });
    const left = read(printed);
    if (!stopped || !killed) throw new Error('two were started');
    expect(new Set([stopped, killed, left].map(({ app_url }) => app_url)).size).toBe(3);
    expect(z.array(z.unknown()).parse(JSON.parse(await sandbox('status', '--json')))).toHaveLength(3);

    const { port } = new URL(stopped.app_url);
    const moved = JSON.parse(await sandbox('clock', '+3d', '--port', port, '--json'));
    expect(moved.ahead_seconds).toBeGreaterThanOrEqual(3 * 86_400 - 1);
    const { event_id } = JSON.parse(await sandbox('trigger', 'evaluation.completed', '--port', port, '--json'));
    expect(event_id).toMatch(/^evt_/);
    expect((await makeClient(stopped.base_url, stopped.api_key).get('/trainings?limit=1')).data[0]).toMatchObject({
      status: 'scored',
    });
    const page = await fetch(stopped.app_url);
    expect(page.headers.get('content-type')).toContain('text/html');
    for (const path of ['webhook-signatures', 'tools', 'reference', 'examples/webhook-test-vectors.json']) {
      expect((await fetch(new URL(`/developers/${path}`, stopped.app_url))).status, path).toBe(200);
    }

    await sandbox('stop', '--port', port);
    process.kill(killed.pid, 'SIGKILL');
    shell.kill('SIGKILL'); // the parent of the command
    await eventually(() => {
      expect([stopped, killed, left].map(({ pid }) => isAlive(pid))).toEqual([false, false, false]);
      expect(leftovers()).toEqual([]);
    });
  }, 600_000);
});
