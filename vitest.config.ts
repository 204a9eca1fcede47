import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

const first = 'test/db/migrations.test.ts';

/**
 * Begins with the tests of migrations. Prisma's schema engine has one instance in a process, which may never answer again once a
 * test has taken its database away; at the beginning, the process is new.
 */
class MigrationsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(b.moduleId.endsWith(first)) - Number(a.moduleId.endsWith(first)));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/matchers.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    sequence: { sequencer: MigrationsFirst },
    // Tests wait nearly as much as they compute (PostgreSQL, sockets, a browser): more than the two cores of a small runner.
    maxWorkers: 4,
    // Loading the service anew for each file takes as long as many a file itself, and nothing that its modules keep depends on a test.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
