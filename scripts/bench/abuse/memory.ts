import { readFileSync } from 'node:fs';

const residentMegabytes = (pid: number): number => {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_000;
  } catch {
    return 0; // the process has ended
  }
};

/** Watches how much memory a process holds; `stop` gives the most that was seen, in MB. Linux only: elsewhere it is 0. */
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
