import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** The ids of the processes that a process has started. */
export const childrenOf = (pid: number): number[] => {
  if (process.platform === 'linux')
    return (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []).map(Number);
  const pairs = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' }).trim().split('\n');
  return pairs
    .map((pair) => pair.trim().split(/ +/).map(Number))
    .flatMap(([of, child = 0]) => (of === pid ? child : []));
};
