import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { minutesToMs } from '../../src/core/clock.ts';

interface Packages {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

const run = promisify(execFile);

/**
 * Installs packages that are no dependencies of this project into a folder of their own, which is kept: the next run
 * with the same packages installs nothing. `options` are npm's.
 */
export const installApart = async (folder: string, packages: Packages, ...options: string[]): Promise<void> => {
  const [file, done] = [join(folder, 'package.json'), join(folder, 'installed.json')];
  const wanted = JSON.stringify({ private: true, ...packages });
  if (existsSync(done) && (await readFile(done, 'utf8')) === wanted) return;
  await mkdir(folder, { recursive: true });
  await writeFile(file, wanted);
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];
  await run('npm', [...words, ...options], { cwd: folder, env, timeout: minutesToMs(5) });
  await writeFile(done, wanted);
};
