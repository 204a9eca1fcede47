import { spawnSync } from 'node:child_process';
import { accessSync, chownSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Account {
  uid: number;
  gid: number;
}

/**
 * Who runs the server. PostgreSQL refuses to run as root, so root hands it to the account that the cluster, or the folder
 * for it, belongs to, and to `nobody` if that is root's; everybody else runs it as themselves (undefined).
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

/** Whether the server could work below `folder`: found out by trying, since modes alone don't say (ACLs, parents). */
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

/** Options for a child process: the account, and nothing of the caller's environment (PGDATA, PGPORT, LANG …). */
export const asUser = (user: ServerUser) => ({
  ...user,
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
});

export const giveTo = (user: ServerUser, path: string): void => {
  if (user) chownSync(path, user.uid, user.gid);
};

/** Writes a file that only the server's account (and root) can read. */
export const writeFor = (user: ServerUser, path: string, text: string): void => {
  writeFileSync(path, text, { mode: 0o600 });
  giveTo(user, path);
};
