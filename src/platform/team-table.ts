import { z } from 'zod';
import { snakeName } from '../core/spelling.ts';
import { runIn, type Database, type Tx } from '../db/database.ts';
import { bool, listOf, query, text, uuid } from '../db/query.ts';

// Each table with a team's data is declared in the store of the module that owns it. The declaration says how the
// team's export reads the table in pages, and how the erasure of a person replaces this person in its texts. A test
// compares the declarations with the database.

/** The SQL types of key columns. Each has a value that sorts before all others, where a walk starts. */
const beforeAll = {
  uuid: '00000000-0000-0000-0000-000000000000',
  date: '-infinity',
  timestamptz: '-infinity',
  text: '',
} as const;

/** Columns have the names of Prisma: `userId`. The export has those of the database: `user_id`. */
interface TeamTableDeclaration {
  table: string;
  /** The file in the export, by default the table's name in the plural. */
  file?: string;
  /** The columns of the index by which the table is read in pages, without the team's id. By default `id`. */
  key?: Readonly<Record<string, keyof typeof beforeAll>>;
  /** The column with the team's id. */
  tenant?: string;
  /**
   * How many rows a page has at most. Its bytes are limited too; the size of all these rows is read to find the page's
   * end.
   */
  pageRows?: number;
  /** A column with the size of a row's texts in bytes. Absent: the size is computed. */
  size?: string;
  /** Ids, numbers, enums, days, lists of them, and texts of a fixed vocabulary. */
  values?: readonly string[];
  times?: readonly string[];
  /**
   * Texts that people wrote, or that name a person. The number, if there is one, is the length of the longest text that
   * the column may hold.
   */
  texts?: readonly (string | readonly [column: string, max: number])[];
  /** Columns with unique texts. A text that names the person is replaced as a whole by another unique text. */
  names?: readonly string[];
  /** Columns with JSON that may contain texts like those of `texts`. */
  json?: readonly string[];
  /**
   * Columns that become null in a row that names the person, if an SQL condition is true. In the condition `:any`
   * matches the person, and the table is `t`.
   */
  cleared?: Readonly<Record<string, string>>;
  /** Like `cleared`, for a member of the column's JSON: the member's name, and the condition. */
  clearedIn?: Readonly<Record<string, { readonly member: string; readonly when: string }>>;
  /** Columns that are not exported, with the reason. */
  leftOut?: Readonly<Record<string, string>>;
  /** SQL for columns that the export shows in another form, and for additional columns. The table is `t`. */
  shownAs?: Readonly<Record<string, string>>;
  /** A join that the SQL in `shownAs` needs. */
  join?: string;
}

/** Runs a named query, in a transaction or outside of one. */
export type RunQuery = Database['run'];

/** Where a walk through a table stopped: the key of the last row, as text. */
export type TablePosition = readonly string[];

const readPosition = (json: string): TablePosition => z.array(z.string()).parse(JSON.parse(json));

/** A page of a table for the export. */
interface ReadPage {
  lines: string[];
  /** The position where the next page starts; undefined at the end of the table. */
  next: TablePosition | undefined;
}

/** Replaces an address or a name in texts. */
export const erasedMark = '[erased]';

/**
 * PostgreSQL regular expressions with their replacements (`\1` is the first group), and one expression (`any`) that
 * matches if any of them does.
 */
export interface Replacements {
  texts: { patterns: string[]; replacements: string[] };
  /** Like `texts`, for texts in JSON, which stays valid. */
  json: { patterns: string[]; replacements: string[] };
  any: string;
  /**
   * Patterns for LIKE: a text that matches `any` also matches one of them. LIKE takes a fraction of the time of `any`.
   */
  likely: string[];
}

/** The result of one step of an erasure. */
interface ReplaceResult {
  /** The position where the next step starts; undefined at the end of the table. */
  next: TablePosition | undefined;
  /** The last column of the key of each changed row, as text. */
  changed: string[];
}

/** How many bytes of texts a batch of an erasure searches, which takes tens of milliseconds. */
const searchedBytes = 1024 * 1024;
/**
 * An erasure's batch also ends when the texts with a match have this many bytes. Replacing is slower than searching: it
 * takes up to a second in a text that repeats the name thousands of times.
 */
const erasedBytes = 32 * 1024;
/** A page of the export ends with the row at which it has this many bytes, because it is held in memory. */
const exportedBytes = 4 * 1024 * 1024;

const quote = (column: string): string => `"${column}"`;

const inSnakeCase = <Value>(columns: Readonly<Record<string, Value>> = {}): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(columns).map(([column, value]) => [snakeName(column), value]));

