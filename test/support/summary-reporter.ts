import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { summaryOf, type Ended } from './summary.ts';

/** Prints a summary at the end. */
export default class SummaryReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const isChosen = this.#vitest?.config.testNamePattern !== undefined;
    const ended = modules.flatMap((module) =>
      [...module.children.allTests()].flatMap((test): Ended[] => {
        const result = test.result();
        if (result.state === 'pending') return [];
        const note = result.state === 'skipped' ? result.note : undefined;
        return [{ file: module.relativeModuleId, state: result.state, note }];
      }),
    );
    const failed = modules.filter((module) => module.state() === 'failed').length;
    process.stdout.write(`\n${summaryOf(ended, { failed, isChosen })}\n`);
  }
}
