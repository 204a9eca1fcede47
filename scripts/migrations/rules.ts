import { loadModule, parseSync } from 'libpg-query';
import type { AlterTableCmd, ColumnDef, Constraint, Node, RangeVar } from 'libpg-query';

// A migration runs while the former version of the service still works on the database, and its transactions wait for no one. So
// it only adds, and it holds no lock that lets requests wait. PostgreSQL's own parser reads the SQL; whatever is not known to be
// harmless is refused.

/** What a statement is about, for those in front of it and behind it. */
interface Context {
  /** Tables that the migration itself makes: nobody uses them yet. */
  readonly made: Set<string>;
  /** Constraints that it adds. */
  readonly added: Set<string>;
  /** Columns, as `table.column`, that earlier migrations have proven to be never null, by a check. */
  readonly neverNull: ReadonlySet<string>;
  hasLockTimeout: boolean;
  readonly isAlone: boolean;
}

interface Statement {
  readonly node: Node;
  /** The comments in front of it. */
  readonly comments: string;
  readonly text: string;
}

const reasonCharacters = 20;

/** Cuts a script into statements. The parser counts in bytes; comments stand between the end of a statement and the next one. */
const statementsOf = (sql: string): Statement[] => {
  const bytes = Buffer.from(sql);
  let end = 0;
  return (parseSync(sql).stmts ?? []).flatMap(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    const text = bytes.subarray(start, length === undefined ? undefined : start + length).toString();
    const comments = `${bytes.subarray(end, start).toString()}${/^(?:\s|--[^\n]*(?:\n|$))*/.exec(text)?.[0] ?? ''}`;
    end = length === undefined ? bytes.length : start + length;
    return stmt ? [{ node: stmt, comments, text: text.trim() }] : [];
  });
};

const nameOf = (table: RangeVar | undefined): string => table?.relname ?? '';

const lowLevelTypes = new Set(['serial', 'bigserial', 'smallserial']);
/** Evaluated once for the whole table: a default with one of these rewrites no row. */
const stableFunctions = new Set(['now', 'statement_timestamp', 'transaction_timestamp']);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The names of all functions that an expression calls. */
const functionsIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(functionsIn);
  if (!isRecord(value)) return [];
  const own = isRecord(value['FuncCall']) ? value['FuncCall']['funcname'] : undefined;
  const parts = Array.isArray(own) ? own : [];
  const last: unknown = parts.at(-1);
  const text = isRecord(last) && isRecord(last['String']) ? last['String']['sval'] : undefined;
  return [...(typeof text === 'string' ? [text] : []), ...Object.values(value).flatMap(functionsIn)];
};

const constraintsOf = (column: ColumnDef): Constraint[] =>
  (column.constraints ?? []).flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));

/** What is wrong with a column that a table gets while it is used. */
const judgeColumn = (column: ColumnDef): string[] => {
  const constraints = constraintsOf(column);
  const has = (type: Constraint['contype']) => constraints.some(({ contype }) => contype === type);
  const typeNames = (column.typeName?.names ?? []).flatMap((node) =>
    'String' in node ? [node.String.sval ?? ''] : [],
  );
  const standard = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  const stored = constraints.some((one) => one.contype === 'CONSTR_GENERATED' && one.generated_kind !== 'v');
  const complaints: string[] = [];
  if (has('CONSTR_NOTNULL') && !standard)
    complaints.push('a column that is not null needs a default: former processes do not fill it');
  if (functionsIn(standard).some((name) => !stableFunctions.has(name)))
    complaints.push('a volatile default rewrites the whole table: add the column, then set the default');
  if (typeNames.some((name) => lowLevelTypes.has(name)) || has('CONSTR_IDENTITY') || stored)
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
  'AT_ColumnDefault',
  'AT_DropConstraint',
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
};

const judgeChange = (
  { subtype = 'AT_AddColumn', name = '', def }: AlterTableCmd,
  table: string,
  context: Context,
): string[] => {
  if (subtype === 'AT_AddColumn') return def && 'ColumnDef' in def ? judgeColumn(def.ColumnDef) : [];
  if (subtype === 'AT_AddConstraint') {
    if (!def || !('Constraint' in def)) return [];
    context.added.add(`${table}.${def.Constraint.conname ?? ''}`);
    return judgeConstraint(def.Constraint);
  }
  if (subtype === 'AT_SetNotNull') {
    return context.neverNull.has(`${table}.${name}`)
      ? []
      : ['examines every row under a lock: an earlier migration has to add and validate a check (… IS NOT NULL)'];
  }
  if (subtype === 'AT_ValidateConstraint') {
    return context.added.has(`${table}.${name}`)
      ? ['validates under the lock of the statement that added it: do it in a later migration']
      : [];
  }
  if (harmlessChanges.has(subtype)) return [];
  return [refusedChanges[subtype] ?? `${subtype} is not known to be harmless`];
};

/** The tables that a new table refers to: their lock is taken, for a moment. */
const referencedBy = (elements: readonly Node[]): string[] =>
  elements
    .flatMap((node) => {
      if ('Constraint' in node) return [node.Constraint];
      return 'ColumnDef' in node ? constraintsOf(node.ColumnDef) : [];
    })
    .flatMap(({ pktable }) => (pktable ? [nameOf(pktable)] : []));

