import { z } from 'zod';

/** Requests to the receiver's process: `count` returns numbers; `take` returns all arrivals and clears them. */
export const Question = z.enum(['count', 'take']);
export type Question = z.output<typeof Question>;

/** A delivery that was answered with 2xx. */
const Arrival = z.object({
  /** The last part of the path. */
  endpoint: z.string(),
  /** The event id from the header. */
  event: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
});
export type Arrival = z.output<typeof Arrival>;

export const Answer = z.object({ requests: z.int(), arrived: z.int(), arrivals: z.array(Arrival) });
export type Answer = z.output<typeof Answer>;

export const Started = z.looseObject({ origins: z.array(z.url()).min(1) });

/** How the receiver handles a request. The first part of the path says it. */
export type Conduct = 'ok' | 'hang' | 'faulty' | 'slow' | 'refuse' | 'uncounted';
