import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { linkPinnedNode, pinnedNodePackage } from './pinned-node.mjs';
import { run } from './run.mjs';
import { say } from './say.mjs';

/** @param {string} project */
export function dependenciesAreCurrent(project) {
  const installed = readOrEmpty(stampFile(project));
  return installed === stamp(project) && existsSync(join(project, 'node_modules', '.bin', 'node'));
}

/** @param {string} project @param {import('./one-at-a-time.mjs').Hold} hold */
export async function installDependencies(project, hold) {
  pinnedNodePackage(); // fails at once if there is no package for this platform, before a minute of downloads
  if (!installedByHand(project)) {
    say('Installing what package-lock.json pins …');
    rmSync(stampFile(project), { force: true });
    const npm = npmOf(project);
    await run(npm.program, [...npm.args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: project,
      hold,
    });
  }
  linkPinnedNode(project);
  writeFileSync(stampFile(project), stamp(project));
}

/** @param {string} project */
const stampFile = (project) => join(project, 'node_modules', '.installed');

/** Includes the platform, because a folder shared with a container needs other binaries there. @param {string} project */
function stamp(project) {
  const lockfile = readFileSync(join(project, 'package-lock.json'));
  return `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform}-${process.arch}\n`;
}

/**
 * Whether `npm install` was run by hand and was complete. npm writes the list of installed packages last.
 * @param {string} project
 */
function installedByHand(project) {
  const present = packagesIn(join(project, 'node_modules', '.package-lock.json'));
  const wanted = packagesIn(join(project, 'package-lock.json'));
  const complete = Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || entry.devOptional || path in present,
  );
  const exact = Object.entries(present).every(([path, entry]) => isDeepStrictEqual(entry, wanted[path]));
  return complete && exact && `node_modules/${pinnedNodePackage()}` in present;
}

/** @param {string} file @returns {Record<string, { optional?: boolean, devOptional?: boolean }>} */
function packagesIn(file) {
  const text = readOrEmpty(file);
  return text === '' ? {} : JSON.parse(text).packages;
}

/**
 * The npm that the user called, run by the same Node; npm from the PATH if that Node is in node_modules, which are about to be replaced.
 * @param {string} project
 */
function npmOf(project) {
  const cli = process.env['npm_execpath'];
  const node = process.env['npm_node_execpath'] ?? process.execPath;
  if (
    cli &&
    basename(cli) === 'npm-cli.js' &&
    existsSync(cli) &&
    !node.startsWith(join(project, 'node_modules') + sep)
  ) {
    return { program: node, args: [cli] };
  }
  return { program: 'npm', args: [] };
}

/** @param {string} file */
function readOrEmpty(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
