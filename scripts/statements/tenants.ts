import { loadModule, parseSync } from 'libpg-query';
import { localTables, referenceTables } from '../../src/db/cells/distributed-tables.ts';
import { tableOfDelegate } from './tables.ts';

// Finds tables of teams that a statement reads or writes without a condition on the team. In a distributed database all
// rows of a team are on one machine. A statement can run there as a whole if each of its tables has a condition on the
// same team, and the team is a parameter.
//
//   where a.tenant_id = :tenantId                                  a condition on the team
//   join b on b.tenant_id = a.tenant_id                            has one if `a` has one
//   exists (select from c where c.tenant_id = a.tenant_id)         none: Citus does not follow it into a subquery
//   where t.tenant_id = any (:tenantIds)                           none: the rows may be on several machines
//
// If an INSERT reads rows from another part of its statement, Citus sends these rows to all machines, and fails while one
// is away. It does not if the INSERT takes the team from a table with a condition on it.
//
//   with part as (delete from a …) insert into b select :tenantId, … from part                       goes to all machines
//   with part as (delete from a …) insert into b select team.id, … from part join team on team.id = :tenantId    to one

await loadModule();

const elsewhere = new Set([...referenceTables, ...Object.keys(localTables)]);
/** Tables whose rows are placed by their team. */
const placedByTeam = new Set([...tableOfDelegate.values()].filter((table) => !elsewhere.has(table)));

const tenantColumn = (table: string | undefined): string => (table === 'team' ? 'id' : 'tenant_id');

/**
 * A part of the parser's tree. Its types have a case for each of PostgreSQL's 250 kinds of nodes, of which a walk needs
 * few.
 */
type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
const treeAt = (tree: Tree, name: string): Tree | undefined => {
  const value = tree[name];
  return isTree(value) ? value : undefined;
};
const listAt = (tree: Tree, name: string): Tree[] => {
  const value = tree[name];
  return Array.isArray(value) ? value.filter(isTree) : [];
};
const textAt = (tree: Tree | undefined, name: string): string | undefined => {
  const value = tree?.[name];
  return typeof value === 'string' ? value : undefined;
};

/** A table, or a subquery, under the name that conditions use. */
interface Source {
  readonly alias: string;
  /** Undefined for a subquery, a function and a query of WITH. */
  readonly table: string | undefined;
}

interface Level {
  readonly sources: Source[];
  readonly conditions: Tree[];
  /** The queries inside, which see the names of this one. */
  readonly inner: Tree[];
}

const partsOfColumn = (node: Tree | undefined): string[] => {
  const column = node && treeAt(node, 'ColumnRef');
  if (!column) return [];
  return listAt(column, 'fields').flatMap((field) => textAt(treeAt(field, 'String'), 'sval') ?? []);
};

/** A value that is known before the statement runs. */
const isGiven = (node: Tree | undefined): boolean => {
  if (!node) return false;
  const cast = treeAt(node, 'TypeCast');
  if (cast) return isGiven(treeAt(cast, 'arg'));
  return 'ParamRef' in node || 'A_Const' in node;
};

const statementKinds = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'] as const;

/** The statement of a node, if it is one. */
const statementIn = (node: Tree): Tree | undefined => {
  for (const kind of statementKinds) {
    const found = treeAt(node, kind);
    if (found) return found;
  }
  return undefined;
};

/** Adds a part of FROM to a query. */
const addSource = (node: Tree, level: Level, queries: ReadonlySet<string>): void => {
  const table = treeAt(node, 'RangeVar');
  const join = treeAt(node, 'JoinExpr');
  if (table) {
    const name = textAt(table, 'relname') ?? '';
    const alias = textAt(treeAt(table, 'alias'), 'aliasname') ?? name;
    level.sources.push({ alias, table: placedByTeam.has(name) && !queries.has(name) ? name : undefined });
  } else if (join) {
    for (const side of ['larg', 'rarg']) addSource(treeAt(join, side) ?? {}, level, queries);
    const quals = treeAt(join, 'quals');
    if (quals) level.conditions.push(quals);
  } else {
    const part = treeAt(node, 'RangeSubselect') ?? treeAt(node, 'RangeFunction');
    const alias = part && textAt(treeAt(part, 'alias'), 'aliasname');
    if (alias !== undefined) level.sources.push({ alias, table: undefined });
    level.inner.push(node);
  }
};

