import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStamped, run, say, stampOf } from './run.mjs';

/** Whether dist/client, the package that customers install, was built from the current sources. @param {string} project */
export function clientPackageIsCurrent(project) {
  const { manifest, stamp: file } = filesOf(project);
  return existsSync(manifest) && isStamped(file, stamp(project));
}

/** @param {string} project */
export async function buildClientPackage(project) {
  const files = filesOf(project);
  const made = stamp(project); // before the build, so that files saved meanwhile cause another build
  say('Building the client’s package …');
  rmSync(files.stamp, { force: true });
  await run(files.node, [files.build], { cwd: project });
  writeFileSync(files.stamp, made);
}

/** @param {string} project */
function filesOf(project) {
  return {
    manifest: join(project, 'dist', 'client', 'package.json'),
    // Not in the folder, all of whose files are in the package.
    stamp: join(project, 'dist', '.client-built'),
    node: join(project, 'node_modules', '.bin', 'node'),
    build: join(project, 'scripts', 'client', 'main.ts'),
  };
}

/** @param {string} project */
function stamp(project) {
  return stampOf(project, {
    files: ['package.json', 'package-lock.json', 'LICENSE'],
    folders: ['src/packages/client', 'scripts/client'],
  });
}
