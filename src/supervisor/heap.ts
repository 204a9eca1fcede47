import { totalmem } from 'node:os';
import process from 'node:process';
import type { Role } from './process.ts';

const mib = 1024 * 1024;

/**
 * The largest heap of each process, in MiB. Node's own limit is 4 GiB on most machines, and a process that runs away collects garbage
 * for minutes before it gets there; with these it ends early and is started again. V8 also collects the earlier, the smaller the limit is:
 * so the worker stays below 300 MB while it goes through a CRM's 100,000 deals. It needs some 150 otherwise.
 */
const heapMegabytes: Readonly<Record<Role, number>> = { api: 1_024, worker: 512 };

/** Of objects that were just made, in MiB: the worker has nobody waiting for it, so that it need not keep as much of them as Node would. */
const youngMegabytes: Readonly<Record<Role, number | undefined>> = { api: undefined, worker: 8 };

/** The flags of Node for a process of this role. One who chose a limit, on the command line or in `NODE_OPTIONS`, decides. */
export const heapFlags = (role: Role): string[] => {
  const chosen = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((flag) =>
    /max[-_]old[-_]space[-_]size/.test(flag),
  );
  if (chosen) return [];
  const memory = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  const young = youngMegabytes[role];
  return [
    `--max-old-space-size=${Math.min(heapMegabytes[role], Math.floor(memory / 2 / mib))}`,
    ...(young === undefined ? [] : [`--max-semi-space-size=${young}`]),
  ];
};
