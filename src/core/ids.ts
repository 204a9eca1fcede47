import { randomUUIDv7 } from 'node:crypto';
import { later, secondsToMs } from './clock.ts';

/** How many ids this process has made in the last millisecond in which it made one. */
const made = { in: '', count: 0 };
/** The counter has three hexadecimal digits. */
const madeInMs = 0x1000;

/**
 * Ids are UUIDv7, which sort by their time, so new rows are added at the end of every index. The ids of one process
 * also keep their order within a millisecond, because a counter follows the version (RFC 9562, 6.2). So everything that
 * happens in one transaction keeps its order.
 */
export const makeId = (): string => {
  let id = randomUUIDv7();
  // If a millisecond has all its ids, the next id waits for the next millisecond.
  while (id.slice(0, 13) === made.in && made.count === madeInMs) id = randomUUIDv7();
  const time = id.slice(0, 13);
  made.count = time === made.in ? made.count + 1 : 1;
  made.in = time;
  return `${id.slice(0, 15)}${(made.count - 1).toString(16).padStart(3, '0')}${id.slice(18)}`;
};

const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether a text has the form of this service's ids. A text in any other form can't be the id of a row and must not
 * reach SQL.
 */
export const isId = (text: string): boolean => canonical.test(text);

/**
 * How far the clock of the machine that made an id may differ from the database's clock, by which all other times are
 * made.
 */
const skew = secondsToMs(15 * 60);

const hex = (time: Date): string => Math.max(0, time.getTime()).toString(16).padStart(12, '0');

/** The smallest id that a correct clock can make at this time. */
export const firstIdAt = (time: Date): string =>
  `${hex(time).slice(0, 8)}-${hex(time).slice(8)}-0000-0000-000000000000`;

/** All ids that are made at this time or later are at least this one. Without a time, all ids are. */
export const minIdSince = (time: Date | undefined): string => firstIdAt(time ? later(time, -skew) : new Date(0));

/** All ids that were made until this time are at most this one. Without a time, all ids are. */
export const greatestIdUntil = (time: Date | undefined): string =>
  time ? firstIdAt(later(time, skew)) : 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A new id that looks as if it was made at this time. */
export const makeIdAt = (time: Date): string => `${hex(time).slice(0, 8)}-${hex(time).slice(8)}${makeId().slice(13)}`;

/** When an id was made, by the clock of the machine that made it. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
