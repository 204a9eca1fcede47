import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { Announcement } from '../../src/packages/sandbox/announcement.ts';
import { patience } from '../support/patience.ts';

// The result of `npm pack`, installed like by npm: under node_modules, where Node runs no TypeScript, with only the
// packages that it depends on. They are linked, not downloaded.

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** A folder that PostgreSQL's account may enter, too. All files of the tests are in it. */
const home = mkdtempSync(join(tmpdir(), 'team-customer-api-packed-'));
chmodSync(home, 0o711);
const modules = join(home, 'node_modules');
/** Temporary files of the sandboxes. */
const temporary = join(home, 'tmp');

/** The machine's own Node, any version from 20, as a customer has it. */
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: temporary };
const bin = join(modules, 'team-customer-api', 'bin', 'team-customer-api.mjs');
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

/** Packs and installs the package, and returns the names of its files. */
export const installPacked = async (): Promise<string[]> => {
  mkdirSync(modules);
  mkdirSync(temporary);
  chmodSync(temporary, 0o711);
  await execute('npm', ['pack', '--silent', '--pack-destination', home], { cwd: root });
  const [tarball = ''] = readdirSync(home).filter((name) => name.endsWith('.tgz'));
  const { stdout } = await execute('tar', ['xzvf', tarball], { cwd: home });
  linkDependencies();
  await execute('mv', ['package', join(modules, 'team-customer-api')], { cwd: home });
  return stdout.trim().split('\n');
};

export const removePacked = (): void => rmSync(home, { recursive: true, force: true });

/** Runs a command of the package to its end, and returns what it printed as JSON. */
export const command = async (...args: string[]): Promise<unknown> =>
  JSON.parse((await execute('node', [bin, 'sandbox', ...args, '--json'], { cwd: home, env })).stdout);

/** A sandbox in the background, which goes on when its command has ended. */
export const startDetached = async (): Promise<Announcement> => Announcement.parse(await command('start', '--detach'));

/** A sandbox in the foreground of a shell, with whose end it ends. */
export const startInShell = async (webhookTarget: string) => {
  const shell = spawn('sh', ['-c', `node '${bin}' sandbox --webhook-target '${webhookTarget}' --json & wait`], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  // Not `expect.poll`: it runs in a hook.
  await vi.waitFor(() => expect(printed.trimEnd()).toMatch(/\}$/), patience);
  return { ...Announcement.parse(JSON.parse(printed)), shell };
};

/** The files that sandboxes have left behind, apart from the empty folder of the announcements. */
export const leftovers = (): string[] =>
  readdirSync(temporary, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^team-customer-api-sandboxes-\d+$/.test(name),
  );
