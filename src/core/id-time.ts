import { later, seconds } from './clock.ts';
import { newId } from './ids.ts';

/** Ids are made by the clock of the machine that makes them, and these differ; times come from the database's. */
const skew = seconds(15 * 60);

const hex = (time: Date): string => Math.max(0, time.getTime()).toString(16).padStart(12, '0');

const idAt = (time: Date): string => `${hex(time).slice(0, 8)}-${hex(time).slice(8)}-0000-0000-000000000000`;

/** No id made at this time or later is less, whichever machine made it. */
export const leastIdSince = (time: Date): string => idAt(later(time, -skew));

/** No id made until this time is more. */
export const greatestIdUntil = (time: Date): string => idAt(later(time, skew));

/** A new id as it would have been made at this time. */
export const newIdAt = (time: Date): string => `${hex(time).slice(0, 8)}-${hex(time).slice(8)}${newId().slice(13)}`;

/** When an id was made, by the clock that made it. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
