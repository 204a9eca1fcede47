const connectionsOf = { jobQueue: 11, deliverQueue: 4, deliveries: 6 } as const;

/** Connections of a worker process beside `DATABASE_POOL`, at most: jobs have a queue, deliveries have two. */
export const workerConnections = {
  ...connectionsOf,
  all: connectionsOf.jobQueue + 2 * connectionsOf.deliverQueue + connectionsOf.deliveries,
} as const;
