import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

// `npm run check`: runs every check that needs no test, one per core at a time. The output of a check is shown only if
// it fails. The longest checks come first, so that none of them runs alone at the end.

const scripts = [
  'types:service',
  'imports',
  'types:app',
  'dead-code',
  'regexes',
  'migrations',
  'lint',
  'tables',
  'procedures',
  'licenses',
  'pins',
  'assertions',
  'types:client',
  'format:check',
];

const run = async (script: string): Promise<boolean> => {
  const began = performance.now();
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if (code !== 0) process.stdout.write(`${out}${err}`);
  process.stdout.write(`${code === 0 ? '✔' : '✘'} ${script} (${seconds} s)\n`);
  return code === 0;
};

const waiting = [...scripts];
const failed: string[] = [];

const work = async (): Promise<void> => {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
    if (!(await run(script))) failed.push(script);
  }
};

await Promise.all(Array.from({ length: availableParallelism() }, work));
if (failed.length > 0) {
  process.stdout.write(`\nFailed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
