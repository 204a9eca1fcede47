import { z } from 'zod';
import { runIn } from '../db/database.ts';
import type { Tx } from '../db/database.ts';
import { float, int, listOf, query, text, uuid } from '../db/query.ts';
import type { ParametersOf, Query, RowOf } from '../db/query.ts';

// What every table of a team's data has in common: it can be read in pages for the team's export, and one person can be replaced in its
// texts. A table is declared in its owner's store, a name for each column; a test compares the declarations with the database.

/** SQL types of key columns, each with a value that sorts before all others: a walk starts there. */
const beforeAll = {
  uuid: '00000000-0000-0000-0000-000000000000',
  date: '-infinity',
  timestamptz: '-infinity',
  text: '',
} as const;

interface Declaration {
  /** The module that owns the table. */
  module: string;
  /** `from` and the table's name. */
  rows: string;
  /** The file in the export; absent: the export leaves the table out. */
  file?: string;
  /** The columns after the team's id in the index by which the table is read in pages. */
  key: Readonly<Record<string, keyof typeof beforeAll>>;
  /** The column with the team's id. */
  tenant?: string;
  /** Rows of a page. Few where a row may be large: a page is held in memory. */
  pageRows?: number;
  /** Ids, numbers, enums, days, lists of them, and texts of a fixed vocabulary. */
  values?: readonly string[];
  times?: readonly string[];
  /** Texts that somebody wrote, or that name a person. With a number: the most characters that the column may hold. */
  texts?: readonly (string | readonly [column: string, most: number])[];
  /** Unique texts. One that names the person is replaced as a whole, by another unique text. */
  names?: readonly string[];
  /** JSON that may hold such texts. */
  json?: readonly string[];
  /** Columns that the export leaves out, with the reason. */
  leftOut?: Readonly<Record<string, string>>;
  /** Other SQL for what the export shows of a column of `t`; more columns, too. */
  shownAs?: Readonly<Record<string, string>>;
  /** A table to join for them. */
  join?: string;
  /** Whether rows count for the team's storage (`stored_bytes`). */
  counted?: boolean;
}

/** Runs a named query: in a transaction, or in the team's turn. */
export type Run = <Parameters extends Query['parameters'], Columns extends Query['row']>(
  query: Query<Parameters, Columns>,
  parameters: ParametersOf<Parameters>,
) => Promise<RowOf<Columns>[]>;

/** Where a walk through a table stopped: the key of the last row, as text. */
export type Position = readonly string[];

const readPosition = (json: string): Position => z.array(z.string()).parse(JSON.parse(json));

/** A page of a table for the export. */
interface ReadPage {
  lines: string[];
  /** Where to go on; undefined: the table's end was reached. */
  next: Position | undefined;
}

/** What stands in texts in place of an address or a name. */
export const erasedMark = '[erased]';

/** What is looked for in texts: regular expressions of PostgreSQL, what each is replaced by, and all of them in one. */
export interface Replacements {
  texts: { patterns: string[]; replacements: string[] };
  /** The same for texts of JSON, which stay valid. */
  json: { patterns: string[]; replacements: string[] };
  any: string;
}

/** What one step of replacing did. */
export interface Replaced {
  /** Where to go on; undefined: the table's end was reached. */
  next: Position | undefined;
  changed: number;
  /** What the team stores more or less by it. */
  bytes: number;
}

/** Rows that one step of replacing looks at: a transaction of some tens of milliseconds. */
const walkedRows = 2_000;

const quoted = (column: string): string => `"${column}"`;

