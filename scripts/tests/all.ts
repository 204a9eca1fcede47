// npm run test:all: all tests, also those of contract and migrations on each PostgreSQL of this machine, with one summary at the end.

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

interface Step {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** The PostgreSQL versions that Debian's packages have installed here, oldest first. */
const versions = globSync('/usr/lib/postgresql/*/bin/initdb')
  .map((file) => Number(file.split('/')[4]))
  .filter((version) => version >= 15)
  .toSorted((a, b) => a - b);

const onVersion = (version: number): Step => ({
  name: `Contract and migrations on PostgreSQL ${version}`,
  program: 'env',
  args: [
    'LC_ALL=C.UTF-8', // or its databases are not in UTF-8
    'pg_virtualenv',
    '-t',
    '-v',
    String(version),
    '-o',
    'max_connections=300',
    '-o',
    'fsync=off',
    'sh',
    '-c',
    'TEST_DATABASE_URL="postgresql://$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT/postgres" exec vitest run test/contract/ test/db/migrations.slow.test.ts test/migrations/',
  ],
});

const steps: readonly Step[] = [
  { name: 'All tests', program: 'vitest', args: ['run'] },
  { name: 'Time zones', program: 'npm', args: ['run', '--silent', 'test:time-zones'] },
  ...versions.map(onVersion),
];

const counts = /^(\d+) passed, (\d+) failed, (\d+) skipped$/gm;
const sum = { passed: 0, failed: 0, skipped: 0 };
const notes: string[] = [];

/** Runs a step, prints what it prints, and adds its counts. */
const run = ({ name, program, args }: Step): Promise<void> =>
  new Promise((resolve) => {
    console.log(`\n── ${name}`);
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      printed += text;
    });
    child.once('error', (error) => {
      notes.push(`${name}: ${error.message}`);
      sum.failed += 1;
      resolve();
    });
    child.once('close', (code) => {
      const found = [...printed.matchAll(counts)];
      for (const [, passed, failed, skipped] of found) {
        sum.passed += Number(passed);
        sum.failed += Number(failed);
        sum.skipped += Number(skipped);
      }
      if (found.length === 0 || (code !== 0 && found.every(([, , failed]) => failed === '0'))) sum.failed += 1;
      notes.push(
        `${name}: ${found.map(([line]) => line).join('; ') || 'no summary'}${code === 0 ? '' : `, exit code ${code}`}`,
      );
      resolve();
    });
  });

for (const step of steps) await run(step);
if (versions.length === 0)
  notes.push('skipped: no PostgreSQL of the system is installed here (apt-get install postgresql)');

console.log(`\n── All\n${notes.join('\n')}\n\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed === 0 ? 0 : 1;
