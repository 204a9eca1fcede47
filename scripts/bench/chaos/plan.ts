/** How much goes wrong, and how much is to be delivered all the same. */
export interface Plan {
  events: number;
  perSecond: number;
  endpoints: number;
  /** Where they are. */
  receivers: number;
  /** Which part of what they get the receivers fail. */
  failing: number;
  /** Worker processes, of which one is killed in turn, again and again, until everything was raised. */
  workers: number;
  /** Deliveries that each worker has in hand at most. */
  concurrency: number;
  killEveryMs: number;
  /** PostgreSQL's restarts, spread over the events. */
  restarts: number;
  retrySeconds: readonly number[];
  /** To a mail server that never answers: jobs that a worker holds when it is killed. */
  mailsPerSecond: number;
  /** How long after the last kill nothing may be left of it. */
  recoverWithinMs: number;
  /** How long after that a delivery may still arrive, by its schedule. */
  arriveWithinMs: number;
}

/** What came of it. */
export interface Outcome {
  /** Events whose transaction was committed, as whoever raised them knows. */
  raised: number;
  /** Of these, those that the database has not. */
  forgotten: number;
  /** Deliveries of all events that the database has. */
  deliveries: number;
  /** Of these, those that were never answered with 2xx. */
  lost: number;
  /** Of these, those that were answered so, and the database does not know. */
  unnoted: number;
  /** Answers with 2xx to what had been answered with 2xx before. */
  duplicates: number;
  requests: number;
  kills: number;
  restarts: number;
  /** Jobs that workers held at the moment of the last kill. */
  jobsInHand: number;
  left: Left;
  /** Milliseconds from the last kill until nothing was left of it; undefined where that took longer than it may. */
  recoveredAfter: number | undefined;
  seconds: number;
}

/** What the killed left behind. */
export interface Left {
  /** Deliveries that are due, and nobody took them though there was time, or held by a claim from before the last kill. */
  deliveries: number;
  /** Jobs locked since before the last kill. */
  jobs: number;
}
