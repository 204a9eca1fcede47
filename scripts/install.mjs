// Makes a checkout ready to run, and does nothing (fast) when it already is. Every npm script starts with it, so it
// must run on any Node that the machine has (20 or later) and without installed packages.
//
//   node scripts/install.mjs [--ui] [--quiet]      --ui: also the app and the client's package; --quiet: prints nothing unless there is work

import { fileURLToPath } from 'node:url';
import { buildClientPackage, clientPackageIsCurrent } from './install/client-package.mjs';
import { clientIsCurrent, generateClient } from './install/client.mjs';
import { dependenciesAreCurrent, installDependencies } from './install/dependencies.mjs';
import { oneAtATime, say } from './install/run.mjs';
import { buildUi, uiIsCurrent } from './install/ui.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const quiet = process.argv.includes('--quiet');

const wantsUi = process.argv.includes('--ui');

const isBuilt = () => uiIsCurrent(project) && clientPackageIsCurrent(project);
const ready = () => dependenciesAreCurrent(project) && clientIsCurrent(project) && (!wantsUi || isBuilt());

try {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Error(`Node.js 20 or later is needed to install; this is ${process.version}.`);
  }
  if (ready()) {
    if (!quiet) say('Everything is installed.');
  } else {
    // After waiting for the lock, check again: the process that held it has most likely done everything.
    await oneAtATime(project, async () => {
      if (!dependenciesAreCurrent(project)) await installDependencies(project);
      if (!clientIsCurrent(project)) await generateClient(project);
      if (wantsUi && !uiIsCurrent(project)) await buildUi(project);
      if (wantsUi && !clientPackageIsCurrent(project)) await buildClientPackage(project);
    });
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
