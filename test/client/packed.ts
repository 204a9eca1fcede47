import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { buildClient, type Built } from '../../scripts/client/build.ts';

const execute = promisify(execFile);

export interface Installed extends Built {
  /** A project of a customer, with the tarball installed. */
  project: string;
}

/** The suite for runtimes with a file system: it reads its world from the environment and prints the results. */
const runner = `
import * as client from 'team-customer-api-client';
import { run } from './suite.mjs';
const environment = globalThis.Deno ? Deno.env.toObject() : process.env;
console.log(JSON.stringify(await run(client, JSON.parse(environment.WORLD))));
`;

/** Builds and packs the client, and installs the tarball as a customer would, without a registry. */
export const installPacked = async (): Promise<Installed> => {
  const root = await mkdtemp(join(tmpdir(), 'client-'));
  const built = await buildClient({ folder: join(root, 'client'), origin: 'http://localhost:3000' });
  const project = join(root, 'project');
  await execute('mkdir', [project]);
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', built.tarball], { cwd: project });
  const suite = await readFile(new URL('suite.ts', import.meta.url), 'utf8');
  await writeFile(join(project, 'suite.mjs'), stripTypeScriptTypes(suite));
  await writeFile(join(project, 'runner.mjs'), runner);
  return { ...built, project };
};

/** The names of the failed tests in a runner's output. */
export const failuresIn = (output: string): [string, string | null][] => {
  const results: [string, string | null][] = JSON.parse(output);
  expect(results.length).toBeGreaterThan(10);
  return results.filter(([, error]) => error !== null);
};
