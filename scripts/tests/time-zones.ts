import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';

// npm run test:time-zones [-- ZONE [FILE …]]: runs the tests near dates in processes of another time zone, or of both below, and other
// files with them. The service's days are those of UTC, and the app's those of its reader, so no result may depend on
// the zone of the machine. Machines are mostly in UTC, where a day of the machine would be noticed by no test.

/** West of UTC, by half an hour too; and so far east that the day is another one from noon on. */
const zones = ['America/St_Johns', 'Pacific/Auckland'];

const files = [
  'test/analytics/analytics.test.ts',
  'test/analytics/recomputation.test.ts',
  'test/analytics/trends.test.ts',
  'test/assignments/app.test.ts',
  'test/assignments/create.test.ts',
  'test/core/instant.test.ts',
  'test/crm/providers/forms.test.ts',
  'test/events/retention.test.ts',
  'test/keys/app.test.ts',
  'test/keys/expiry.test.ts',
  'test/mail/budgets.test.ts',
  'test/mcp/tools.test.ts',
  'test/operations/retention.test.ts',
  'test/requests/volume.test.ts',
  'test/teams/overview.test.ts',
  'test/web/charts.test.ts',
  'test/web/date-range.test.ts',
  'test/webhooks/in-the-app.test.ts',
  'test/worker/attempts.test.ts',
];

const root = join(import.meta.dirname, '../..');
const [zone, ...others] = process.argv.slice(2);
for (const TZ of zone === undefined ? zones : [zone]) {
  console.log(`\nTime zone ${TZ}`);
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files, ...others], {
    cwd: root,
    env: { ...process.env, TZ },
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
