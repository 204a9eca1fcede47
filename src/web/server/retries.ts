import { problemOf } from './problem.ts';

// Which queries are tried again, and when. The server would refuse again what it refused, except while the team sends
// more at once than its share: then there is room in a moment.

const most = 2;
/** A used-up budget takes longer. The page then says how long. */
const soonSeconds = 5;

const roomInMs = (error: unknown): number | undefined => {
  const { code, retry_after } = problemOf(error) ?? {};
  return code === 'rate_limited' && retry_after !== undefined && retry_after <= soonSeconds
    ? retry_after * 1_000
    : undefined;
};

/** Whether a query is tried again after so many failures. */
export const isTriedAgain = (failures: number, error: unknown): boolean =>
  failures < most && (problemOf(error) === undefined || roomInMs(error) !== undefined);

/** How long to wait before that. */
export const retryDelay = (failures: number, error: unknown): number => roomInMs(error) ?? 2 ** failures * 1_000;
