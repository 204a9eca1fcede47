import { performance } from 'node:perf_hooks';

/** The shortest time over which the use of the event loop is measured, in milliseconds. */
const measuredMs = 200;

/**
 * Whether the event loop was busy for more than `share` of the time in one of the last two measurements, so that a short rest does not count.
 * At first, the time since the process began counts.
 */
export const busyMoreThan = (share: number): (() => boolean) => {
  let since = performance.now();
  let before = performance.eventLoopUtilization();
  let isBusy = before.utilization > share;
  let wasBusy = isBusy;
  return () => {
    const now = performance.now();
    if (now - since > measuredMs) {
      wasBusy = isBusy;
      isBusy = performance.eventLoopUtilization(before).utilization > share;
      before = performance.eventLoopUtilization();
      since = now;
    }
    return isBusy || wasBusy;
  };
};
