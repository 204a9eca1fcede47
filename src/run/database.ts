import { Cells } from '../db/cells/cells.ts';
import { CellConnections } from '../db/cells/connections.ts';
import { cellMetrics, measureCells } from '../db/cells/metrics.ts';
import type { OpenConnections } from '../db/connections.ts';
import type { PartMeasures } from '../platform/telemetry/meter.ts';

// The one place that decides whether the database is a plain PostgreSQL or a distributed one (docs/citus.md). No other
// module of the service imports src/db/cells. Elsewhere, code asks `DatabaseParts` (db/parts.ts) for what differs
// between the two.

/** Migrates the database of this URL. */
export const migrateDatabase = async (databaseUrl: string, report: (line: string) => void): Promise<string[]> => {
  const { migrateWithCells } = await import('../db/cells/distribute.ts'); // most processes never migrate
  return migrateWithCells(databaseUrl, report);
};

interface ChosenConnections {
  /** Undefined for a plain database. */
  readonly open?: OpenConnections;
  readonly measures: PartMeasures;
  readonly close: () => Promise<void>;
}

const metrics = Object.values(cellMetrics);

/** Chooses the connections to the database of this URL; without one it is the embedded database, which is plain. */
export const chooseConnections = async (databaseUrl: string | undefined): Promise<ChosenConnections> => {
  const cells = databaseUrl === undefined ? undefined : await Cells.open(databaseUrl);
  if (databaseUrl === undefined || !cells) {
    return { measures: { metrics, values: () => [], noteUnavailable: () => {} }, close: async () => {} };
  }
  return {
    open: (url, options) => new CellConnections(url, cells, options),
    measures: { metrics, ...measureCells(databaseUrl, cells) },
    close: () => cells.close(),
  };
};
