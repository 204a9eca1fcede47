import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './say.mjs';

/** @typedef {{ extendTo(pid: number): void }} Hold */

/**
 * Runs `work` while no other process does so in this checkout.
 *
 * Node 20 has no file lock that the system releases when its holder dies. So the lock is a set of numbered files in
 * `.install/`. Each file lists its processes by id and start time, because ids are reused. The file with the highest number
 * holds the lock while one of its processes is alive. A process takes the lock by creating the file with the next number,
 * which only one process can do. The highest file is never deleted, so two processes can never both replace a dead holder.
 *
 * @param {string} project
 * @param {(hold: Hold) => Promise<void>} work
 */
export async function oneAtATime(project, work) {
  const folder = join(project, '.install');
  mkdirSync(folder, { recursive: true });
  let waited = false;
  for (;;) {
    const highest = highestIn(folder);
    if (highest > 0 && isHeld(join(folder, String(highest)))) {
      if (!waited) say('Another installation is running in this folder, waiting for it …');
      waited = true;
      await sleep(200);
    } else if (take(folder, highest + 1)) {
      const file = join(folder, String(highest + 1));
      try {
        return await work({ extendTo: (pid) => appendFileSync(file, `${nameOf(pid)}\n`) });
      } finally {
        writeFileSync(file, '');
      }
    }
  }
}

/** @param {string} folder @param {number} number */
function take(folder, number) {
  const file = join(folder, String(number));
  const draft = join(folder, `draft-${process.pid}`);
  writeFileSync(draft, `${nameOf(process.pid)}\n`);
  try {
    linkSync(draft, file); // creates the file together with its content, or fails because another process was faster
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
  if (highestIn(folder) > number) {
    rmSync(file, { force: true }); // the listing was outdated: lower numbers were already deleted
    return false;
  }
  for (const name of readdirSync(folder)) if (Number(name) < number) rmSync(join(folder, name), { force: true });
  return true;
}

/** @param {string} folder */
function highestIn(folder) {
  return Math.max(0, ...readdirSync(folder).map(Number).filter(Number.isInteger));
}

/** @param {string} file */
function isHeld(file) {
  /** @type {string} */
  let holders;
  try {
    holders = readFileSync(file, 'utf8');
  } catch {
    return true; // deleted a moment ago: check again
  }
  return holders.split('\n').some((holder) => holder !== '' && holder === nameOf(Number(holder.split(' ')[0])));
}

/** Identifies a process, also from a later one with the same id; undefined if there is none. @param {number} pid */
function nameOf(pid) {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z') return undefined;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${pid} ${boot} ${fields[19]}`;
    }
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return started === '' ? undefined : `${pid} ${started}`;
  } catch {
    return undefined;
  }
}
