import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import process from 'node:process';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { app, bringUpToDate } from '../install/builds.mjs';
import { faults, type Fault } from './faults.ts';
import { planted } from './planted.ts';

// npm run planted -- NAME …: plants these faults, or all, one by one in a copy of the checkout, and runs the tests that
// should notice. It fails if a fault is not caught, or if these tests fail without it.
//
// npm run planted -- --models NAME …: plants those of them that models and schedules are to find, and runs these
// alone, with more walks than `npm test` takes. It fails if fewer than four of five are found.

const root = join(import.meta.dirname, '../..');
const linked = 'node_modules';
const leftOut = new Set(['.git', linked]);

const { values: options, positionals: names } = parseArgs({
  options: { models: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = names.filter((name) => !faults.some((fault) => fault.name === name));
if (unknown.length > 0) throw new Error(`there is no fault ${unknown.join(', ')}`);
const named = names.length === 0 ? faults : faults.filter(({ name }) => names.includes(name));
const modelFiles = ({ models = [] }: Fault) => models.map((model) => `test/models/${model}.test.ts`);
const testsOf = (fault: Fault): readonly string[] => (options.models ? modelFiles(fault) : fault.tests);
const chosen = named.filter((fault) => testsOf(fault).length > 0);
const allowedToMiss = options.models ? Math.floor(chosen.length / 5) : 0;
/** How many walks a model takes, by what they cost. */
const runsOf = { keys: 600, copy: 600, deliveries: 200, people: 150, schedules: 200 } as const;
/** The same walks each time, so that the result can be repeated. */
const walksFor = ({ models = [] }: Fault) => ({
  MODEL_SEED: '1',
  MODEL_RUNS: String(Math.min(...models.map((model) => runsOf[model]))),
  MODEL_SHRINK: 'no',
});

/** Runs test files in the copy, until the first one fails. Returns the test that failed. */
const run = (
  copy: string,
  fault: Fault,
  tests: readonly string[],
): { passed: boolean; failed: string; output: string } => {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...tests, '--maxWorkers=1', '--bail=1'];
  const { status, stdout, stderr } = spawnSync(process.execPath, vitest, {
    cwd: copy,
    env: {
      ...process.env,
      ...(fault.timeZone !== undefined && { TZ: fault.timeZone }),
      ...(options.models && walksFor(fault)),
    },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`);
  const [, failed] = /^ *FAIL +(.+)$/m.exec(output) ?? [];
  if (status !== 0 && failed === undefined) throw new Error(`the tests did not run:\n${output}`);
  return { passed: status === 0, failed: failed ?? '', output };
};

/** The test files that pass without a fault, each with its time zone. */
const sound = new Set<string>();

/** Tests in a browser take the built app. */
const isInBrowser = (tests: readonly string[]): boolean => tests.some((test) => test.startsWith('test/e2e/'));

const isCaught = async (copy: string, fault: Fault): Promise<boolean> => {
  const tests = testsOf(fault);
  const idOf = (test: string) => `${test} ${fault.timeZone}`;
  const unchecked = tests.filter((test) => !sound.has(idOf(test)));
  const build = () => (isInBrowser(tests) ? bringUpToDate(copy, app(copy)) : Promise.resolve());
  if (unchecked.length > 0) await build();
  const without = unchecked.length === 0 ? { passed: true, output: '' } : run(copy, fault, unchecked);
  if (!without.passed) throw new Error(`a test fails without a fault:\n${without.output}`);
  for (const test of unchecked) sound.add(idOf(test));

  const file = join(copy, fault.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, planted(fault, text));
  try {
    await build();
    const { passed, failed } = run(copy, fault, tests);
    console.log(passed ? `MISSED  ${fault.name}: ${fault.what}` : `caught  ${fault.name}: ${failed}`);
    return !passed;
  } finally {
    writeFileSync(file, text);
  }
};

// All texts first: a replacement that no longer fits the code must not appear as a fault that was missed.
for (const fault of chosen) planted(fault, readFileSync(join(root, fault.file), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'planted-'));
try {
  const copy = join(folder, basename(root));
  cpSync(root, copy, { recursive: true, filter: (path) => !leftOut.has(relative(root, path)) });
  symlinkSync(join(root, linked), join(copy, linked));
  const missed: Fault[] = [];
  for (const fault of chosen) if (!(await isCaught(copy, fault))) missed.push(fault);
  console.log(`${chosen.length - missed.length} of ${chosen.length} were caught`);
  if (missed.length > allowedToMiss) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
