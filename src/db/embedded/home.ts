import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { canEnter, serverUser } from './server-user.ts';
import type { ServerUser } from './server-user.ts';

/** Where the project keeps its data unless it is told otherwise: `.data` in the project, where the server can use that. */
export const defaultDataDir = (projectRoot: string): string => {
  const inside = resolve(projectRoot, '.data');
  const user = serverUser(inside);
  return canEnter(user, inside) || canEnter(user, resolve(projectRoot)) ? inside : outside(inside);
};

/**
 * The folder that holds the cluster: the data folder itself or, when it lies where root's server account can't get (below
 * /root, say), always the same folder elsewhere.
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
  // Root's own data folder may be passed through (not listed) by the server; folders above it are none of our business.
  chmodSync(folder, mode | 0o011);
  return canEnter(user, folder);
};

const isRoot = (): boolean => process.getuid?.() === 0;

const outside = (dataDir: string): string => {
  const name = `team-customer-api-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
  return isRoot() ? join('/var/lib', name) : join(homedir(), '.local', 'state', name);
};
