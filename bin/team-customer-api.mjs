#!/usr/bin/env node
// The command of the packed service. It runs on whatever Node the machine has (20 or later) and starts the program on
// the Node that the package pins. In a checkout, where nothing is packed, it starts the sources.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinnedNode } from '../scripts/install/pinned-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The entry of the packed service, or that of the sources. */
const program = [
  join(root, 'build', 'src', 'packages', 'sandbox', 'main.js'),
  join(root, 'src', 'packages', 'sandbox', 'main.ts'),
].find(existsSync);

/** The parent of a process; undefined when it can't be told. @param {number} pid */
const parentOf = (pid) => {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    }
    return Number(spawnSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }).stdout) || undefined;
  } catch {
    return undefined;
  }
};

/** Below npm there is a shell: the end of npm must end this too. @type {Map<number, number | undefined>} */
const ancestors = new Map([[process.pid, process.ppid]]);
if (process.env['npm_command'] === 'exec') ancestors.set(process.ppid, parentOf(process.ppid));

const wasLeft = () =>
  [...ancestors].some(([pid, parent]) => (pid === process.pid ? process.ppid : parentOf(pid)) !== parent);

try {
  if (!program) throw new Error('The package is not complete.');
  const child = spawn(pinnedNode(), [program, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // Ctrl-C in a terminal reaches the child by itself; its own end then ends this process.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGTERM'));
  setInterval(() => {
    if (wasLeft()) child.kill('SIGTERM');
  }, 500).unref();
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
    process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM').removeAllListeners('SIGHUP');
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
