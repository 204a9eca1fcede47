import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';

// The tests are three rings: the quick ones, which `npm test` runs; what CI runs with each push; and all. CI runs the quick ones, the
// slow ones below, and in turn a fifth of the other slow ones.

/** How many parts the slow files have that CI runs in turn. */
export const parts = 5;

/** Slow files that CI always runs: they hold what no other test can. */
export const always: readonly string[] = [
  'test/changes/every-write.slow.test.ts',
  'test/db/cells.slow.test.ts',
  'test/deploy/image.slow.test.ts',
  'test/deploy/promtool.slow.test.ts',
  'test/e2e/walk-sample.slow.test.ts',
  'test/limits/processes.slow.test.ts',
  'test/outage/outage.slow.test.ts',
  'test/processes/main.slow.test.ts',
  'test/processes/rolling.slow.test.ts',
  'test/proxy/shipped-configurations.slow.test.ts',
  'test/proxy/single-requests.slow.test.ts',
];

export const slowFiles = (root: string): readonly string[] =>
  globSync('test/**/*.slow.test.ts', { cwd: root }).toSorted();

/**
 * The part to which a file belongs, from 0. It depends on the file's name alone, so that a new file changes no other
 * file's part. In five commits in a row, each file is run once.
 */
export const partOf = (file: string): number => createHash('sha256').update(file).digest().readUInt32BE() % parts;

/** The slow files that CI runs for a number of commits. */
export const filesOfTurn = (files: readonly string[], commits: number): readonly string[] =>
  files.filter((file) => always.includes(file) || partOf(file) === commits % parts);

/** For tests that take a sample in CI: another one each time that their part comes again. */
export const sampleOf = (commits: number): number => Math.floor(commits / parts);

// Time zones

/** West of UTC, by half an hour too; and so far east that the day is another one from noon on. */
export const zones = ['America/St_Johns', 'Pacific/Auckland'];

/** Tests near dates. */
export const nearDates: readonly string[] = [
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
  'test/mail/budgets.slow.test.ts',
  'test/mcp/tools.test.ts',
  'test/operations/retention.test.ts',
  'test/requests/volume.test.ts',
  'test/teams/overview.test.ts',
  'test/web/charts.test.ts',
  'test/web/date-range.test.ts',
  'test/webhooks/in-the-app.test.ts',
  'test/worker/attempts.test.ts',
];

/** The runs of tests near dates: one in the given zone, with the given files too; without arguments, one in each zone. */
export const zoneRuns = ([zone, ...others]: readonly string[]): { TZ: string; files: readonly string[] }[] =>
  (zone === undefined ? zones : [zone]).map((TZ) => ({ TZ, files: [...nearDates, ...others] }));
