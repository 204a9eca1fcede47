import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { z } from 'zod';
import { patience } from './test/support/patience.ts';

const times = z
  .record(z.string(), z.number())
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'test/times.json'), 'utf8')));

/** The longest come first, so that none of them runs alone at the end. A file whose time is not known yet may be one of them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) => times[relative(import.meta.dirname, moduleId)] ?? 1_000;
    return (await super.sort(files)).toSorted((a, b) => secondsOf(b) - secondsOf(a));
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
    setupFiles: [
      'test/support/matchers.ts',
      'test/support/fetch-origin.ts',
      'test/support/language-at-first.ts',
      'test/support/tenant-in-statements.ts',
    ],
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
    expect: { poll: patience, requireAssertions: true },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
  },
});
