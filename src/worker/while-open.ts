import type { Logger } from '../core/log.ts';
import type { MaintenanceWatch } from '../modules/maintenance/service.ts';

interface Stoppable {
  stop(): Promise<unknown>;
}

/**
 * Runs something except during maintenance: it is stopped when maintenance begins, which lets running jobs finish, and started anew when it
 * is over.
 */
export const runWhileOpen = (
  maintenance: Pick<MaintenanceWatch, 'current' | 'onChange'>,
  log: Logger,
  start: () => Stoppable,
): Stoppable => {
  let running: Stoppable | undefined;
  let isEnding = false;
  let wasPaused = false;

  const adapt = async (): Promise<void> => {
    const mayRun = !isEnding && maintenance.current === undefined;
    if (mayRun && !running) {
      running = start();
      if (wasPaused) log.info('jobs run again');
    }
    if (mayRun || !running) return;
    const ending = running;
    running = undefined;
    await ending.stop();
    if (!isEnding) log.warn('jobs are paused');
    wasPaused = true;
  };
  // One step after the other: maintenance may be turned off while what it stopped still ends.
  let steps: Promise<void> = Promise.resolve();
  const step = (): Promise<void> =>
    (steps = steps
      .then(adapt)
      .catch((error: unknown) => log.error({ err: error }, 'the jobs could not be paused or resumed')));

  const unlisten = maintenance.onChange(() => void step());
  void step();
  return {
    async stop() {
      isEnding = true;
      unlisten();
      await step();
    },
  };
};
