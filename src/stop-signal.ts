import process from 'node:process';

/** A terminal's Ctrl-C comes twice, from the terminal and passed on by npm: only one some time later is meant as a second. */
const echo = 1_000;

/** Stops the process in order on SIGINT or SIGTERM; a second signal ends it at once. */
export const onStopSignal = (stop: (signal: NodeJS.Signals) => Promise<void>): void => {
  let stoppingSince: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (Date.now() - stoppingSince > echo) process.exit(130);
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
