import type { Backlog } from '../../src/platform/telemetry/meter.ts';

/** Nothing waits. */
export const noBacklog: Backlog = {
  due: 0,
  sending: 0,
  later: 0,
  held: 0,
  oldestDueSeconds: 0,
  dueJobs: [],
  erasures: { failed: 0, oldestSeconds: 0 },
};
