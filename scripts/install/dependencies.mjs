import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { noteAboutNode, pinnedNode, pinnedNodePackage } from './pinned-node.mjs';
import { isStamped, run, say } from './run.mjs';

/** @param {string} project */
export function dependenciesAreCurrent(project) {
  return isStamped(stampFile(project), stamp(project)) && existsSync(join(project, 'node_modules', '.bin', 'node'));
}

/** @param {string} project */
export async function installDependencies(project) {
  pinnedNodePackage(); // fails at once if there is no package for this platform, before a minute of downloads
  say('Installing what package-lock.json pins …');
  rmSync(stampFile(project), { force: true });
  const npm = npmOf(project);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(npm.program, [...npm.args, ...args], { cwd: project });
  const node = pinnedNode();
  const modules = join(project, 'node_modules');
  if (!node.startsWith(modules + sep)) {
    rmSync(join(modules, '.bin', 'node'), { force: true }); // npm has linked its package
    symlinkSync(node, join(modules, '.bin', 'node'));
  }
  const note = noteAboutNode();
  if (note) say(note);
  if (spawnSync(node, ['--version']).status !== 0) {
    throw new Error(`The pinned Node.js does not run on this machine. On Linux it needs glibc. (${node})`);
  }
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
 * The npm that the user called, run by the same Node; npm from the PATH if that Node is in node_modules, which are
 * about to be replaced.
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
