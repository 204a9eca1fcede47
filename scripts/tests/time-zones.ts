import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { zoneRuns } from './rings.ts';

// npm run test:time-zones [-- ZONE [FILE …]]: runs the tests near dates in one other time zone, and other files with them; without a
// zone in two. The service's days are those of UTC, and the app's those of its reader, so no result may depend on
// the zone of the machine. Machines are mostly in UTC, where a day of the machine would be noticed by no test.

const root = join(import.meta.dirname, '../..');
for (const { TZ, files } of zoneRuns(process.argv.slice(2))) {
  console.log(`\nTime zone ${TZ}`);
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
    cwd: root,
    env: { ...process.env, TZ },
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