/** Both sides of the equations that hold for every row of the result. */
const equationsOf = (node: Tree): [Tree | undefined, Tree | undefined][] => {
  const bool = treeAt(node, 'BoolExpr');
  if (bool) return textAt(bool, 'boolop') === 'AND_EXPR' ? listAt(bool, 'args').flatMap(equationsOf) : [];
  const compared = treeAt(node, 'A_Expr');
  const operator = compared && textAt(treeAt(listAt(compared, 'name')[0] ?? {}, 'String'), 'sval');
  if (!compared || textAt(compared, 'kind') !== 'AEXPR_OP' || operator !== '=') return [];
  return [[treeAt(compared, 'lexpr'), treeAt(compared, 'rexpr')]];
};

/** The names of a query, with whether each has a condition on the team. */
const known = ({ sources, conditions }: Level): Map<string, boolean> => {
  const names = new Map(sources.map(({ alias }) => [alias, false]));
  const only = sources.filter(({ table }) => table !== undefined);
  /** The name whose team a column is. */
  const nameOf = (node: Tree | undefined): string | undefined => {
    const parts = partsOfColumn(node);
    const [column, name] = [parts.at(-1), parts.at(-2)];
    const source = name === undefined ? (only.length === 1 ? only[0] : undefined) : undefined;
    const alias = name ?? source?.alias;
    const table = sources.find((one) => one.alias === alias)?.table;
    return alias !== undefined && (column === tenantColumn(table) || column === 'tenant_id') ? alias : undefined;
  };
  const equations = conditions.flatMap(equationsOf);
  for (let changed = true; changed;) {
    changed = false;
    for (const [left, right] of equations.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])) {
      const name = nameOf(left);
      if (name === undefined || names.get(name) === true) continue;
      const other = nameOf(right);
      if (!isGiven(right) && (other === undefined || names.get(other) !== true)) continue;
      names.set(name, true);
      changed = true;
    }
  }
  return names;
};

/**
 * Where an INSERT takes the team of its rows from: a value that is given, or a table of teams that its query reads. If
 * the query reads such a table, only the table counts: otherwise a distributed database does not see that the INSERT
 * writes where it reads.
 */
const teamSourceOf = (insert: Tree, table: string, queries: ReadonlySet<string>): 'a value' | 'a table' | undefined => {
  const columns = listAt(insert, 'cols').map((node) => textAt(treeAt(node, 'ResTarget'), 'name'));
  const at = columns.indexOf(tenantColumn(table));
  const source = treeAt(treeAt(insert, 'selectStmt') ?? {}, 'SelectStmt');
  if (at < 0 || !source) return undefined;
  const rows = listAt(source, 'valuesLists').map((row) => listAt(treeAt(row, 'List') ?? {}, 'items')[at]);
  if (rows.length > 0) return rows.every(isGiven) ? 'a value' : undefined;
  const target = treeAt(listAt(source, 'targetList')[at] ?? {}, 'ResTarget');
  const value = target && treeAt(target, 'val');
  const level: Level = { sources: [], conditions: [], inner: [] };
  for (const node of listAt(source, 'fromClause')) addSource(node, level, queries);
  const read = level.sources.filter((one) => one.table !== undefined);
  if (read.length === 0) return isGiven(value) ? 'a value' : undefined;
  const [alias, column] = partsOfColumn(value);
  return read.some((one) => one.alias === alias && column === tenantColumn(one.table)) ? 'a table' : undefined;
};

/** Whether a tree reads a query of WITH. */
const readsQuery = (node: unknown, queries: ReadonlySet<string>): boolean => {
  if (Array.isArray(node)) return node.some((one: unknown) => readsQuery(one, queries));
  if (!isTree(node)) return false;
  const name = textAt(treeAt(node, 'RangeVar'), 'relname');
  if (name !== undefined && queries.has(name)) return true;
  return Object.values(node).some((one) => readsQuery(one, queries));
};

