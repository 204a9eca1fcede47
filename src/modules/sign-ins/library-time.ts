import { later, type Clock } from '../../core/clock.ts';
import { isRecord } from '../../core/json.ts';
import type { Database } from '../../db/database.ts';

// The sign-in library uses the time of this machine, and compares it with the times of its rows. The rows have the
// service's time, like all others. So times are converted when the library reads and writes.

const moveTimes = (value: unknown, ms: number): unknown => {
  if (value instanceof Date) return later(value, ms);
  if (Array.isArray(value)) return value.map((item) => moveTimes(item, ms));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, moveTimes(item, ms)]));
};

const aheadOfMachine = (clock: Clock): number => clock.now().getTime() - Date.now();

/** A value of the library with its times in the service's time. */
export const inServiceTime = <Value>(clock: Clock, value: Value): Value =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- only times are replaced, by times
  moveTimes(value, aheadOfMachine(clock)) as Value;

const inLibraryTime = <Value>(clock: Clock, value: Value): Value =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- as above
  moveTimes(value, -aheadOfMachine(clock)) as Value;

/** The database for the library. */
export const withLibraryTime = ({ prisma }: Database, clock: Clock) =>
  prisma.$extends({
    query: {
      $allModels: {
        $allOperations: async ({ args, query }) => inLibraryTime(clock, await query(inServiceTime(clock, args))),
      },
    },
  });