/** Whether a statement waits for the lock of a table that is in use. */
const locksTable = (node: Node, { made }: Context): boolean => {
  const inUse = (table: string) => table !== '' && !made.has(table);
  if ('CreateStmt' in node) return referencedBy(node.CreateStmt.tableElts ?? []).some(inUse);
  if ('CreateTrigStmt' in node) return inUse(nameOf(node.CreateTrigStmt.relation));
  if (!('AlterTableStmt' in node)) return false;
  const { relation, cmds = [] } = node.AlterTableStmt;
  const referenced = cmds.flatMap((cmd) =>
    'AlterTableCmd' in cmd && cmd.AlterTableCmd.def ? referencedBy([cmd.AlterTableCmd.def]) : [],
  );
  return [nameOf(relation), ...referenced].some(inUse);
};

const alone = 'CONCURRENTLY does not work in a transaction: it has to be the only statement of its migration';

const judge = (node: Node, context: Context): string[] => {
  const { made, isAlone } = context;
  if ('VariableSetStmt' in node) {
    const { name, args: [value] = [] } = node.VariableSetStmt;
    const isZero = value !== undefined && /"(?:sval|ival)":\{"?(?:sval|ival)?"?:?"?0*"?\}/.test(JSON.stringify(value));
    if (name === 'lock_timeout') context.hasLockTimeout = !isZero;
    return [];
  }
  if ('CreateStmt' in node) {
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
    return cmds.flatMap((cmd) => ('AlterTableCmd' in cmd ? judgeChange(cmd.AlterTableCmd, table, context) : []));
  }
  if ('DropStmt' in node) {
    const { removeType = '', concurrent = false } = node.DropStmt;
    if (removeType === 'OBJECT_INDEX' && concurrent) return isAlone ? [] : [alone];
    return [`former processes may still use what is dropped (${removeType.replace('OBJECT_', '').toLowerCase()})`];
  }
  if ('RenameStmt' in node) return ['former processes still use the former name'];
  if ('UpdateStmt' in node || 'DeleteStmt' in node) {
    const { relation } = 'UpdateStmt' in node ? node.UpdateStmt : node.DeleteStmt;
    return made.has(nameOf(relation)) ? [] : ['locks rows until all are written: let a job do it in batches'];
  }
  if ('InsertStmt' in node) {
    const { relation, selectStmt } = node.InsertStmt;
    const isShort =
      selectStmt !== undefined && 'SelectStmt' in selectStmt && selectStmt.SelectStmt.valuesLists !== undefined;
    return isShort || made.has(nameOf(relation))
      ? []
      : ['may insert very many rows in one transaction: let a job do it in batches'];
  }
  if ('AlterEnumStmt' in node)
    return node.AlterEnumStmt.oldVal === undefined ? [] : ['former processes still use the former value'];
  const isHarmless = [
    'CommentStmt',
    'CreateEnumStmt',
    'CreateFunctionStmt',
    'CreateSeqStmt',
    'CreateTrigStmt',
    'ViewStmt',
  ];
  const [kind = ''] = Object.keys(node);
  return isHarmless.includes(kind) ? [] : [`${kind} is not known to be harmless`];
};

/** `table.column` where a migration has proven by a validated check that the column is never null. */
const provenIn = (migrations: readonly string[]): Set<string> => {
  const columnOf = new Map<string, string>();
  const proven = new Set<string>();
  for (const { node } of migrations.flatMap(statementsOf)) {
    if (!('AlterTableStmt' in node)) continue;
    const table = nameOf(node.AlterTableStmt.relation);
    for (const cmd of node.AlterTableStmt.cmds ?? []) {
      if (!('AlterTableCmd' in cmd)) continue;
      const { subtype, name = '', def } = cmd.AlterTableCmd;
      if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def) {
        const [, column] =
          /"NullTest":\{"arg":\{"ColumnRef":\{"fields":\[\{"String":\{"sval":"(\w+)"\}\}\].*IS_NOT_NULL/.exec(
            JSON.stringify(def.Constraint.raw_expr ?? {}),
          ) ?? [];
        if (column !== undefined) columnOf.set(`${table}.${def.Constraint.conname ?? ''}`, `${table}.${column}`);
      }
      const validated = subtype === 'AT_ValidateConstraint' ? columnOf.get(`${table}.${name}`) : undefined;
      if (validated !== undefined) proven.add(validated);
    }
  }
  return proven;
};

/** Has to be awaited once before anything is judged. */
export const loadParser = loadModule;

/** What in a migration is not fit to run beside the former version, a line for each complaint. `earlier`: the migrations before it. */
export const complaintsAbout = (sql: string, earlier: readonly string[] = []): string[] => {
  const statements = statementsOf(sql);
  const context: Context = {
    made: new Set(),
    added: new Set(),
    neverNull: provenIn(earlier),
    hasLockTimeout: false,
    isAlone: statements.length === 1,
  };
  return statements.flatMap(({ node, comments, text }) => {
    const found = judge(node, context);
    if (locksTable(node, context) && !context.hasLockTimeout)
      found.push("waits for a lock, and requests behind it: begin the migration with SET LOCAL lock_timeout = '3s'");
    const [, reason] = /^--\s*exception:\s*(.*)$/m.exec(comments) ?? [];
    const line = text.split('\n', 1)[0]?.slice(0, 100) ?? '';
    if (reason === undefined) return found.map((complaint) => `${line}: ${complaint}`);
    if (reason.trim().length < reasonCharacters) return [`${line}: its exception gives no reason`];
    return found.length === 0 ? [`${line}: its exception is not needed`] : [];
  });
};
