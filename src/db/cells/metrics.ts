import { hostNames } from '../hosts.ts';
import type { Cells } from './cells.ts';

// The metrics of the nodes of a distributed database, as a process sees them.

/** The metrics. A plain database has no values for them. */
export const cellMetrics = {
  unavailable: {
    name: 'team_api_node_unavailable_answers_total',
    type: 'counter',
    labelNames: ['node'],
    help: 'Answers 503 to requests of the teams of a node.',
  },
  cells: {
    name: 'team_api_cells',
    type: 'gauge',
    labelNames: ['node', 'state'],
    help: 'Cells of a node, as this process last saw them: `open`, or `closed`, which are served through Citus’ planner.',
  },
  placesAge: {
    name: 'team_api_places_age_seconds',
    type: 'gauge',
    labelNames: ['node'],
    help: 'How long ago this process last read from a node which of its cells are open.',
  },
  oldestPrepared: {
    name: 'team_api_prepared_transaction_age_seconds',
    type: 'gauge',
    labelNames: ['node'],
    help: 'How long ago the oldest prepared transaction of a node was prepared; 0 when there is none.',
  },
} as const;

/** The team or the key of a request. */
interface TeamOrKey {
  readonly tenantId: string | undefined;
  readonly keyPrefix: string | undefined;
}

/** `url` is the coordinator's. */
export const measureCells = (url: string, cells: Pick<Cells, 'looks' | 'of' | 'teamOfKey'>) => {
  /** How many answers were 503, by the node of the caller's team. */
  const unavailable = new Map<string, number>();
  const add = (node: string, count: number): void => void unavailable.set(node, (unavailable.get(node) ?? 0) + count);

  const nodeOf = async ({ tenantId, keyPrefix = '' }: TeamOrKey): Promise<string> => {
    const teamId = tenantId ?? (await cells.teamOfKey(keyPrefix));
    return hostNames(teamId === undefined ? url : (await cells.of(teamId)).node);
  };

  return {
    values: () => {
      const seen = cells.looks().flatMap(({ node, open, closed, ageSeconds, preparedSeconds }) => {
        add(node, 0); // Prometheus sees an increase only of a series that it has seen before
        return [
          { metric: cellMetrics.cells.name, labels: { node, state: 'open' }, value: open },
          { metric: cellMetrics.cells.name, labels: { node, state: 'closed' }, value: closed },
          { metric: cellMetrics.placesAge.name, labels: { node }, value: ageSeconds },
          { metric: cellMetrics.oldestPrepared.name, labels: { node }, value: preparedSeconds },
        ];
      });
      const metric = cellMetrics.unavailable.name;
      return [...seen, ...Array.from(unavailable, ([node, value]) => ({ metric, labels: { node }, value }))];
    },
    /** The place of the team was found before its statement failed, so this does not ask the database again. */
    noteUnavailable(caller: TeamOrKey): void {
      nodeOf(caller).then(
        (node) => add(node, 1),
        () => {},
      );
    },
  };
};
