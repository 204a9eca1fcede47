import { readFileSync } from 'node:fs';

const residentMegabytes = (pid: number): number => {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_000;
  } catch {
    return 0; // the process has ended
  }
};

/** Samples the memory of a process; `stop` returns the maximum in MB. Linux only: elsewhere the maximum is 0. */
export const watchMemory = (pid: number): { stop(): number } => {
  let most = residentMegabytes(pid);
  const looking = setInterval(() => (most = Math.max(most, residentMegabytes(pid))), 50);
  return {
    stop() {
      clearInterval(looking);
      return most;
    },
  };
};
