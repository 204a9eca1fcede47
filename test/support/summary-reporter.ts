import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { lastTimes } from '../../scripts/tests/times.ts';

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

/** How a test ended. `note`: why it was skipped, if it says so. */
export interface Ended {
  readonly file: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly note?: string | undefined;
}

/**
 * The last lines of a run: what was skipped, so that nobody believes it was tested, and a plain line that any CI can
 * parse. `isChosen`: only tests with a certain name were wanted, and the others left out on purpose (`-t`).
 */
export const summaryOf = (
  ended: readonly Ended[],
  { failed = 0, isChosen = false }: { failed?: number; isChosen?: boolean } = {},
): string => {
  const countOf = (wanted: Ended['state']) => ended.filter(({ state }) => state === wanted).length;
  const skipped = Map.groupBy(
    ended.filter(({ state }) => state === 'skipped' && !isChosen),
    ({ file }) => file,
  );
  const lines = Array.from(skipped, ([file, tests]) => {
    const notes = new Set(tests.flatMap(({ note }) => note ?? []));
    return [`NOT TESTED: ${tests.length} of ${file}`, ...notes].join('; ');
  });
  // A file that could not be loaded has no failed test, so broken files are counted too.
  const bad = Math.max(countOf('failed'), failed);
  return [...lines, `${countOf('passed')} passed, ${bad} failed, ${countOf('skipped')} skipped`].join('\n');
};
