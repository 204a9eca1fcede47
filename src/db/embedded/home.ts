import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  realpathSync,
  statSync,
  accessSync,
  chownSync,
  constants,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The default data folder: `.data` in the project, if the server can use it. */
export const defaultDataDir = (projectRoot: string): string => {
  const inside = resolve(projectRoot, '.data');
  const user = serverUser(inside);
  return canEnter(user, inside) || canEnter(user, resolve(projectRoot)) ? inside : outside(inside);
};

/**
 * The folder of the cluster: the data folder, or a fixed folder elsewhere if root's server account can't reach the data folder (for
 * instance below /root).
 */
export const clusterHome = (dataDir: string): string => {
  const wanted = resolve(dataDir);
  for (const folder of isRoot() ? [wanted, outside(wanted)] : [wanted]) {
    if (makeUsable(serverUser(folder), folder)) return realpathSync(folder);
  }
  throw new Error(`PostgreSQL can't keep its data in ${wanted}: set DATA_DIR to a folder that this user can write to.`);
};

const makeUsable = (user: ServerUser, folder: string): boolean => {
  try {
    mkdirSync(folder, { recursive: true, mode: user ? 0o711 : 0o700 });
  } catch {
    return false;
  }
  if (canEnter(user, folder)) return true;
  const { uid, mode } = statSync(folder);
  if (!user || uid !== 0) return false;
  // The server's account may enter root's data folder but not list it. Folders above it are not changed.
  chmodSync(folder, mode | 0o011);
  return canEnter(user, folder);
};

const isRoot = (): boolean => process.getuid?.() === 0;

const outside = (dataDir: string): string => {
  const name = `team-customer-api-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
  return isRoot() ? join('/var/lib', name) : join(homedir(), '.local', 'state', name);
};

interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that runs the server. PostgreSQL refuses to run as root, so root uses the account that owns the cluster or its folder, and
 * `nobody` if that is root. Other users run it as themselves (undefined).
 */
export type ServerUser = Account | undefined;

export const serverUser = (home: string): ServerUser => {
  if (process.getuid?.() !== 0) return undefined;
  const owners = [join(home, 'postgres'), home].map((path) => statSync(path, { throwIfNoEntry: false }));
  const owner = owners.find((found) => found !== undefined && found.uid !== 0);
  return owner ? { uid: owner.uid, gid: owner.gid } : nobody();
};

const nobody = (): Account => {
  const [, uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return uid === undefined || gid === undefined ? { uid: 65_534, gid: 65_534 } : { uid: Number(uid), gid: Number(gid) };
};

/** Whether the server can work in `folder`. It is tried, because file modes are not everything (ACLs, parent folders). */
export const canEnter = (user: ServerUser, folder: string): boolean => {
  if (user)
    return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...asUser(user), stdio: 'ignore' }).status === 0;
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Options for a child process: the account, and an environment without the caller's variables (PGDATA, PGPORT, LANG …). */
export const asUser = (user: ServerUser) => ({
  ...user,
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
});

export const giveTo = (user: ServerUser, path: string): void => {
  if (user) chownSync(path, user.uid, user.gid);
};

/** Writes a file that only the server's account and root can read. */
export const writeFor = (user: ServerUser, path: string, text: string): void => {
  writeFileSync(path, text, { mode: 0o600 });
  giveTo(user, path);
};