/** Complaints about a statement and all queries inside. */
const judge = (statement: Tree, outer: ReadonlySet<string>, isLateral = false): string[] => {
  // A query of WITH, which may have the name of a table.
  const parts = listAt(treeAt(statement, 'withClause') ?? {}, 'ctes')
    .map((node) => treeAt(node, 'CommonTableExpr'))
    .filter((part) => part !== undefined);
  const queries = new Set([...outer, ...parts.flatMap((part) => textAt(part, 'ctename') ?? [])]);
  const level: Level = { sources: [], conditions: [], inner: [] };
  const complaints: string[] = [];

  const target = treeAt(statement, 'relation');
  const isInsert = 'selectStmt' in statement || 'cols' in statement;
  if (target && isInsert) {
    const table = textAt(target, 'relname') ?? '';
    const source = teamSourceOf(statement, table, queries);
    if (placedByTeam.has(table)) {
      if (source === undefined) complaints.push(`inserts into ${table} without a given team`);
      if (source !== 'a table' && readsQuery(statement['selectStmt'], queries))
        complaints.push(`passes rows on to an insert into ${table}`);
    }
  } else if (target) addSource({ RangeVar: target }, level, queries);
  for (const name of ['fromClause', 'usingClause'])
    for (const node of listAt(statement, name)) addSource(node, level, queries);
  const where = treeAt(statement, 'whereClause');
  if (where) level.conditions.push(where);

  const names = known(level);
  const isLocking = listAt(statement, 'lockingClause').length > 0;
  for (const { alias, table } of level.sources) {
    if (table === undefined || names.get(alias) === true) continue;
    complaints.push(`${table} has no condition on the team`);
    if (isLocking) complaints.push(`locks rows of ${table} of several teams`);
    if ('limitCount' in statement && isLateral)
      complaints.push(`limits rows of ${table} in a lateral query of several teams`);
  }
  const { withClause: _queries, fromClause: _from, usingClause: _using, relation: _relation, ...rest } = statement;
  for (const part of parts) complaints.push(...walk(part, queries));
  for (const node of [...level.inner, ...level.conditions, rest]) complaints.push(...walk(node, queries));
  return complaints;
};

/** Judges the statements anywhere in a tree. */
const walk = (node: unknown, queries: ReadonlySet<string>): string[] => {
  if (Array.isArray(node)) return node.flatMap((one: unknown) => walk(one, queries));
  if (!isTree(node)) return [];
  const statement = statementIn(node);
  if (statement) return judge(statement, queries);
  const lateral = treeAt(node, 'RangeSubselect');
  if (lateral?.['lateral'] === true) {
    const inside = statementIn(treeAt(lateral, 'subquery') ?? {});
    if (inside) return judge(inside, queries, true);
  }
  const complaints = partsOfColumn(node).at(-1) === 'ctid' ? ['uses ctid, which is of one machine'] : [];
  const { larg, rarg, ...rest } = node;
  // The sides of UNION are statements, but not in nodes of their own.
  for (const side of [larg, rarg]) {
    if (isTree(side)) complaints.push(...('op' in side ? judge(side, queries) : walk(side, queries)));
  }
  return [...complaints, ...Object.values(rest).flatMap((one) => walk(one, queries))];
};

/** The reasons why this statement could not run on the machine of one team; none if it can. */
export const tenantFlaws = (sql: string): string[] => {
  const parsed: unknown = parseSync(sql);
  return [...new Set(walk(parsed, new Set()))].toSorted();
};

/** Flaws with which a distributed database refuses a statement, or reaches all its machines for a write of one team. */
const neverAccepted = /^(?:locks|limits|uses|passes) /;

/** The flaws that no reason excuses. */
export const refusedFlaws = (sql: string): string[] => tenantFlaws(sql).filter((flaw) => neverAccepted.test(flaw));
