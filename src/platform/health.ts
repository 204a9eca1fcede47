import type { Database } from '../db/database.ts';

interface HealthParts {
  database: Pick<Database, 'acceptsWrites'>;
  state: () => 'starting' | 'ready' | 'stopping';
  /** Undefined until the state of maintenance was read once. */
  inMaintenance: () => boolean | undefined;
  /** Only for a worker: whether each of its queues fetches jobs from at least one part of the database. */
  isFetching?: () => boolean;
  /** The parts of the database that do not answer. An API does not name them, because clients can read its answer. */
  awayParts?: () => readonly string[];
}

const answer = (httpStatus: number, status: string, away: readonly string[] = []) => ({
  httpStatus,
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify({ status, ...(away.length > 0 && { away }) }),
});

/** The answers to `/healthz` (the process runs) and `/readyz` (it can do its work), of an API or a worker. */
export const makeHealth = ({
  database,
  state,
  inMaintenance,
  isFetching = () => true,
  awayParts = () => [],
}: HealthParts) => {
  // Health requests count against no budget, so concurrent ones share one query to the database.
  let asking: Promise<boolean> | undefined;
  const acceptsWrites = () => (asking ??= database.acceptsWrites().finally(() => (asking = undefined)));
  return {
    '/healthz': () => answer(200, inMaintenance() ? 'maintenance' : 'ok'),
    '/readyz': async () => {
      if (state() !== 'ready') return answer(503, state());
      if (!(await acceptsWrites()) || inMaintenance() === undefined) return answer(503, 'unavailable');
      // A process in maintenance counts as ready: an API gives clients its 503 answers, and a worker waits on purpose.
      if (inMaintenance()) return answer(200, 'maintenance');
      return isFetching() ? answer(200, 'ready', awayParts()) : answer(503, 'not_fetching', awayParts());
    },
  };
};
