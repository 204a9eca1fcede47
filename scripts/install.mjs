// Makes a checkout ready to run, and does nothing (fast) when it already is. It is the first thing that every npm script
// starts, so it runs on whatever Node the machine has (20 or later) and uses nothing that has to be installed before.
//
//   node scripts/install.mjs [--ui] [--quiet]      --ui: the built app too; --quiet: not a word unless there is work

import { fileURLToPath } from 'node:url';
import { clientIsCurrent, generateClient } from './install/client.mjs';
import { dependenciesAreCurrent, installDependencies } from './install/dependencies.mjs';
import { oneAtATime } from './install/one-at-a-time.mjs';
import { say } from './install/say.mjs';
import { buildUi, uiIsCurrent } from './install/ui.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const quiet = process.argv.includes('--quiet');

const wantsUi = process.argv.includes('--ui');

const ready = () => dependenciesAreCurrent(project) && clientIsCurrent(project) && (!wantsUi || uiIsCurrent(project));

try {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Error(`Node.js 20 or later is needed to install; this is ${process.version}.`);
  }
  if (ready()) {
    if (!quiet) say('Everything is installed.');
  } else {
    // Whoever waited for the lock looks again: the other one has most likely done all of it.
    await oneAtATime(project, async (hold) => {
      if (!dependenciesAreCurrent(project)) await installDependencies(project, hold);
      if (!clientIsCurrent(project)) await generateClient(project, hold);
      if (wantsUi && !uiIsCurrent(project)) await buildUi(project, hold);
    });
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
