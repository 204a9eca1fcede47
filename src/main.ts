import process from 'node:process';
import { onStopSignal, useCompileCache } from './run/process.ts';

// node src/main.ts [api | worker]: runs one role of the service until a stop signal, or both.

useCompileCache();

const startApi = async () => (await import('./run/api.ts')).startApi;
const startJobs = async () => (await import('./run/worker.ts')).startJobs;

const run = async (role: string | undefined): Promise<void> => {
  if (role !== undefined && role !== 'api' && role !== 'worker') {
    process.stderr.write(`Unknown role ${role}: it is api, worker, or nothing for both\n`);
    process.exitCode = 1;
    return;
  }
  const { startConfigured } = await import('./run/service.ts');
  const roles = {
    ...(role !== 'worker' && { api: await startApi() }),
    ...(role !== 'api' && { worker: await startJobs() }),
  };
  const started = new AsyncDisposableStack();
  try {
    const log = await startConfigured(roles, started);
    onStopSignal(async (signal) => {
      log.info({ signal }, 'stopping');
      await started.disposeAsync();
      log.info('stopped');
      log.flush();
    });
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
};

/** A ConfigError is printed as its message; any other error with its stack. */
const explain = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ConfigError') return error.message;
  const isTaken = Reflect.get(error, 'code') === 'EADDRINUSE';
  return isTaken
    ? `${error.message}: give this process another PORT, WORKER_PORT or METRICS_PORT`
    : String(error.stack);
};

run(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
