import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest come first, so that none of them runs alone at the end: a new clone has no record of their durations. */
const first = [
  'sandbox/sandbox.slow.test.ts',
  'changes/copy-under-fire.slow.test.ts',
  'e2e/every-dialog.slow.test.ts',
  'models/long.slow.test.ts',
  'limits/hostile-texts.slow.test.ts',
  'demo/up.slow.test.ts',
  'e2e/accessibility.slow.test.ts',
  'conformance/conformance.slow.test.ts',
  'e2e/every-page.slow.test.ts',
  'proxy/shipped-configurations.slow.test.ts',
  'trainings/paging.slow.test.ts',
  'deploy/image.slow.test.ts',
  'webhooks/check-up.slow.test.ts',
  'outage/standby.slow.test.ts',
  'members/large-removal.slow.test.ts',
  'worker/delivery-processes.slow.test.ts',
  'e2e/long-texts.slow.test.ts',
  'e2e/assignments-of-many.slow.test.ts',
  'e2e/never-lost.slow.test.ts',
  'worker/chaos.slow.test.ts',
  'e2e/entrance.slow.test.ts',
  'outage/outage.slow.test.ts',
  'processes/main.slow.test.ts',
  'db/embedded.slow.test.ts',
  'crm/processes.slow.test.ts',
  'erasure/large-texts.slow.test.ts',
  'processes/rolling.slow.test.ts',
  'changes/every-write.test.ts',
  'sign-ins/known-browsers.test.ts',
  'e2e/webhook-endpoint.slow.test.ts',
  'e2e/members.slow.test.ts',
  'e2e/keys.slow.test.ts',
  'e2e/export-erase.slow.test.ts',
  'contract/app-matrix.test.ts',
  'conformance/conformance.test.ts',
  'demo/demo.test.ts',
].map((file) => join(import.meta.dirname, 'test', file));

for (const file of first) if (!existsSync(file)) throw new Error(`${file}, which is to come first, does not exist.`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => first.indexOf(moduleId) + 1 || first.length + 1;
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  // Examples of the documentation import the client as customers do.
  resolve: {
    alias: [
      {
        find: /^team-customer-api-client$/,
        replacement: join(import.meta.dirname, 'src', 'packages', 'client', 'index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/matchers.ts', 'test/support/fetch-origin.ts', 'test/support/tenant-in-statements.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    // Each test makes a team and throws it away: with more room for young objects, less time goes into collecting them.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongestFirst },
    // Tests also wait (for PostgreSQL, sockets, a browser): more than the two cores of a small runner.
    maxWorkers: 3,
    // Loading the service anew for each file takes as long as many a file itself, and nothing that its modules keep depends on a test.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // A test without an assertion fails, as one does whose loop of assertions ran for nothing.
    expect: { poll: { timeout: 60_000 }, requireAssertions: true },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
  },
});
