/** The time, handed in, so that a test can hold it. Rate budgets use the database's clock instead: it is one for all processes. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const seconds = (count: number): number => count * 1000;
export const hours = (count: number): number => seconds(count * 3600);
export const days = (count: number): number => hours(count * 24);

/** Whole seconds until a time, at least one: how long a client is asked to wait. */
export const secondsUntil = (end: Date, now: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));

export const later = (from: Date, milliseconds: number): Date => new Date(from.getTime() + milliseconds);
