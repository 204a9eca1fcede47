import {
  loadModule,
  parseSync,
  type AlterTableCmd,
  type ColumnDef,
  type Constraint,
  type Node,
  type RangeVar,
} from 'libpg-query';

// A migration runs while processes of the former version still use the database and don't wait for it. So a migration
// may only add, and may not hold a lock that blocks requests. PostgreSQL's own parser reads the SQL; every statement
// that is not known to be harmless is refused.

/** The migration around the statement that is judged. */
interface Context {
  /** Tables that this migration creates: no process uses them yet. */
  readonly made: Set<string>;
  /** Constraints that this migration adds. */
  readonly added: Set<string>;
  readonly isAlone: boolean;
}

interface Statement {
  readonly node: Node;
  /** The comments before the statement. */
  readonly comments: string;
  readonly text: string;
}

const reasonCharacters = 20;

/**
 * Cuts a script into statements. The parser's offsets are bytes; comments are between the end of a statement and the
 * next one.
 */
const statementsOf = (sql: string): Statement[] => {
  const bytes = Buffer.from(sql);
  let end = 0;
  return (parseSync(sql).stmts ?? []).flatMap(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    const text = bytes.subarray(start, length === undefined ? undefined : start + length).toString();
    const [leading = ''] = /^(?:\s|--[^\n]*(?:\n|$))*/.exec(text) ?? [];
    const comments = `${bytes.subarray(end, start).toString()}${leading}`;
    end = length === undefined ? bytes.length : start + length;
    return stmt ? [{ node: stmt, comments, text: text.slice(leading.length).trim() }] : [];
  });
};

/** A table of another schema, or a temporary one, is not the service's table of the same name. */
const nameOf = ({ relname = '', schemaname, relpersistence }: RangeVar = {}): string => {
  const schema = relpersistence === 't' ? 'pg_temp' : (schemaname ?? 'public');
  return schema === 'public' ? relname : `${schema}.${relname}`;
};

const constraintsOf = (column: ColumnDef): Constraint[] =>
  (column.constraints ?? []).flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));

const serialTypes = new Set(['serial', 'bigserial', 'smallserial']);
const stableFunctions = new Set(['now', 'statement_timestamp', 'transaction_timestamp']);

const lastName = (names: readonly Node[] = []): string => {
  const last = names.at(-1);
  return last && 'String' in last ? (last.String.sval ?? '') : '';
};

/** Whether PostgreSQL evaluates a default once for the whole table, so that a new column with it rewrites no row. */
const isConstant = (expression: Node): boolean => {
  if ('TypeCast' in expression) return expression.TypeCast.arg !== undefined && isConstant(expression.TypeCast.arg);
  if ('A_ArrayExpr' in expression) return (expression.A_ArrayExpr.elements ?? []).every(isConstant);
  // CURRENT_TIMESTAMP and its like.
  if ('SQLValueFunction' in expression) return true;
  if ('FuncCall' in expression) return stableFunctions.has(lastName(expression.FuncCall.funcname));
  return 'A_Const' in expression;
};

/** Whether an expression is NULL, with or without a cast. */
const isNull = (expression: Node | undefined): boolean => {
  if (expression && 'TypeCast' in expression) return isNull(expression.TypeCast.arg);
  return expression !== undefined && 'A_Const' in expression && expression.A_Const.isnull === true;
};

/** The complaints about a new column of a table that is in use. */
const judgeColumn = (column: ColumnDef): string[] => {
  const constraints = constraintsOf(column);
  const has = (type: Constraint['contype']) => constraints.some(({ contype }) => contype === type);
  const given = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  const standard = isNull(given) ? undefined : given;
  const stored = constraints.some((one) => one.contype === 'CONSTR_GENERATED' && one.generated_kind !== 'v');
  const complaints: string[] = [];
  if (has('CONSTR_NOTNULL') && !standard)
    complaints.push('a column that is not null needs a default: former processes do not fill it');
  if (standard && !isConstant(standard))
    complaints.push('a volatile default rewrites the whole table: add the column, then set the default');
  if (serialTypes.has(lastName(column.typeName?.names)) || has('CONSTR_IDENTITY') || stored)
    complaints.push('a serial, identity or stored generated column rewrites the whole table');
  if (has('CONSTR_UNIQUE') || has('CONSTR_PRIMARY'))
    complaints.push('a unique column builds an index under a lock: create the index concurrently');
  if (has('CONSTR_FOREIGN')) complaints.push('add the foreign key by itself, NOT VALID');
  if (has('CONSTR_CHECK')) complaints.push('add the check by itself, NOT VALID');
  return complaints;
};

