import { enableCompileCache, flushCompileCache } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** A process of the service either serves HTTP or runs jobs. */
export type Role = 'api' | 'worker';

export const roles: readonly Role[] = ['api', 'worker'];

/** The message that a process sends to its supervisor after its start. */
interface Started {
  readonly port: number | undefined;
  readonly workerPort: number | undefined;
  readonly metricsPort: number | undefined;
}

/** Sends the message if this process has a supervisor. */
export const reportStart = (started: Started): void => {
  if (process.connected) process.send?.({ started });
};

/**
 * Ctrl-C in a terminal sends two signals, one from the terminal and one from npm. A signal within this many milliseconds does not count
 * as a second one.
 */
const echo = 1_000;

type StopReason = NodeJS.Signals | 'the supervisor is gone';

/** Stops the process cleanly on SIGINT or SIGTERM, and when its supervisor has ended. A second signal ends it at once, after `atOnce`. */
export const onStopSignal = (stop: (reason: StopReason) => Promise<void>, atOnce: () => void = () => {}): void => {
  let stoppingSince: number | undefined;
  const begin = (reason: StopReason) => {
    stoppingSince = Date.now();
    stop(reason).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince === undefined) begin(signal);
    else if (Date.now() - stoppingSince > echo) {
      atOnce();
      process.exit(130);
    }
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);

  const gone = () => {
    if (stoppingSince === undefined) begin('the supervisor is gone');
  };
  if (process.connected) process.once('disconnect', gone);
  // The supervisor may have ended before this listener was added.
  else if (process.channel === null) gone();
};

/**
 * Stores compiled code, so that the next start takes half the time. The folder belongs to the project, because code from it runs in the
 * service.
 */
export const useCompileCache = (): void => {
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/node-compile', import.meta.url)));
};

/** Writes the code that this start compiled. Node would do so at the end of the process, but not if it is killed. */
export const keepCompiledCode = (): void => flushCompileCache();
