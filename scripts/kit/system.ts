// Folders, the Debian packages that benches and tries need, and the account that runs their programs.

import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../../src/core/config-error.ts';

/** A folder of its own, which is removed with all that is in it. Other accounts may enter it but not list it. */
export const createFolder = async (opened: AsyncDisposableStack, name: string): Promise<string> => {
  const { path } = opened.use(await mkdtempDisposable(join(tmpdir(), `team-customer-api-${name}-`)));
  await chmod(path, 0o711);
  return path;
};

const execute = promisify(execFile);

/** Installs a package of Debian if this is a Debian and the user may do so. Returns the reason if it could not. */
export const installPackage = async (name: string): Promise<string | undefined> => {
  if (userInfo().uid !== 0 || !existsSync('/usr/bin/apt-get')) return `apt-get install ${name} needs root on Debian`;
  // With this run level, a package does not start its server with Debian's own configuration.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const get = (...words: string[]) => execute('apt-get', ['-qq', ...words], { env, maxBuffer: 64 * 1024 * 1024 });
  const install = () => get('install', '-y', '--no-install-recommends', name);
  // The package lists of the machine may be missing or outdated.
  return install()
    .catch(() => get('update').then(install))
    .then(
      () => undefined,
      (error: unknown) => String(error).slice(0, 500),
    );
};

/**
 * Installs Debian's package if no file matches the pattern, and returns the path of the last file that matches, by its
 * number.
 */
export const requireProgram = async (pattern: string, packageName: string): Promise<string> => {
  const find = () =>
    globSync(pattern)
      .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .at(-1);
  const reason = find() === undefined ? await installPackage(packageName) : undefined;
  const found = find();
  if (found === undefined)
    throw new ConfigError(`This needs ${pattern} of Debian's package ${packageName}: ${reason ?? 'not there'}`);
  return found;
};

/** The user and group of a program that root must not run; empty for other users, who run it as themselves. */
export type Account = { uid: number; gid: number } | Record<string, never>;

export const accountOf = (name: string): Account => {
  if (userInfo().uid !== 0) return {};
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined) throw new ConfigError(`This system has no account ${name}`);
  return { uid: Number(uid), gid: Number(gid) };
};

/** Makes a folder that belongs to the account. */
export const createFolderFor = async ({ uid, gid }: Account, folder: string): Promise<string> => {
  if (!existsSync(folder)) await mkdir(folder, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  return folder;
};
