// npm run mutants -- SLICE …: Stryker makes hundreds of small changes to the files of each slice, one at a time, and
// runs the tests that reach the changed line. A change that no test notices is printed: it is a hole in the tests, or
// no change of behaviour. Without a name it lists the slices.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import { installApart } from '../kit/install-apart.ts';
import { slices } from './slices.ts';

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

const run = async (name: string): Promise<Report> => {
  const report = join(root, results, `${name}.json`);
  const options = {
    mutate: slices[name]?.files,
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: false, pool: slices[name]?.pool ?? 'threads' },
    reporters: ['progress-append-only'],
    // The whole report. The next run makes only the mutants whose line or tests have changed.
    incremental: true,
    incrementalFile: report,
    tempDirName: `${results}/copies`,
    ignorePatterns: ['.data', 'dist', 'build'],
    // A mutant in a constant of a file runs all tests of the slice in a new process. With a database that takes a minute.
    ignoreStatic: slices[name]?.hasDatabase === true,
    timeoutMS: slices[name]?.hasDatabase ? 30_000 : 15_000,
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
      env: { ...process.env, MUTANTS_SLICE: name, TEST_PATIENCE_MS: '10000' },
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

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in slices));
if (unknown.length > 0) throw new Error(`there is no slice ${unknown.join(', ')}`);
if (names.length === 0) console.log(`npm run mutants -- SLICE …, of: ${Object.keys(slices).join(', ')}`);
else await install();
for (const name of names) print(name, await run(name));
