import process from 'node:process';
import { keepCompiledCode, onStopSignal, roles, useCompileCache } from './run/supervisor/process.ts';
import type { Role } from './run/supervisor/process.ts';

// The supervisor's process loads as little code as possible, so that little can fail in it. Therefore each branch imports what it needs.

/** Runs one role in this process until a stop signal, or until its supervisor has ended. */
const runRole = async (role: Role): Promise<void> => {
  useCompileCache();
  const { startRole } = await import('./run/compose.ts');
  const started = new AsyncDisposableStack();
  try {
    const log = await startRole(role, started);
    keepCompiledCode();
    onStopSignal(async (reason) => {
      log.info({ signal: reason }, 'stopping');
      await started.disposeAsync();
      log.info('stopped');
      log.flush();
    });
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
};

const main = async (): Promise<void> => {
  const [, , given] = process.argv;
  const role = roles.find((known) => known === given);
  if (given === undefined) await (await import('./run/supervisor/supervisor.ts')).superviseAll();
  else if (role) await runRole(role);
  else {
    process.stderr.write(`Unknown role ${given}: it is api, worker, or nothing for both\n`);
    process.exitCode = 1;
  }
};

/** A ConfigError is printed as its message; any other error with its stack. */
const explained = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ConfigError') return error.message;
  const isTaken = Reflect.get(error, 'code') === 'EADDRINUSE';
  return isTaken
    ? `${error.message}: give this process another PORT, WORKER_PORT or METRICS_PORT`
    : String(error.stack);
};

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${explained(error)}\n`);
    process.exit(1);
  });
}