const judgeConstraint = (constraint: Constraint): string[] => {
  const { contype, skip_validation: isNotValid = false, indexname } = constraint;
  if (contype === 'CONSTR_FOREIGN' || contype === 'CONSTR_CHECK' || contype === 'CONSTR_NOTNULL')
    return isNotValid ? [] : ['examines every row under a lock: add it NOT VALID and validate it in a later migration'];
  if (contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY')
    return indexname === undefined
      ? ['builds an index under a lock: create it concurrently and add it USING INDEX']
      : [];
  return ['this constraint is built under a lock'];
};

const harmlessChanges: ReadonlySet<string> = new Set([
  'AT_DropNotNull',
  'AT_ResetRelOptions',
  'AT_SetOptions',
  'AT_SetRelOptions',
  'AT_SetStatistics',
  'AT_SetStorage',
]);

const refusedChanges: Readonly<Record<string, string>> = {
  AT_AlterColumnType: 'rewrites the table, and former processes expect the former type: add a new column',
  AT_DropColumn: 'former processes still read the column',
  AT_SetNotNull: 'examines every row under a lock, unless an earlier migration has validated a check (… IS NOT NULL)',
  AT_DropConstraint:
    'former processes may need what is dropped (ON CONFLICT does), unless it is a check or a foreign key',
};

const judgeChange = (
  { subtype = 'AT_AddColumn', name = '', def }: AlterTableCmd,
  table: string,
  context: Context,
  statement: readonly AlterTableCmd[],
): string[] => {
  if (subtype === 'AT_AddColumn') return def && 'ColumnDef' in def ? judgeColumn(def.ColumnDef) : [];
  if (subtype === 'AT_AddConstraint') {
    if (!def || !('Constraint' in def)) return [];
    context.added.add(`${table}.${def.Constraint.conname ?? ''}`);
    return judgeConstraint(def.Constraint);
  }
  if (subtype === 'AT_ValidateConstraint') {
    if (context.added.has(`${table}.${name}`))
      return ['validates under the lock of the statement that added it: do it in a later migration'];
    return statement.length > 1 ? ['validates under the lock of the other changes: validate in its own statement'] : [];
  }
  if (subtype === 'AT_ColumnDefault') {
    return def && !isNull(def) ? [] : ['former processes do not fill the column, so it has to accept null'];
  }
  if (harmlessChanges.has(subtype)) return [];
  return [refusedChanges[subtype] ?? `${subtype} is not known to be harmless`];
};

const alone = 'CONCURRENTLY does not work in a transaction: it has to be the only statement of its migration';

const replaced = 'former processes use it as it was: make a new one with another name';

const hidden = 'writes in a WITH query are not judged: write them as statements';

const judge = (node: Node, context: Context): string[] => {
  const { made, isAlone } = context;
  if ('VariableSetStmt' in node) {
    const { name = '' } = node.VariableSetStmt;
    return name === 'statement_timeout' ? [] : [`SET ${name} is not known to be harmless`];
  }
  if ('CreateStmt' in node) {
    // With IF NOT EXISTS, an existing table that is in use would be treated as created here.
    if (node.CreateStmt.if_not_exists === true) return ['may find a table that is in use: leave out IF NOT EXISTS'];
    made.add(nameOf(node.CreateStmt.relation));
    return [];
  }
  if ('IndexStmt' in node) {
    const { relation, concurrent = false } = node.IndexStmt;
    if (concurrent) return isAlone ? [] : [alone];
    return made.has(nameOf(relation)) ? [] : ['blocks every write while it is built: create the index CONCURRENTLY'];
  }
  if ('AlterTableStmt' in node) {
    const { relation, cmds = [] } = node.AlterTableStmt;
    const table = nameOf(relation);
    if (made.has(table)) return [];
    const changes = cmds.flatMap((cmd) => ('AlterTableCmd' in cmd ? [cmd.AlterTableCmd] : []));
    return changes.flatMap((change) => judgeChange(change, table, context, changes));
  }
  if ('CreatePolicyStmt' in node) {
    const { table } = node.CreatePolicyStmt;
    return made.has(nameOf(table)) ? [] : ['former processes may see other rows: only a new table gets a policy'];
  }
  if ('DropStmt' in node) {
    const { removeType = '' } = node.DropStmt;
    return [`former processes may still use what is dropped (${removeType.replace('OBJECT_', '').toLowerCase()})`];
  }
  if ('RenameStmt' in node) return ['former processes still use the former name'];
  if ('UpdateStmt' in node || 'DeleteStmt' in node) {
    const { relation, withClause } = 'UpdateStmt' in node ? node.UpdateStmt : node.DeleteStmt;
    if (withClause) return [hidden];
    return made.has(nameOf(relation)) ? [] : ['locks rows until all are written: let a job do it in batches'];
  }
  if ('InsertStmt' in node) {
    const { relation, selectStmt, withClause } = node.InsertStmt;
    if (withClause) return [hidden];
    const isShort =
      selectStmt !== undefined && 'SelectStmt' in selectStmt && selectStmt.SelectStmt.valuesLists !== undefined;
    return isShort || made.has(nameOf(relation))
      ? []
      : ['may insert very many rows in one transaction: let a job do it in batches'];
  }
  if ('AlterEnumStmt' in node)
    return node.AlterEnumStmt.oldVal === undefined ? [] : ['former processes still use the former value'];
  if ('CreateFunctionStmt' in node) return node.CreateFunctionStmt.replace === true ? [replaced] : [];
  if ('CreateTrigStmt' in node) return node.CreateTrigStmt.replace === true ? [replaced] : [];
  if ('ViewStmt' in node) return node.ViewStmt.replace === true ? [replaced] : [];
  const isHarmless = ['CommentStmt', 'CreateEnumStmt', 'CreateSeqStmt'];
  const [kind = ''] = Object.keys(node);
  return isHarmless.includes(kind) ? [] : [`${kind} is not known to be harmless`];
};

/** Requests wait behind a migration that waits for a lock, so each begins by limiting their delay. */
const lockTimeout = "SET LOCAL lock_timeout = '3s'";

const isConcurrent = (node: Node | undefined): boolean =>
  node !== undefined &&
  (('IndexStmt' in node && node.IndexStmt.concurrent === true) ||
    ('DropStmt' in node && node.DropStmt.concurrent === true));

/**
 * A distributed database gets the statements one by one, cut where a line ends with a semicolon
 * (src/db/cells/distributed-tables.ts).
 */
const endsInside = /;[ \t]*$/m;
const severalParts = 'a line inside a statement ends with a semicolon, where a distributed database would cut it';

/** Must be awaited once before the first check. */
export const loadParser = loadModule;

/** Complaints, one line each, about the parts of a migration that can't run beside the former version. */
export const complaintsAbout = (sql: string): string[] => {
  const [first, ...others] = statementsOf(sql);
  const isLimited = first?.text === lockTimeout;
  const statements = first && !isLimited ? [first, ...others] : others;
  const context: Context = { made: new Set(), added: new Set(), isAlone: !isLimited && others.length === 0 };
  const complaints = statements.flatMap(({ node, comments, text }) => {
    const found = endsInside.test(text) ? [severalParts] : judge(node, context);
    const [, reason] = /^--\s*exception:\s*(.*)$/m.exec(comments) ?? [];
    const line = text.split('\n', 1)[0]?.slice(0, 100) ?? '';
    if (reason === undefined) return found.map((complaint) => `${line}: ${complaint}`);
    if (reason.trim().length < reasonCharacters) return [`${line}: its exception gives no reason`];
    return found.length === 0 ? [`${line}: its exception is not needed`] : [];
  });
  if (isLimited || (context.isAlone && isConcurrent(first?.node))) return complaints;
  return [`requests may wait behind it for a lock: begin the migration with ${lockTimeout}`, ...complaints];
};

/** A new migration as Prisma writes it, with the limit of the wait for locks. */
export const withLimitedLockWait = (sql: string): string => `${lockTimeout};\n\n${sql}`;
