import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs a package of Debian if this is a Debian and the user may do so. Returns the reason if it could not. */
export const installPackage = async (name: string): Promise<string | undefined> => {
  if (userInfo().uid !== 0 || !existsSync('/usr/bin/apt-get')) return `apt-get install ${name} needs root on Debian`;
  // With this run level, a package does not start its server with Debian's own configuration.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const get = (...words: string[]) => run('apt-get', ['-qq', ...words], { env, maxBuffer: 64 * 1024 * 1024 });
  const install = () => get('install', '-y', '--no-install-recommends', name);
  // The package lists of the machine may be missing or outdated.
  return install()
    .catch(() => get('update').then(install))
    .then(
      () => undefined,
      (error: unknown) => String(error).slice(0, 500),
    );
};
