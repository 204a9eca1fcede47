import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server that runs on a cluster now, also while it starts or stops. */
export interface Postmaster {
  pid: number;
  port: number;
}

/** An id no process can have. PostgreSQL then takes postmaster.pid for a leftover, but still heeds the memory named in it. */
const NO_PROCESS = 2_147_483_646;

/** Reads postmaster.pid and believes it only as far as the process it names is a server of this cluster. */
export const runningPostmaster = (cluster: string): Postmaster | undefined => {
  const lines = pidFile(cluster).split('\n');
  const pid = Number(lines[0]);
  const command = pid > 0 ? commandOf(pid) : '';
  return command.includes(cluster) ? { pid, port: Number(lines[3] ?? 0) } : undefined;
};

/**
 * PostgreSQL refuses to start for as long as the id in a forgotten postmaster.pid exists under its own account: as another
 * process after a reboot or in a new container, or as a killed server that nobody has reaped.
 */
export const disownDeadServer = (cluster: string): void => {
  const text = pidFile(cluster);
  if (text !== '' && !runningPostmaster(cluster)) {
    writeFileSync(join(cluster, 'postmaster.pid'), text.replace(/^\d+/, String(NO_PROCESS)));
  }
};

const pidFile = (cluster: string): string => {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8');
  } catch {
    return '';
  }
};

/** The command line of a process, empty when there is none (a zombie has none either). */
const commandOf = (pid: number): string => {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
};
