import { spawn } from 'node:child_process';

/**
 * Runs a program to its end, with everything that it prints on stderr.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string>, hold: import('./one-at-a-time.mjs').Hold }} options
 */
export function run(program, args, { cwd, env = {}, hold }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 2, 2] });
    // If this process is killed, its child goes on, so the lock must last as long as either of them.
    if (child.pid !== undefined) hold.extendTo(child.pid);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`${program} ${args.join(' ')} failed (${signal ?? `exit code ${code}`}).`));
    });
  });
}
