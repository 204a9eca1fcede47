// Makes a checkout ready to run, and does nothing (fast) when it already is. The npm scripts begin with it, by
// scripts/run. So it must run on any Node that the machine has (20 or later) and without installed packages.
//
//   node scripts/install.mjs [--ui]      --ui: also the app and the client's package

import { fileURLToPath } from 'node:url';
import { app, bringUpToDate, clientPackage, databaseClient, isCurrent } from './install/builds.mjs';
import { dependenciesAreCurrent, installDependencies } from './install/dependencies.mjs';
import { oneAtATime, say } from './install/run.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));

const wantsUi = process.argv.includes('--ui');
const builds = [databaseClient, ...(wantsUi ? [app, clientPackage] : [])].map((build) => build(project));

const ready = () => dependenciesAreCurrent(project) && builds.every(isCurrent);

try {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Error(`Node.js 20 or later is needed to install; this is ${process.version}.`);
  }
  if (!ready()) {
    // After waiting for the lock, check again: the process that held it has most likely done everything.
    await oneAtATime(project, async () => {
      if (!dependenciesAreCurrent(project)) await installDependencies(project);
      for (const build of builds) await bringUpToDate(project, build);
    });
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
