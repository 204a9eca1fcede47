import type { AlterTableCmd, ColumnDef, Constraint, ConstrType, Node, RangeVar } from 'libpg-query';

// The part of the database schema that the rules use: the kinds of constraints and indexes by name, and the nullable columns. The rules
// refuse changes to anything that is not found here.

/** A table of another schema, or a temporary one, is not the service's table of the same name. */
export const nameOf = ({ relname = '', schemaname, relpersistence }: RangeVar = {}): string => {
  const schema = relpersistence === 't' ? 'pg_temp' : (schemaname ?? 'public');
  return schema === 'public' ? relname : `${schema}.${relname}`;
};

export const constraintsOf = (column: ColumnDef): Constraint[] =>
  (column.constraints ?? []).flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));

const stringsIn = (nodes: readonly Node[] = []): string[] =>
  nodes.flatMap((node) => ('String' in node ? [node.String.sval ?? ''] : []));

/** The columns that can't be null if the condition holds. Only AND proves all of its parts; OR proves nothing. */
const provenBy = (condition: Node | undefined): string[] => {
  if (!condition) return [];
  if ('BoolExpr' in condition)
    return condition.BoolExpr.boolop === 'AND_EXPR' ? (condition.BoolExpr.args ?? []).flatMap(provenBy) : [];
  if (!('NullTest' in condition) || condition.NullTest.nulltesttype !== 'IS_NOT_NULL') return [];
  const { arg } = condition.NullTest;
  return arg && 'ColumnRef' in arg ? stringsIn(arg.ColumnRef.fields) : [];
};

interface KnownConstraint {
  readonly type: ConstrType | undefined;
  readonly proves: readonly string[];
  isValid: boolean;
}

export class Schema {
  private readonly constraints = new Map<string, Map<string, KnownConstraint>>();
  private readonly indexes = new Map<string, { isUnique: boolean }>();
  private readonly nullable = new Set<string>();

  constraintType(table: string, name: string): ConstrType | undefined {
    return this.constraints.get(table)?.get(name)?.type;
  }

  index(name: string): { isUnique: boolean } | undefined {
    return this.indexes.get(name);
  }

  mayBeNull(table: string, column: string): boolean {
    return this.nullable.has(`${table}.${column}`);
  }

  /** Whether a validated check proves that a column is never null, without the constraints that are dropped at the same time. */
  isNeverNull(table: string, column: string, dropped: readonly string[]): boolean {
    return [...(this.constraints.get(table) ?? [])].some(
      ([name, { isValid, proves }]) => isValid && proves.includes(column) && !dropped.includes(name),
    );
  }

  /** Applies a statement to this schema. */
  apply(node: Node): void {
    if ('CreateStmt' in node) {
      const table = nameOf(node.CreateStmt.relation);
      const elements = node.CreateStmt.tableElts ?? [];
      for (const element of elements) if ('ColumnDef' in element) this.addColumn(table, element.ColumnDef);
      for (const element of elements) if ('Constraint' in element) this.addConstraint(table, element.Constraint);
    }
    if ('IndexStmt' in node)
      this.indexes.set(node.IndexStmt.idxname ?? '', { isUnique: node.IndexStmt.unique === true });
    if ('AlterTableStmt' in node) {
      const table = nameOf(node.AlterTableStmt.relation);
      for (const cmd of node.AlterTableStmt.cmds ?? [])
        if ('AlterTableCmd' in cmd) this.change(table, cmd.AlterTableCmd);
    }
  }

  private change(table: string, { subtype = 'AT_AddColumn', name = '', def }: AlterTableCmd): void {
    const column = `${table}.${name}`;
    const constraint = this.constraints.get(table)?.get(name);
    if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) this.addColumn(table, def.ColumnDef);
    if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def) this.addConstraint(table, def.Constraint);
    if (subtype === 'AT_ValidateConstraint' && constraint) constraint.isValid = true;
    if (subtype === 'AT_DropConstraint') this.constraints.get(table)?.delete(name);
    if (subtype === 'AT_DropNotNull') this.nullable.add(column);
    if (subtype === 'AT_SetNotNull') this.nullable.delete(column);
  }

  private addColumn(table: string, definition: ColumnDef): void {
    const { colname = '' } = definition;
    const constraints = constraintsOf(definition);
    const isNotNull = constraints.some(({ contype = '' }) =>
      ['CONSTR_NOTNULL', 'CONSTR_PRIMARY', 'CONSTR_IDENTITY'].includes(contype),
    );
    if (!isNotNull) this.nullable.add(`${table}.${colname}`);
    for (const constraint of constraints) this.addConstraint(table, constraint);
  }

  private addConstraint(table: string, constraint: Constraint): void {
    const { contype, conname, keys, raw_expr: condition, initially_valid: isValid = false } = constraint;
    if (contype === 'CONSTR_PRIMARY' || contype === 'CONSTR_NOTNULL')
      for (const key of stringsIn(keys)) this.nullable.delete(`${table}.${key}`);
    if (conname === undefined) return;
    const ofTable = this.constraints.get(table) ?? new Map<string, KnownConstraint>();
    const proves = contype === 'CONSTR_CHECK' ? provenBy(condition) : [];
    this.constraints.set(table, ofTable.set(conname, { type: contype, proves, isValid }));
  }
}
