import { later, secondsToMs } from '../../core/clock.ts';
import { english } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { listExportLimits } from '../../core/limits.ts';
import { forTeam } from '../../db/row-security.ts';
import type { Team } from '../../platform/team.ts';
import { windows } from '../windows/store.ts';

const { leaseSeconds, retrySeconds } = listExportLimits;

/**
 * Begins an export, or refuses it while another export of the team runs in any process. Returns the function that ends
 * the export. Until then a timer renews its lease, even while the client reads nothing. If the process is killed, the
 * lease ends by itself.
 */
export const beginListExport = async ({ id, platform: { database, clock } }: Team): Promise<() => Promise<void>> => {
  const subject = `list export of ${id}`;
  const { used } = await windows.count(database, { subject, seconds: leaseSeconds, now: clock.now() });
  if (used > 1) {
    const detail = english('Another export of the team is still running. A team can run one at a time.');
    fail('rate_limited', { retry_after: retrySeconds, detail });
  }
  const renewing = setInterval(
    () => {
      // If the database can't be reached, reading the next page fails, and that ends the export.
      windows.extend(database, subject, later(clock.now(), secondsToMs(leaseSeconds))).catch(() => {});
    },
    secondsToMs(leaseSeconds / 3),
  );
  let isOver = false;
  return async () => {
    if (isOver) return;
    isOver = true;
    clearInterval(renewing);
    // If this fails, the lease ends by itself.
    await forTeam(id, () => windows.remove(database, subject)).catch(() => {});
  };
};
