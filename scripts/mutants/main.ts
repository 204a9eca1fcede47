// npm run mutants -- SLICE …: Stryker makes hundreds of small changes to the files of each slice, one at a time, and
// runs the tests that reach the changed line. A change that no test notices is printed: it is a hole in the tests, or
// no change of behaviour. Without a name it lists the slices.
//
// npm run mutants -- --changed [COMMIT]: changes only lines that differ from COMMIT. Without COMMIT: from HEAD, or if
// no line does, from the commit before HEAD.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import { installApart } from '../kit/install-apart.ts';
import { changedLines, slicesOfChange } from './changed.ts';
import { slices, type Slice } from './slices.ts';

const version = '10.1.1';
const root = join(import.meta.dirname, '../..');
const results = '.data/mutants';
// Within the checkout, so that it finds the project's Vitest: two copies can't run one test.
const tools = join(root, results, 'tools');

const Place = z.object({ line: z.number(), column: z.number() });
const Mutant = z.object({
  status: z.string(),
  replacement: z.string(),
  location: z.object({ start: Place, end: Place }),
});
/** The part of Stryker's report that is read here. */
const Report = z.object({ files: z.record(z.string(), z.object({ source: z.string(), mutants: z.array(Mutant) })) });
type Report = z.output<typeof Report>;

const install = (): Promise<void> =>
  installApart(
    tools,
    { dependencies: { '@stryker-mutator/core': version, '@stryker-mutator/vitest-runner': version } },
    '--omit=peer',
  );

const reportOf = (name: string): string => join(root, results, `${name}.json`);

const run = async (name: string, slice: Slice): Promise<Report> => {
  const report = reportOf(name);
  const options = {
    mutate: slice.files,
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: false, pool: slice.pool ?? 'threads' },
    reporters: ['progress-append-only'],
    // The whole report. The next run makes only the mutants whose line or tests have changed.
    incremental: true,
    incrementalFile: report,
    tempDirName: `${results}/copies`,
    ignorePatterns: ['.data', 'dist', 'build'],
    // A mutant in a constant of a file runs all tests of the slice in a new process. With a database that takes a minute.
    ignoreStatic: slice.hasDatabase === true,
    timeoutMS: slice.hasDatabase ? 30_000 : 15_000,
    dryRunTimeoutMinutes: 30,
    concurrency: 1,
    allowConsoleColors: false,
  };
  const file = join(root, results, `${name}.options.json`);
  await mkdir(join(root, results), { recursive: true });
  await writeFile(file, JSON.stringify(options));
  const child = spawn(
    process.execPath,
    [join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', file],
    {
      cwd: root,
      env: { ...process.env, MUTANTS_SLICE: JSON.stringify(slice), TEST_PATIENCE_MS: '10000' },
      stdio: 'inherit',
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`Stryker ended with ${String(code)}`);
  return Report.parse(JSON.parse(await readFile(report, 'utf8')));
};

/** The replaced text, on one line. */
const replaced = (source: string, { start, end }: z.output<typeof Mutant>['location']): string => {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = (lines.at(-1) ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  return lines.join('\n');
};

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 70)}…` : line;
};

const print = (name: string, { files }: Report): void => {
  const all = Object.values(files).flatMap(({ mutants }) => mutants);
  const count = (...statuses: string[]) => all.filter(({ status }) => statuses.includes(status)).length;
  const killed = count('Killed', 'Timeout');
  const [survived, uncovered] = [count('Survived'), count('NoCoverage')];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    for (const mutant of mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')) {
      const what = mutant.status === 'Survived' ? 'survived' : 'not reached';
      const change = `${short(replaced(source, mutant.location))} → ${short(mutant.replacement)}`;
      console.log(`${file}:${mutant.location.start.line} ${what}: ${change}`);
    }
  }
  const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  const ofReached = share(killed, killed + survived);
  console.log(`${name}: ${killed} killed, ${survived} survived (${ofReached}), ${uncovered} not reached`);
};

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const differenceTo = (commit: string) => git('diff', '--unified=0', '--no-prefix', '--no-color', commit, '--', 'src');

/** Files that git does not know yet, with more lines than any of them has. */
const newFiles = () =>
  git('ls-files', '--others', '--exclude-standard', '-z', '--', 'src')
    .split('\0')
    .filter(Boolean)
    .map((file) => [file, [{ first: 1, last: 1_000_000 }]] as const);

const runChanged = async (commit: string | undefined): Promise<void> => {
  const since = (base: string) => new Map([...changedLines(differenceTo(base)), ...newFiles()]);
  const uncommitted = since(commit ?? 'HEAD');
  const isClean = uncommitted.size === 0 && commit === undefined;
  const changed = slicesOfChange(isClean ? since('HEAD~1') : uncommitted, slices);
  for (const file of changed.without) console.log(`${file}: not mutated, it has no quick tests of its own`);
  const entries = Object.entries(changed.slices);
  if (entries.length === 0) console.log('No line that can be mutated has changed.');
  else await install();
  for (const [name, slice] of entries) {
    // The report of another change is not a part of this one.
    await rm(reportOf(name), { force: true });
    print(name, await run(name, slice));
  }
};

const runSlices = async (names: readonly string[]): Promise<void> => {
  const wanted = names.map((name) => {
    const slice = slices[name];
    if (!slice) throw new Error(`there is no slice ${name}`);
    return { name, slice };
  });
  await install();
  for (const { name, slice } of wanted) print(name, await run(name, slice));
};

const [first, ...others] = process.argv.slice(2);
if (first === undefined)
  console.log(`npm run mutants -- SLICE …, of: ${Object.keys(slices).join(', ')}; or --changed [COMMIT]`);
else if (first === '--changed') await runChanged(others[0]);
else await runSlices([first, ...others]);
