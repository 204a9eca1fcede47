import { randomUUIDv7 } from 'node:crypto';
import { later, secondsToMs } from './clock.ts';

/** How many ids this process has made in the last millisecond in which it made one. */
const made = { in: '', count: 0 };
/** The counter has three hexadecimal digits. */
const madeInMs = 0x1000;

/**
 * Ids are UUIDv7: they sort by the time at which they were made, so new rows are added at the end of every index. Those
 * of one process sort in the order in which they were made, because they have a counter behind the version (RFC 9562,
 * 6.2), so what happens in one transaction keeps its order.
 */
export const makeId = (): string => {
  let id = randomUUIDv7();
  // More than thousands in a millisecond wait for the next one.
  while (id.slice(0, 13) === made.in && made.count === madeInMs) id = randomUUIDv7();
  const time = id.slice(0, 13);
  made.count = time === made.in ? made.count + 1 : 1;
  made.in = time;
  return `${id.slice(0, 15)}${(made.count - 1).toString(16).padStart(3, '0')}${id.slice(18)}`;
};

const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of this service's ids. Any other text names no row and must not reach SQL. */
export const isId = (text: string): boolean => canonical.test(text);

/**
 * How far the clock of the machine that made an id may differ from the database's clock, which all other times come
 * from.
 */
const skew = secondsToMs(15 * 60);

const hex = (time: Date): string => Math.max(0, time.getTime()).toString(16).padStart(12, '0');

/** The smallest id that can be made at this time, by a clock that is right. */
export const firstIdAt = (time: Date): string =>
  `${hex(time).slice(0, 8)}-${hex(time).slice(8)}-0000-0000-000000000000`;

/** No id that is made at this time or later is smaller; without a time, no id at all. */
export const minIdSince = (time: Date | undefined): string => firstIdAt(time ? later(time, -skew) : new Date(0));

/** No id that was made until this time is larger; without a time, no id at all. */
export const greatestIdUntil = (time: Date | undefined): string =>
  time ? firstIdAt(later(time, skew)) : 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A new id that looks as if it was made at this time. */
export const makeIdAt = (time: Date): string => `${hex(time).slice(0, 8)}-${hex(time).slice(8)}${makeId().slice(13)}`;

/** When an id was made, by the clock of the machine that made it. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
