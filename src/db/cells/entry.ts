import pg from 'pg';
import type { Statement } from '../round-trip.ts';
import { inTeam, noEntry, renamed, requestRole, type TransactionEntry } from '../row-security.ts';
import type { Cell } from './cells.ts';
import { coordinatorTables, localTables, referenceTables } from './distributed-tables.ts';

// How a transaction enters a cell, and there a team: the statements that come first, in the same round trip. A
// statement has another plan in each cell, so it is prepared for each.

/** A table as Prisma names it. */
const qualified = (tables: readonly string[]): string => `"public"\\."(?:${tables.join('|')})"`;
/**
 * Reference tables are the same on all nodes, so they are written through Citus and not through the view of one node.
 */
const writesEverywhere = new RegExp(`^(?:INSERT INTO|UPDATE|DELETE FROM) ${qualified(referenceTables)}`);
const isOfCoordinator = new RegExp(qualified(coordinatorTables));

interface ExaminedStatement {
  readonly inCell: string;
  readonly isOfCoordinator: boolean;
  /** For each cell, the SQL whose table names have the schema of the cell. */
  readonly named: Map<string, string>;
}

/** The results of earlier calls, so that each text is examined once. */
const examined = new Map<string, ExaminedStatement>();
const maxExamined = 5_000;

export const examine = (text: string): ExaminedStatement => {
  const known = examined.get(text);
  if (known) return known;
  const inCell = writesEverywhere.test(text) ? text : text.replaceAll('"public".', '');
  const found = { inCell, isOfCoordinator: isOfCoordinator.test(text), named: new Map<string, string>() };
  if (examined.size < maxExamined) examined.set(text, found);
  return found;
};

const others = Object.keys(localTables).join('|');
/** The places where SQL has a table of a cell, followed by an alias, or calls the gate. */
const tableOrGate = new RegExp(`\\b(from|join) (?!lateral |(?:${others}) )(\\w+(?= \\w)|gate(?=\\())`, 'g');

/**
 * SQL of gates and reads by id, with the schema of a cell in the names of its tables, because setting `search_path`
 * costs a third of what such a statement does. A table that is not found here is read through Citus, which is slower.
 */
export const nameTables = (sql: string, shard: string): string => sql.replaceAll(tableOrGate, `$1 cell_${shard}.$2`);

// Citus sends these settings to other nodes that a transaction reaches. It sends neither those that `set_config` sets
// nor those of a connection.

export const tellTeam = (teamId: string): Statement => ({
  text: `SET LOCAL app.tenant = ${pg.escapeLiteral(teamId)}`,
  isSilent: true,
});

export const limitLockWaits = (milliseconds: number): Statement => ({
  text: `SET LOCAL lock_timeout = ${milliseconds}`,
  isSilent: true,
});

const inCell = (ending: string) => (statement: Statement) =>
  renamed({ ...statement, text: examine(statement.text).inCell }, ending);

/** The statement of a gate or of a read by id, in the form for a cell. */
export const inCellOf = ({ shard }: Cell, statement: Statement): Statement => {
  const { named } = examine(statement.text);
  const text = named.get(shard) ?? nameTables(statement.text, shard);
  named.set(shard, text);
  return renamed({ ...statement, text }, `_of_${shard}`);
};

/** The first statement of a trip for several cells of a node (shared-trips.ts). It enters the given cells. */
export const beginTrip = (cells: readonly Cell[]): Statement => ({
  name: 'begin_trip',
  text: `select set_config('lock_timeout', '50ms', true), set_config('statement_timeout', '1s', true),
                (select count(enter_cell(shard, $2)) from unnest($1::bigint[]) as shard)`,
  values: [cells.map(({ shard }) => shard), cells[0]?.group],
  isSilent: true,
});

const pathOf = ({ shard }: Cell): string => `cell_${shard}, public`;

/** In a trip: lets the statements that follow find the tables of a cell. */
export const goTo = (cell: Cell): Statement => ({
  name: 'go_to_cell',
  text: `select set_config('search_path', $1, true)`,
  values: [pathOf(cell)],
  isSilent: true,
});

export const inPathOf = ({ shard }: Cell, statement: Statement): Statement => inCell(`_${shard}`)(statement);

/** The entry for any statement: sets `search_path` to the tables of the cell. */
export const entryOfOpen = (cell: Cell, teamId: string | undefined): TransactionEntry => {
  const { shard, group } = cell;
  const path = pathOf(cell);
  const enter =
    teamId === undefined
      ? {
          name: 'enter_cell',
          text: `select enter_cell($1, $2), set_config('search_path', $3, true)`,
          values: [shard, group, path],
        }
      : {
          name: 'enter_cell_team',
          text: `select enter_cell($1, $2), set_config('search_path', $3, true), set_config('role', $4, true),
                        set_config('app.tenant', $5, true)`,
          values: [shard, group, path, requestRole, teamId],
        };
  return {
    statements: [{ ...enter, isSilent: true }],
    adapt: inCell(teamId === undefined ? `_${shard}` : `_team_${shard}`),
  };
};

/**
 * The entry for statements whose table names have the schema of the cell. `enters`: whether the transaction has to
 * enter the cell.
 */
export const entryOfNamed = (cell: Cell, { enters }: { enters: boolean }): TransactionEntry => ({
  statements: enters
    ? [{ name: 'only_enter_cell', text: 'select enter_cell($1, $2)', values: [cell.shard, cell.group], isSilent: true }]
    : [],
  adapt: (statement) => inCellOf(cell, statement),
});

export const entryOfClosed = (teamId: string | undefined): TransactionEntry =>
  teamId === undefined
    ? noEntry
    : {
        statements: [{ text: `SET LOCAL role = ${pg.escapeLiteral(requestRole)}`, isSilent: true }],
        adapt: inTeam,
      };
