import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { lastTimes } from '../../scripts/tests/times.ts';
import { summaryOf, type Ended } from './summary.ts';

/** Prints the files that took longest, and a summary at the end. `npm run test:time` reads the times of all files. */
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
    writeTimes(modules);
    process.stdout.write(`\n${summaryOf(ended, { failed, isChosen })}\n`);
  }
}

const writeTimes = (modules: readonly TestModule[]): void => {
  const times = modules
    .map((module) => [module.relativeModuleId, Math.round(module.diagnostic().duration) / 1000] as const)
    .toSorted(([, a], [, b]) => b - a);
  mkdirSync(dirname(lastTimes), { recursive: true });
  writeFileSync(lastTimes, JSON.stringify(Object.fromEntries(times), null, 2));
  if (times.length < 20) return; // the times of a few files are in the list above
  const lines = times.slice(0, 10).map(([file, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${file}`);
  process.stdout.write(`\nThe ten longest files:\n${lines.join('\n')}\n`);
};
