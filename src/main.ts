import process from 'node:process';
import { roles } from './role.ts';

// The supervisor's own process loads next to nothing, so that it has nothing that could break: each way imports what it needs.

const main = async (): Promise<void> => {
  const [, , asked] = process.argv;
  const role = roles.find((known) => known === asked);
  if (asked === undefined) await (await import('./supervise-all.ts')).superviseAll();
  else if (role) await (await import('./run-role.ts')).runRole(role);
  else {
    process.stderr.write(`Unknown role ${asked}: it is api, worker, or nothing for both\n`);
    process.exitCode = 1;
  }
};

/** Whoever gave a wrong setting is told in a sentence; of anything else it is said where it came from. */
const explained = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ConfigError') return error.message;
  const isTaken = Reflect.get(error, 'code') === 'EADDRINUSE';
  return isTaken ? `${error.message}: give this process another PORT or METRICS_PORT` : String(error.stack);
};

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${explained(error)}\n`);
    process.exit(1);
  });
}
