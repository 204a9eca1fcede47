import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Stores compiled code, so that the next start takes half the time. The folder belongs to the project, because code
 * from it runs in the service. It must be called before the code is imported.
 */
export const useCompileCache = (): void => {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url)));
};

/** Whether there is a process with this id that this user may signal. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/**
 * Ctrl-C in a terminal sends two signals, one from the terminal and one from npm. A signal within this many
 * milliseconds does not count as a second one.
 */
const echoMs = 1_000;

/** Stops the process cleanly on SIGINT or SIGTERM. A second signal ends it at once. */
export const onStopSignal = (stop: (signal: NodeJS.Signals) => Promise<void>): void => {
  let stoppingSince: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (Date.now() - stoppingSince > echoMs) process.exit(130);
      return;
    }
    stoppingSince = Date.now();
    stop(signal).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
};
