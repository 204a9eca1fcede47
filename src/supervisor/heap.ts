import { totalmem } from 'node:os';
import process from 'node:process';
import type { Role } from './process.ts';

const mib = 1024 * 1024;

/**
 * The largest heap of each process, in MiB. Node's own limit is 4 GiB on most machines. A process that leaks memory would collect garbage for
 * minutes before it reaches that; with these limits it ends early and is restarted. A smaller limit also makes V8 collect garbage earlier: the
 * worker stays below 300 MB while it synchronizes 100,000 deals, and needs about 150 MB otherwise.
 */
const heapMegabytes: Readonly<Record<Role, number>> = { api: 1_024, worker: 512 };

/** The size of a semi-space for new objects, in MiB. The worker has a small one: more frequent collections save memory and delay no request. */
const youngMegabytes: Readonly<Record<Role, number | undefined>> = { api: undefined, worker: 8 };

/** Node's flags for a process of this role. None if the operator has set a limit on the command line or in `NODE_OPTIONS`. */
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
