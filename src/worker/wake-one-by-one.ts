import type { WorkerEvents, WorkerPool } from 'graphile-worker';

/** The pause between two searches of a pool that finds nothing. */
const pauseMs = 50;

/**
 * Limits how often a pool of workers searches for jobs.
 *
 * PostgreSQL notifies every pool of new jobs, whatever their task. graphile-worker then wakes as many workers as there are new jobs, and
 * each runs a statement. Nearly all new jobs are lanes, which other pools run: at 200 events a second, two processes ran 500 statements
 * a second that found nothing. They took so much of the processors that outcomes of deliveries were written late.
 *
 * Therefore a notification wakes one worker, at most once in a pause. When a worker finds a job, it wakes the next one, so many jobs at
 * once still start at once. Not for pools with a local queue, which fetch many jobs with one statement.
 */
export const wakeOneByOne = (pool: Pick<WorkerPool, 'nudge'>, events: WorkerEvents): void => {
  const wake = pool.nudge.bind(pool);
  let pause: NodeJS.Timeout | undefined;
  /** A notification came during the pause. */
  let isDue = false;
  let isOver = false;

  const wakeOne = () => {
    if (!isOver) wake(1);
  };
  const search = () => {
    isDue = false;
    wakeOne();
    pause = setTimeout(() => {
      pause = undefined;
      if (isDue) search();
    }, pauseMs).unref();
  };
  pool.nudge = () => {
    if (pause) isDue = true;
    else search();
  };
  events.on('job:start', wakeOne);

  // A worker that has ended must not be woken.
  const end = () => {
    isOver = true;
    clearTimeout(pause);
  };
  events.on('worker:release', end);
  events.on('pool:gracefulShutdown', end);
  events.on('pool:forcefulShutdown', end);
};
