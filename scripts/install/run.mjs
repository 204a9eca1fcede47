import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Progress goes to stderr always: stdout belongs to the command that runs after the installation and may print JSON.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a program to its end, with everything that it prints on stderr.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string> }} options
 */
export function run(program, args, { cwd, env = {} }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 2, 2] });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`${program} ${args.join(' ')} failed (${signal ?? `exit code ${code}`}).`));
    });
  });
}

/** Whether a file records that something was made from the current sources. @param {string} file @param {string} current */
export function isStamped(file, current) {
  return existsSync(file) && readFileSync(file, 'utf8') === current;
}

/**
 * Runs `work` while no other process does so in this checkout.
 * @param {string} project
 * @param {() => Promise<void>} work
 */
export async function oneAtATime(project, work) {
  const lock = join(project, '.install.lock');
  for (let waits = false; !take(lock); waits = true) {
    if (!waits) say(`Another installation is running in this folder, waiting for it … (If none is, delete ${lock}.)`);
    await sleep(200);
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Creates the file, with the id of this process, unless it exists. @param {string} lock */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process that created the file is alive. @param {string} lock */
function isHeld(lock) {
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // A container's processes get the same ids after a restart.
    if (holder === process.pid) return false;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    // Otherwise it is the process of another user, or the file was deleted a moment ago.
    return !hasCode(error, 'ESRCH');
  }
}

/** @param {unknown} error @param {string} code */
function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
