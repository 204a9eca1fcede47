import { z } from 'zod';

/** What the receiver's process is asked: for numbers, or for everything it noted, which it forgets then. */
export const Question = z.enum(['count', 'take']);
export type Question = z.output<typeof Question>;

/** A delivery that was answered with 2xx. */
const Arrival = z.object({
  /** The last part of the path. */
  endpoint: z.string(),
  /** As the header names it. */
  event: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
});
export type Arrival = z.output<typeof Arrival>;

export const Answer = z.object({ requests: z.int(), arrived: z.int(), arrivals: z.array(Arrival) });
export type Answer = z.output<typeof Answer>;

export const Started = z.looseObject({ origins: z.array(z.url()).min(1) });

/** What the receiver does with a request, as the first part of its path says. */
export type Conduct = 'ok' | 'hang' | 'faulty' | 'slow' | 'refuse' | 'uncounted';