const utc = (column: string): string =>
  `to_char(t.${quoted(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export const teamTable = ({
  module,
  rows,
  file,
  key,
  tenant = 'tenant_id',
  pageRows = 1_000,
  values = [],
  times = [],
  texts = [],
  names = [],
  json = [],
  leftOut = {},
  shownAs = {},
  join = '',
  counted = false,
}: Declaration) => {
  const table = /^from "?(\w+)"?$/.exec(rows)?.[1] ?? '';
  if (table === '') throw new Error(`${rows} names no table`);
  const textColumns = texts.map((column) =>
    typeof column === 'string' ? { column } : { column: column[0], most: column[1] },
  );
  const textual = [...textColumns.map(({ column }) => column), ...names, ...json];
  const shown = [...values, ...times, ...textual];
  const keys = Object.entries(key);
  const keyColumns = keys.map(([column]) => `t.${quoted(column)}`).join(', ');
  // Positions are texts, so an enum is ordered by its text as well.
  const order = keys.map(([column, type]) => `t.${quoted(column)}${type === 'text' ? '::text' : ''}`).join(', ');
  const behind = `(${order})
    > (${keys.map(([, type], n) => `(:after::text[])[${n + 1}]::${type}`).join(', ')})`;
  const ofTeam = `t.${quoted(tenant)} = :tenantId`;
  const position = `json_build_array(${keys.map(([column]) => `t.${quoted(column)}::text`).join(', ')})::text`;
  const start: Position = keys.map(([, type]) => beforeAll[type]);

  const expressionOf = (column: string): string =>
    shownAs[column] ?? (times.includes(column) ? utc(column) : `t.${quoted(column)}`);
  const selected = [...new Set([...shown, ...Object.keys(shownAs)])]
    .map((column) => `${expressionOf(column)} as ${quoted(column)}`)
    .join(', ');

  const page =
    file === undefined
      ? undefined
      : query({
          name: `${module}.export ${table}`,
          why: 'reads rows as JSON text, so that no number loses digits, behind any key',
          sql: `select row_to_json((select shown from (select ${selected}) as shown))::text as json, ${position} as position
                  ${rows} t ${join}
                 where ${ofTeam} and ${behind}
                 order by ${order} limit ${pageRows}`,
          parameters: { tenantId: uuid, after: listOf(text) },
          row: { json: text.checked, position: text.checked },
        });

  const erased = (value: string, kind: 'text' | 'json') =>
    `erased_text(${value}, (select ${kind}_patterns from wanted), (select ${kind}_replacements from wanted))`;
  const assignments = [
    ...textColumns.map(({ column, most }) => {
      const replaced = erased(`t.${quoted(column)}`, 'text');
      return `${quoted(column)} = ${most === undefined ? replaced : `left(${replaced}, ${most})`}`;
    }),
    ...names.map(
      (column) =>
        `${quoted(column)} = case when t.${quoted(column)} ~* :any then concat_ws(' ', '${erasedMark}', ${keyColumns}) else t.${quoted(column)} end`,
    ),
    ...json.map((column) => `${quoted(column)} = ${erased(`t.${quoted(column)}::text`, 'json')}::jsonb`),
  ];
  const searched = textual.map((column) => `t.${quoted(column)}::text`);
  // In tables with texts, the last column of the key is unique within a team.
  const rowKey = quoted(keys.at(-1)?.[0] ?? '');

  const replace =
    assignments.length === 0
      ? undefined
      : query({
          name: `${module}.erase ${table}`,
          why: 'replaces texts in the rows behind a key, a bounded number at a time',
          // Rows are found by lists of keys and not by joins: a join could be planned to read all of the team's rows.
          sql: `with wanted as materialized (
                  select :textPatterns::text[] as text_patterns, :textReplacements::text[] as text_replacements,
                         :jsonPatterns::text[] as json_patterns, :jsonReplacements::text[] as json_replacements),
                page as materialized (
                  select ${keyColumns}, concat_ws(chr(10), ${searched.join(', ')}) ~* :any::text as found
                    ${rows} t where ${ofTeam} and ${behind} order by ${order} limit ${walkedRows}),
                hit as materialized (
                  select t.${rowKey}, ${counted ? 'stored_bytes(t)' : '0::bigint'} as bytes ${rows} t
                   where ${ofTeam} and t.${rowKey} = any (array(select ${rowKey} from page where found))
                   order by t.${rowKey} for no key update),
                changed as (
                  update ${rows.slice('from '.length)} t set ${assignments.join(', ')}
                   where ${ofTeam} and t.${rowKey} = any (array(select ${rowKey} from hit))
                  returning ${counted ? 'stored_bytes(t)' : '0::bigint'} as bytes)
                select (select count(*) from page)::int as seen, (select count(*) from changed)::int as changed,
                       ((select coalesce(sum(bytes), 0) from changed) - (select coalesce(sum(bytes), 0) from hit))::float8 as bytes,
                       (select ${position} from page t order by ${keys.map(([column]) => `t.${quoted(column)} desc`).join(', ')} limit 1) as position`,
          parameters: {
            tenantId: uuid,
            after: listOf(text),
            textPatterns: listOf(text),
            textReplacements: listOf(text),
            jsonPatterns: listOf(text),
            jsonReplacements: listOf(text),
            any: text,
          },
          row: { seen: int.checked, changed: int.checked, bytes: float.checked, position: text.orNull },
        });

  return {
    table,
    file,
    /** The columns of the table that the export shows, and those that it leaves out. */
    shown,
    leftOut,
    /** Columns in which a person is looked for. */
    searched: textual,

    /** A page of lines of JSON, a row each, behind a position. */
    async read(run: Run, tenantId: string, after: Position = start): Promise<ReadPage> {
      if (!page) throw new Error(`${table} is not exported`);
      const found = await run(page, { tenantId, after });
      const last = found.length < pageRows ? undefined : found.at(-1);
      return { lines: found.map((row) => row.json), next: last && readPosition(last.position) };
    },

    /** Replaces a person in the next rows behind a position. */
    async replace(tx: Tx, tenantId: string, wanted: Replacements, after: Position): Promise<Replaced> {
      if (!replace) return { next: undefined, changed: 0, bytes: 0 };
      const found = await runIn(tx, replace, {
        tenantId,
        after: after.length === 0 ? start : after,
        textPatterns: wanted.texts.patterns,
        textReplacements: wanted.texts.replacements,
        jsonPatterns: wanted.json.patterns,
        jsonReplacements: wanted.json.replacements,
        any: wanted.any,
      });
      const { seen = 0, changed = 0, bytes = 0, position: last = null } = found[0] ?? {};
      return { next: last === null || seen < walkedRows ? undefined : readPosition(last), changed, bytes };
    },
  };
};

export type TeamTable = ReturnType<typeof teamTable>;
