import { problemOf } from './problem.ts';

// Which queries are tried again, and when. The server would refuse the same query again, with one exception: a team
// that sends more at once than its share is refused only for a moment.

const most = 2;
/** A used-up budget lasts longer. Then the page says how long. */
const soonSeconds = 5;

const roomInMs = (error: unknown): number | undefined => {
  const { code, retry_after } = problemOf(error) ?? {};
  return code === 'rate_limited' && retry_after !== undefined && retry_after <= soonSeconds
    ? retry_after * 1_000
    : undefined;
};

/** Whether a query is tried again after this number of failures. */
export const isTriedAgain = (failures: number, error: unknown): boolean =>
  failures < most && (problemOf(error) === undefined || roomInMs(error) !== undefined);

/** How long to wait before the next try. */
export const retryDelay = (failures: number, error: unknown): number => roomInMs(error) ?? 2 ** failures * 1_000;
