import process from 'node:process';

/** A terminal's Ctrl-C comes twice, from the terminal and passed on by npm: only one some time later is meant as a second. */
const echo = 1_000;

export type StopReason = NodeJS.Signals | 'the supervisor is gone';

/**
 * Stops the process in order on SIGINT or SIGTERM, and when the supervisor that started it is gone; a second signal ends it at
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
  // It may have gone before anybody listened.
  else if (process.channel === null) gone();
};
