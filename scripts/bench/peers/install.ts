// Programs that the service is compared with and that are no part of this project. npm installs them into a folder
// outside of it.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { minutesToMs } from '../../../src/core/clock.ts';

/** The folder is kept, so that the next run installs nothing. */
export const peersFolder = process.env['PEERS_FOLDER'] ?? join(tmpdir(), 'team-customer-api-peers');

/** The newest versions whose packages the registry had, each in a folder of its own. */
const packages = {
  light: { dependencies: { fastify: '5.12.8', 'pg-boss': '12.38.0' } },
  strapi: { dependencies: { '@strapi/strapi': '5.54.0', pg: '8.23.1' } },
  // Directus needs isolated-vm for scripts of flows; only the newer one runs on the Node of this project.
  directus: { dependencies: { directus: '12.4.0' }, overrides: { 'isolated-vm': '7.0.1' } },
};
export type PeerName = keyof typeof packages;

export const versions: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(packages).map(({ dependencies }) => dependencies),
);

const run = promisify(execFile);

export const packagesOf = (name: PeerName): string => Object.keys(packages[name].dependencies).join(' and ');

/** Returns a reason if the packages can't be installed. */
export const installPeer = async (name: PeerName): Promise<string | undefined> => {
  const folder = join(peersFolder, name);
  const [file, done] = [join(folder, 'package.json'), join(folder, 'installed.json')];
  const wanted = JSON.stringify({ private: true, ...packages[name] });
  if (existsSync(done) && (await readFile(done, 'utf8')) === wanted) return undefined;
  await mkdir(folder, { recursive: true });
  await writeFile(file, wanted);
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];
  try {
    await run('npm', words, { cwd: folder, env, timeout: minutesToMs(5) });
  } catch (error) {
    return String(error).slice(0, 300);
  }
  await writeFile(done, wanted);
  return undefined;
};