const utc = (column: string): string =>
  `to_char(t.${quote(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * SQL for a text in which each match of a list of regular expressions is replaced by the element at the same place in
 * another list. Upper and lower case are not distinguished.
 */
export const replacedText = (value: string, patterns: string, replacements: string): string =>
  `(with recursive step (n, value) as (
      select 1, ${value}
      union all
      select n + 1, regexp_replace(value, (${patterns})[n], (${replacements})[n], 'gi') from step where n <= cardinality(${patterns}))
    select value from step order by n desc limit 1)`;

/** The columns of a table by their names in the database, and the parts of SQL that contain them. */
const layoutOf = ({ table, pageRows = 1_000, size, ...declared }: TeamTableDeclaration) => {
  const tenant = snakeName(declared.tenant ?? 'tenantId');
  const key = inSnakeCase(declared.key ?? { id: 'uuid' });
  const values = (declared.values ?? []).map(snakeName);
  const times = (declared.times ?? []).map(snakeName);
  const names = (declared.names ?? []).map(snakeName);
  const json = (declared.json ?? []).map(snakeName);
  const cleared = inSnakeCase(declared.cleared);
  const clearedIn = inSnakeCase(declared.clearedIn);
  const leftOut = inSnakeCase(declared.leftOut);
  const shownAs = inSnakeCase(declared.shownAs);
  const textColumns = (declared.texts ?? []).map((column) =>
    typeof column === 'string' ? { column: snakeName(column) } : { column: snakeName(column[0]), max: column[1] },
  );
  const textual = [...textColumns.map(({ column }) => column), ...names, ...json];
  const shown = [...values, ...times, ...textual];
  const keys = Object.entries(key);
  const keyColumns = keys.map(([column]) => `t.${quote(column)}`).join(', ');
  // A position is a list of texts. Enums are declared as `text`, and the cast makes their order that of their texts.
  const order = keys.map(([column, type]) => `t.${quote(column)}${type === 'text' ? '::text' : ''}`).join(', ');
  const isAfter = `(${order})
    > (${keys.map(([, type], n) => `(:after::text[])[${n + 1}]::${type}`).join(', ')})`;
  const ofTeam = `t.${quote(tenant)} = :tenantId`;
  const searched = textual.map((column) => `t.${quote(column)}::text`);
  const sizes = searched.map((value) => `coalesce(octet_length(${value}), 0)`);
  const rowSize = size === undefined ? ['0', ...sizes].join(' + ') : `t.${quote(snakeName(size))}`;
  /**
   * The next rows after a position. `before_` has the bytes of the rows before a row. The rows with `before_` below a
   * limit are a page, which has at least one row.
   */
  const nextRows = `from (select t.*, sum(t.size_) over (order by ${order} rows unbounded preceding) - t.size_ as before_
             from (select t.*, ${rowSize} as size_ from ${quote(table)} t
                    where ${ofTeam} and ${isAfter} order by ${order} limit ${pageRows}) as t) as t`;
  const position = `json_build_array(${keys.map(([column]) => `t.${quote(column)}::text`).join(', ')})::text`;
  const start: TablePosition = keys.map(([, type]) => beforeAll[type]);

  return {
    table,
    pageRows,
    times,
    names,
    json,
    cleared,
    clearedIn,
    leftOut,
    shownAs,
    textColumns,
    textual,
    shown,
    keys,
    keyColumns,
    order,
    ofTeam,
    searched,
    nextRows,
    position,
    start,
  };
};

type Layout = ReturnType<typeof layoutOf>;

/** The statement that reads a page of the export. */
const pageQuery = ({ table, times, json, shownAs, shown, order, nextRows, position }: Layout, join: string) => {
  const expressionOf = (column: string): string =>
    shownAs[column] ??
    (times.includes(column) ? utc(column) : `t.${quote(column)}${json.includes(column) ? '::json' : ''}`);
  const selected = [...new Set([...shown, ...Object.keys(shownAs)])]
    .map((column) => `${expressionOf(column)} as ${quote(column)}`)
    .join(', ');

  return query({
    name: `tables.export ${table}`,
    why: 'reads rows as JSON text, so that no number loses digits, and continues after any key',
    sql: `select row_to_json((select shown from (select ${selected}) as shown))::text as json, ${position} as position,
                 t.before_ + t.size_ >= ${exportedBytes} as full
            ${nextRows} ${join}
           where t.before_ < ${exportedBytes}
           order by ${order}`,
    parameters: { tenantId: uuid, after: listOf(text) },
    row: { json: text.checked, position: text.checked, full: bool.checked },
  });
};

/** The assignments with which an erasure changes a row in which it has found the person. */
const assignmentsOf = ({ names, json, cleared, clearedIn, textColumns, keys }: Layout): string[] => {
  const erased = (value: string, kind: 'text' | 'json') =>
    replacedText(value, `(select ${kind}_patterns from wanted)`, `(select ${kind}_replacements from wanted)`);
  return [
    ...textColumns.map(({ column, max }) => {
      const replaced = erased(`t.${quote(column)}`, 'text');
      return `${quote(column)} = ${max === undefined ? replaced : `left(${replaced}, ${max})`}`;
    }),
    ...names.map(
      (column) =>
        `${quote(column)} = case when t.${quote(column)} ~* :any then '${erasedMark}' || ${keys.map(([column]) => `' ' || t.${quote(column)}::text`).join(' || ')} else t.${quote(column)} end`,
    ),
    ...Object.entries(cleared).map(
      ([column, condition]) => `${quote(column)} = case when ${condition} then null else t.${quote(column)} end`,
    ),
    ...json.map((column) => {
      const replaced = `${erased(`t.${quote(column)}::text`, 'json')}::json`;
      const { member, when } = clearedIn[column] ?? {};
      if (when === undefined) return `${quote(column)} = ${replaced}`;
      return `${quote(column)} = case when ${when} then jsonb_set((${replaced})::jsonb, '{${member}}', 'null')::json else ${replaced} end`;
    }),
  ];
};

/** The statement that replaces a person in the next rows; undefined if the table has no texts. */
const replaceQuery = (layout: Layout) => {
  const { table, keys, keyColumns, order, ofTeam, searched, nextRows, position } = layout;
  const assignments = assignmentsOf(layout);
  if (assignments.length === 0) return undefined;
  // In tables with texts, the last column of the key is unique within a team.
  const rowKey = quote(keys.at(-1)?.[0] ?? '');
  return query({
    name: `tables.erase ${table}`,
    why: 'replaces texts in the rows after a key, a bounded number at a time',
    // Rows are found by lists of keys and not by joins, because a join could be planned to read all rows of the
    // team.
    sql: `with wanted as materialized (
            select :textPatterns::text[] as text_patterns, :textReplacements::text[] as text_replacements,
                   :jsonPatterns::text[] as json_patterns, :jsonReplacements::text[] as json_replacements),
          searched as materialized (
            select ${keyColumns}, t.size_, case when lower(t.content_) like any (array(select lower(p) from unnest(:likely::text[]) p))
                                       then t.content_ ~* :any::text else false end as found
              from (select t.*, concat_ws(chr(10), ${searched.join(', ')}) as content_
                      ${nextRows} where t.before_ < ${searchedBytes} offset 0) as t),
          page as materialized (
            select * from (
              select t.*, sum(t.size_) filter (where t.found)
                            over (order by ${order} rows between unbounded preceding and 1 preceding) as found_before
                from searched t) as t
             where coalesce(t.found_before, 0) < ${erasedBytes}),
          hit as materialized (
            select t.${rowKey} from ${quote(table)} t
             where ${ofTeam} and t.${rowKey} = any (array(select ${rowKey} from page where found))
             order by t.${rowKey} for no key update),
          changed as (
            update ${quote(table)} t set ${assignments.join(', ')}
             where ${ofTeam} and t.${rowKey} = any (array(select ${rowKey} from hit))
            returning t.${rowKey}::text as key)
          select array(select key from changed) as changed,
                 (select ${position} from page t order by ${keys.map(([column]) => `t.${quote(column)} desc`).join(', ')} limit 1) as position`,
    parameters: {
      tenantId: uuid,
      after: listOf(text),
      textPatterns: listOf(text),
      textReplacements: listOf(text),
      jsonPatterns: listOf(text),
      jsonReplacements: listOf(text),
      any: text,
      likely: listOf(text),
    },
    row: { changed: listOf(text).checked, position: text.orNull },
  });
};

export const teamTable = ({ file, join = '', ...declared }: TeamTableDeclaration) => {
  const layout = layoutOf(declared);
  const { table, pageRows, leftOut, textual, shown, start } = layout;
  const page = pageQuery(layout, join);
  const replace = replaceQuery(layout);

  return {
    table,
    file: file ?? `${table}s.json`,
    /** The exported columns. */
    shown,
    leftOut,
    /** The columns that an erasure searches. */
    searched: textual,

    /** A page of lines of JSON, one for each row, after a position. */
    async read(run: RunQuery, tenantId: string, after: TablePosition = start): Promise<ReadPage> {
      const found = await run(page, { tenantId, after });
      const last = found.at(-1);
      const isEnd = found.length < pageRows && !last?.full;
      return { lines: found.map((row) => row.json), next: last && !isEnd ? readPosition(last.position) : undefined };
    },

    /** Replaces a person in the next rows after a position. */
    async replace(tx: Tx, tenantId: string, wanted: Replacements, after: TablePosition): Promise<ReplaceResult> {
      if (!replace) return { next: undefined, changed: [] };
      const found = await runIn(tx, replace, {
        tenantId,
        after: after.length === 0 ? start : after,
        textPatterns: wanted.texts.patterns,
        textReplacements: wanted.texts.replacements,
        jsonPatterns: wanted.json.patterns,
        jsonReplacements: wanted.json.replacements,
        any: wanted.any,
        likely: wanted.likely,
      });
      const { changed = [], position: last = null } = found[0] ?? {};
      return { next: last === null ? undefined : readPosition(last), changed };
    },
  };
};

export type TeamTable = ReturnType<typeof teamTable>;
