import type { Reporter, TestModule } from 'vitest/node';

/** Prints one plain summary line at the end, which any CI can parse. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state] += 1;
      }
    }
    const broken = modules.filter((module) => module.state() === 'failed').length;
    // A file that could not be loaded has no failed test, so broken files are counted too.
    const failed = Math.max(count.failed, broken);
    process.stdout.write(`\n${count.passed} passed, ${failed} failed, ${count.skipped} skipped\n`);
  }
}
