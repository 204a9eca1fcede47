import type pg from 'pg';
import type { Query, SqlType } from '../../src/db/query.ts';

// Compares the declared types of a named query with those that PostgreSQL reports for it in a migrated database.
// PostgreSQL proves that a column is never null if it is a plain `not null` column of a table that no outer join can
// leave out. Every other column must be declared `.orNull`, or `.checked`: then each row is checked at run time.

interface Description {
  parameterTypeIds: number[];
  /** `tableID` and `columnID` say which column of a table is returned; they are 0 for another expression. */
  columns: pg.FieldDef[];
}

/** Has PostgreSQL parse a statement and describe it, without running it. */
const describe = (client: pg.Client, text: string): Promise<Description> => {
  const { promise, resolve, reject } = Promise.withResolvers<Description>();
  const found: Description = { parameterTypeIds: [], columns: [] };
  client.query({
    submit(connection) {
      connection.removeAllListeners('parameterDescription');
      connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
        found.parameterTypeIds = dataTypeIDs;
      });
      connection.parse({ name: '', text, types: [] }, true);
      connection.describe({ type: 'S', name: '' }, true);
      connection.sync();
    },
    handleRowDescription({ fields }: { fields: pg.FieldDef[] }) {
      found.columns = fields;
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(found),
  });
  return promise;
};

interface PlanNode {
  'Join Type'?: string;
  'Node Type': string;
  'Relation Name'?: string;
  'CTE Name'?: string;
  'Subplan Name'?: string;
  'Parent Relationship'?: string;
  Plans?: PlanNode[];
}

const childrenOf = (node: PlanNode): PlanNode[] => node.Plans ?? [];

/** The sides of a join whose rows may be missing. */
const missingSides: Readonly<Record<string, readonly string[]>> = {
  Left: ['Inner'],
  Right: ['Outer'],
  Full: ['Inner', 'Outer'],
};

/** The tables whose rows an outer join of the plan may fill with nulls. */
const tablesBehindOuterJoins = (plan: PlanNode): Set<string> => {
  const parts = new Map<string, PlanNode>();
  const note = (node: PlanNode): void => {
    const [, name] = /^CTE (.*)$/.exec(node['Subplan Name'] ?? '') ?? [];
    if (name !== undefined) parts.set(name, node);
    childrenOf(node).forEach(note);
  };
  note(plan);

  const missing = new Set<string>();
  const addAll = (node: PlanNode, seen: ReadonlySet<string>): void => {
    if (node['Relation Name'] !== undefined) missing.add(node['Relation Name']);
    const name = node['CTE Name'];
    const part = name === undefined ? undefined : parts.get(name);
    if (name !== undefined && part && !seen.has(name)) addAll(part, new Set([...seen, name]));
    for (const child of childrenOf(node)) addAll(child, seen);
  };
  const walk = (node: PlanNode): void => {
    const sides = missingSides[node['Join Type'] ?? ''] ?? [];
    for (const child of childrenOf(node)) {
      if (sides.includes(child['Parent Relationship'] ?? '')) addAll(child, new Set());
      walk(child);
    }
  };
  walk(plan);
  return missing;
};

interface TypeRow {
  id: number;
  name: string;
  labels: string[] | null;
}

interface ColumnRow {
  table_id: number;
  place: number;
  table_name: string;
  not_null: boolean;
}

/** Reads all types, and which table columns are never null, once for all queries. */
const readTypes = async (client: pg.Client): Promise<Map<number, TypeRow>> => {
  const { rows } = await client.query<TypeRow>(
    `select t.oid::int as id, format_type(t.oid, null) as name,
            (select array_agg(enumlabel::text order by enumsortorder) from pg_enum where enumtypid = t.oid) as labels
       from pg_type t`,
  );
  return new Map(rows.map((row) => [row.id, row]));
};

const readColumns = async (client: pg.Client): Promise<Map<string, ColumnRow>> => {
  const { rows } = await client.query<ColumnRow>(
    `select a.attrelid::int as table_id, a.attnum as place, a.attnotnull as not_null,
            a.attrelid::regclass::text as table_name
       from pg_attribute a join pg_class t on t.oid = a.attrelid
      where a.attnum > 0 and t.relkind = 'r'`,
  );
  return new Map(rows.map((row) => [`${row.table_id}.${row.place}`, row]));
};

const unquoted = (name: string): string => name.replaceAll('"', '');

const typeFlaw = (what: string, declared: SqlType<unknown>, found: TypeRow | undefined): string[] => {
  if (!found) return [`${what}: PostgreSQL's type has no name`];
  if (!declared.names.includes(unquoted(found.name))) {
    return [`${what} is ${found.name}, declared as ${declared.names.join(' or ')}`];
  }
  const { labels } = declared;
  if (labels && labels.toSorted().join() !== (found.labels ?? []).toSorted().join()) {
    return [`${what} has the labels ${found.labels?.join(', ')}, declared are ${labels.join(', ')}`];
  }
  return [];
};

/** The differences between the declarations of named queries and a migrated database, one line each. */
export const flawsOf = async (client: pg.Client, queries: readonly Query[]): Promise<string[]> => {
  const [types, columns] = [await readTypes(client), await readColumns(client)];

  const judge = async (query: Query): Promise<string[]> => {
    const { parameterTypeIds, columns: described } = await describe(client, query.text);
    const parameters = query.order.flatMap((name, index) => {
      const declared = query.parameters[name];
      return declared ? typeFlaw(`:${name}`, declared, types.get(parameterTypeIds[index] ?? 0)) : [];
    });

    const names = described.map(({ name }) => name);
    const absent = Object.keys(query.row).filter((name) => !names.includes(name));
    const surplus = names.filter((name, index) => !(name in query.row) || names.indexOf(name) !== index);
    const flaws = [
      ...parameters,
      ...absent.map((name) => `there is no column ${name}`),
      ...surplus.map((name) => `the column ${name} is not declared, or comes twice`),
    ];

    const missing = await behindOuterJoins(query);
    for (const { name, dataTypeID, tableID, columnID } of described) {
      const declared = query.row[name];
      if (!declared) continue;
      flaws.push(...typeFlaw(`column ${name}`, declared, types.get(dataTypeID)));
      if (declared.nullable) continue;
      const origin = columns.get(`${tableID}.${columnID}`);
      const proven = origin?.not_null === true && !missing.has(unquoted(origin.table_name));
      if (!proven && !declared.examined) {
        flaws.push(`column ${name}: PostgreSQL can't prove that it is never null; declare it .orNull or .checked`);
      }
      if (proven && declared.examined) flaws.push(`column ${name} is never null: .checked is not needed`);
    }
    return flaws;
  };

  const behindOuterJoins = async ({ text, row }: Query): Promise<Set<string>> => {
    if (Object.keys(row).length === 0 || !/\b(?:left|right|full)\s+(?:outer\s+)?join\b/i.test(text)) return new Set();
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
    return plan ? tablesBehindOuterJoins(plan.Plan) : new Set();
  };

  const flaws: string[] = [];
  for (const query of queries) {
    const found = await judge(query).catch((error: unknown) => [
      `PostgreSQL refuses it: ${error instanceof Error ? error.message : String(error)}`,
    ]);
    flaws.push(...found.map((flaw) => `${query.name}: ${flaw}`));
  }
  return flaws;
};
