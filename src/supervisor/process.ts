import { enableCompileCache, flushCompileCache } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What a process of the service does: it serves HTTP, or it runs the jobs. */
export type Role = 'api' | 'worker';

export const roles: readonly Role[] = ['api', 'worker'];

/** The message of a process to its supervisor once it has started. */
interface Started {
  readonly port: number | undefined;
  readonly metricsPort: number | undefined;
}

/** Sends the message, if this process has a supervisor. */
export const reportStart = (started: Started): void => {
  if (process.connected) process.send?.({ started });
};

/** Ctrl-C in a terminal arrives twice, from the terminal and from npm: a signal within this time is no second one, in milliseconds. */
const echo = 1_000;

type StopReason = NodeJS.Signals | 'the supervisor is gone';

/**
 * Stops the process in order on SIGINT or SIGTERM, and when the supervisor that started it is gone. A second signal ends it at
 * once, after `atOnce`.
 */
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
  // The supervisor may have gone before this listener was added.
  else if (process.channel === null) gone();
};

/**
 * Keeps compiled code for the next start, which then takes half the time. The folder belongs to the project: anybody who could write to it
 * could run code in the service.
 */
export const useCompileCache = (): void => {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url)));
};

/** Writes what this start compiled. Node does so at the end of a process, and one that is killed would leave the next start nothing. */
export const keepCompiledCode = (): void => flushCompileCache();
