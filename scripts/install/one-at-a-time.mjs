import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './say.mjs';

/** @typedef {{ extendTo(pid: number): void }} Hold */

/**
 * Runs `work` while no other process does so in this checkout.
 *
 * Node 20 has no file lock that the system frees with its holder, so this one is made of facts that anybody can check:
 * `.install/` holds numbered files, each naming the processes that it stands for (id and start time, because ids are used
 * again). The highest number has the lock for as long as one of its processes lives. To take the lock is to create the
 * next number, which only one can; the highest file is never deleted, so there is no moment at which two can both believe
 * that they cleared a dead holder away.
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
    linkSync(draft, file); // creates the file together with its content, or fails because somebody was faster
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
  if (highestIn(folder) > number) {
    rmSync(file, { force: true }); // what we had seen was old, and lower numbers were already cleaned up
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
    return true; // cleaned up this very moment: look again
  }
  return holders.split('\n').some((holder) => holder !== '' && holder === nameOf(Number(holder.split(' ')[0])));
}

/** A process, told apart from a later one with the same id; undefined when there is none. @param {number} pid */
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
