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
 * The folder of the cluster: the data folder, or a fixed folder elsewhere if root's server account can't reach the data
 * folder (for instance below /root).
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
  if (user) requireRootsOwn(folder, join(folder, 'postgres'));
  if (canEnter(user, folder)) return true;
  if (!user) return false;
  // The server's account may enter root's data folder but not list it. Folders above it are not changed.
  chmodSync(folder, statSync(folder).mode | 0o011);
  return canEnter(user, folder);
};

/**
 * Root writes files in these folders. Another account that may write there could replace them by links to other files.
 */
const requireRootsOwn = (...folders: string[]): void => {
  for (const folder of folders) {
    const { uid, mode } = statSync(folder, { throwIfNoEntry: false }) ?? { uid: 0, mode: 0 };
    if (uid === 0 && (mode & 0o022) === 0) continue;
    throw new Error(`PostgreSQL can't be started by root in ${folder}: this folder must belong to root, and nobody else may write to it.
Run this as another user, or choose another folder with DATA_DIR.`);
  }
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
 * The account that runs the server. PostgreSQL refuses to run as root, so root uses the account that owns the data,
 * `nobody` for a new cluster. Other users run it as themselves (undefined).
 */
export type ServerUser = Account | undefined;

export const serverUser = (home: string): ServerUser => {
  if (!isRoot()) return undefined;
  const owner = statSync(join(home, 'postgres', 'data'), { throwIfNoEntry: false });
  return owner ? { uid: owner.uid, gid: owner.gid } : nobody();
};

const nobody = (): Account => {
  const [, uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return uid === undefined || gid === undefined ? { uid: 65_534, gid: 65_534 } : { uid: Number(uid), gid: Number(gid) };
};

/**
 * Whether the server can work in `folder`. This is tried out, because file modes are not everything (ACLs, parent
 * folders).
 */
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

/**
 * Options for a child process: the account, and an environment without the caller's variables (PGDATA, PGPORT, LANG …).
 */
export const asUser = (user: ServerUser) => ({
  ...user,
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
});

/**
 * Gives a file to the server's account. Only for paths in folders of root: in other folders the account could replace
 * the file by a link before root changes its owner.
 */
export const giveTo = (user: ServerUser, path: string): void => {
  if (user) chownSync(path, user.uid, user.gid);
};

/** Writes a file that only the server's account and root can read. As with `giveTo`, the folder has to be root's. */
export const writeFor = (user: ServerUser, path: string, text: string, flag: 'w' | 'a' = 'w'): void => {
  writeFileSync(path, text, { mode: 0o600, flag });
  giveTo(user, path);
};
