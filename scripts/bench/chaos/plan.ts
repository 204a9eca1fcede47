/** The faults of a run, and how many events must be delivered in spite of them. */
export interface Plan {
  events: number;
  perSecond: number;
  endpoints: number;
  /** The number of hosts of the receivers. */
  receivers: number;
  /** The share of requests that the receivers fail. */
  failing: number;
  /** The number of worker processes. One after the other is killed until all events were raised. */
  workers: number;
  /** The maximum number of deliveries that a worker sends at the same time. */
  concurrency: number;
  killEveryMs: number;
  /** The number of restarts of PostgreSQL, distributed over the run. */
  restarts: number;
  retrySeconds: readonly number[];
  /** Mails to a mail server that never answers: other jobs of the workers that are killed. */
  mailsPerSecond: number;
  /** The time after the last kill within which nothing that is due may be left. */
  recoverWithinMs: number;
  /** The time after that within which the last delivery may arrive, by the retry schedule. */
  arriveWithinMs: number;
}

/** The result of a run. */
export interface Outcome {
  /** Events whose raiser saw the commit. */
  raised: number;
  /** Raised events that are missing in the database. */
  forgotten: number;
  /** Deliveries of all events that the database has. */
  deliveries: number;
  /** Deliveries that no receiver answered with 2xx. */
  lost: number;
  /** Deliveries that a receiver answered with 2xx but whose row has another status. */
  unnoted: number;
  /** Deliveries that arrived again after an answer with 2xx. */
  duplicates: number;
  requests: number;
  kills: number;
  restarts: number;
  /** Deliveries that are overdue although a worker was free, or whose claim is older than the last kill. */
  left: number;
  /** Milliseconds from the last kill until none of them was left; undefined if that took longer than allowed. */
  recoveredAfter: number | undefined;
  seconds: number;
}
