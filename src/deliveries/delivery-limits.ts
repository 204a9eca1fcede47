/** Limits of attempts and waiting deliveries, and how much of them is kept. */
export const deliveryLimits = {
  /**
   * Attempts of a team in a day (UTC) that are kept with response headers, excerpt and the whole URL. Later attempts
   * are kept with the beginning of the URL only; the delivery keeps the beginning of its last excerpt.
   */
  attemptsWithDetailsPerDay: 25_000,
  /**
   * Attempts of a team in a day (UTC) that are kept in the history. Deliveries that end with a later attempt are
   * deleted (`outcomes.ts`).
   */
  historyAttemptsPerDay: 250_000,
  shortUrlCharacters: 200,
  shortExcerptCharacters: 100,
  /** An answer that takes this long is slow. */
  slowAfterSeconds: 3,
  /**
   * An endpoint is throttled while it fails, and for this long after a slow answer: it gets a quarter of its own slots,
   * and all throttled endpoints together at most half of a worker's slots.
   */
  slowForSeconds: 60,
  /** Simultaneous attempts of one worker to one host, for all teams. */
  attemptsPerHost: 64,
  /**
   * Waiting deliveries of a team. Beyond this number the oldest are given up and the admins are mailed; the events can
   * be recovered.
   */
  waitingPerTeam: 100_000,
} as const;
