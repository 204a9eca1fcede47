import { execFile } from 'node:child_process';
import { cp, constants, mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/config.ts';
import { ConfigError } from '../../src/core/config-error.ts';

const execute = promisify(execFile);
const maxOutput = 2 ** 28;

const git = async (...args: string[]): Promise<string> =>
  (await execute('git', args, { cwd: projectRoot })).stdout.trim();

/** Another commit in a folder of its own, installed. The folder is removed when it is disposed of. */
export interface Checkout extends AsyncDisposable {
  readonly path: string;
  /** Its short id. */
  readonly commit: string;
  /** Runs Node there to its end, and returns what it printed. It is the Node of this checkout. */
  readonly runHere: (args: readonly string[], environment?: Readonly<Record<string, string>>) => Promise<string>;
}

/** The packages are copied from here if they are the same; otherwise npm installs them, which takes a minute. */
const copyPackages = async (path: string): Promise<void> => {
  const lockfiles = [projectRoot, path].map((folder) => readFile(join(folder, 'package-lock.json'), 'utf8'));
  const [ours, theirs] = await Promise.all(lockfiles);
  if (ours !== theirs) return;
  const modules = 'node_modules';
  await cp(join(projectRoot, modules), join(path, modules), {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
  });
};

/** `commit`: as git names it, such as `HEAD~1`. */
export const checkOut = async (commit: string): Promise<Checkout> => {
  const id = await git('rev-parse', '--short', '--verify', '--quiet', `${commit}^{commit}`).catch(() => {
    throw new ConfigError(`There is no commit ${commit}.`);
  });
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'team-customer-api-commit-')));
  const path = join(folder.path, id);
  await git('worktree', 'add', '--detach', path, id);
  opened.defer(async () => void (await git('worktree', 'remove', '--force', path)));
  const runHere: Checkout['runHere'] = async (args, environment = {}) => {
    const options = { cwd: path, env: { ...process.env, ...environment }, maxBuffer: maxOutput };
    return (await execute(process.execPath, args, options)).stdout;
  };
  console.log(`Installing ${id} …`);
  await copyPackages(path);
  await runHere(['scripts/install.mjs']);
  const owned = opened.move();
  return { path, commit: id, runHere, [Symbol.asyncDispose]: () => owned.disposeAsync() };
};
