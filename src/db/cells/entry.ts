import pg from 'pg';
import type { Statement } from '../round-trip.ts';
import { inTeam, noEntry, renamed, requestRole, type Entry } from '../row-security.ts';
import type { Cell } from './cells.ts';
import { coordinatorTables, referenceTables } from './distributed-tables.ts';

// How a transaction gets into a cell, and there into a team: the statements that come first, in the same round trip. In
// each cell a statement has another plan, so it is prepared for each.

/** A table as Prisma names it. */
const qualified = (tables: readonly string[]): string => `"public"\\."(?:${tables.join('|')})"`;
/** Reference tables are written on all nodes, so through Citus and not through the view of one node. */
const writesEverywhere = new RegExp(`^(?:INSERT INTO|UPDATE|DELETE FROM) ${qualified(referenceTables)}`);
const isOfCoordinator = new RegExp(qualified(coordinatorTables));

/** The results of earlier calls: each text is examined once. */
const examined = new Map<string, { readonly inCell: string; readonly isOfCoordinator: boolean }>();
const maxExamined = 5_000;

export const examine = (text: string) => {
  const known = examined.get(text);
  if (known) return known;
  const inCell = writesEverywhere.test(text) ? text : text.replaceAll('"public".', '');
  const found = { inCell, isOfCoordinator: isOfCoordinator.test(text) };
  if (examined.size < maxExamined) examined.set(text, found);
  return found;
};

// Citus sends these, and neither what `set_config` sets nor the settings of a connection, to other nodes that a
// transaction reaches.

export const tellTeam = (teamId: string): Statement => ({
  text: `SET LOCAL app.tenant = ${pg.escapeLiteral(teamId)}`,
  isSilent: true,
});

export const limitLockWaits = (milliseconds: number): Statement => ({
  text: `SET LOCAL lock_timeout = ${milliseconds}`,
  isSilent: true,
});

const pathOf = ({ shard }: Cell): string => `cell_${shard}, public`;

const inCell = (ending: string) => (statement: Statement) =>
  renamed({ ...statement, text: examine(statement.text).inCell }, ending);

/** The first statement of a trip for several cells of a node (shared-trips.ts). Enters those that are given. */
export const beginTrip = (cells: readonly Cell[]): Statement => ({
  name: 'begin_trip',
  text: `select set_config('lock_timeout', '50ms', true), set_config('statement_timeout', '1s', true),
                (select count(enter_cell(shard, $2)) from unnest($1::bigint[]) as shard)`,
  values: [cells.map(({ shard }) => shard), cells[0]?.group],
  isSilent: true,
});

/** The statements that follow find the tables of a cell. */
export const goTo = (cell: Cell): Statement => ({
  name: 'go_to_cell',
  text: `select set_config('search_path', $1, true)`,
  values: [pathOf(cell)],
  isSilent: true,
});

/** A statement of no team, for a cell. */
export const inCellOf = ({ shard }: Cell, statement: Statement): Statement => inCell(`_${shard}`)(statement);

export const entryOfOpen = (cell: Cell, teamId: string | undefined): Entry => {
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

/** For reads of requests since whose beginning the process has entered the cell. */
export const entryOfEntered = (cell: Cell): Entry => ({
  statements: [goTo(cell)],
  adapt: (statement) => inCellOf(cell, statement),
});

export const entryOfClosed = (teamId: string | undefined): Entry =>
  teamId === undefined
    ? noEntry
    : {
        statements: [{ text: `SET LOCAL role = ${pg.escapeLiteral(requestRole)}`, isSilent: true }],
        adapt: inTeam,
      };
