import { hash } from 'node:crypto';
import pg from 'pg';
import { snakeName } from '../core/spelling.ts';

// The second of the two ways to the database. The first is Prisma. A named query is only for statements that Prisma
// can't express, or where a benchmark of the whole request shows that Prisma costs more than 15 %.
//
// A named query declares the types of its parameters and columns. TypeScript takes them from the declaration, and
// `test/db/queries.test.ts` has PostgreSQL prepare each query and compares names, types, enum labels, and which columns
// can be null.

/**
 * The type of a parameter or column: PostgreSQL's names for it, and its TypeScript types as a column (`out`) and as a
 * parameter (`in`).
 */
export class SqlType<Out, In = Out> {
  declare readonly out: Out;
  declare readonly in: In;
  readonly names: readonly string[];
  /** All labels of an enum. */
  readonly labels: readonly string[] | undefined;
  readonly nullable: boolean;
  /** Whether each row is checked for null, because PostgreSQL can't prove that the column never is null. */
  readonly examined: boolean;

  constructor(
    names: readonly string[],
    {
      labels,
      nullable = false,
      examined = false,
    }: { labels?: readonly string[]; nullable?: boolean; examined?: boolean } = {},
  ) {
    this.names = names;
    this.labels = labels;
    this.nullable = nullable;
    this.examined = examined;
  }

  /** The same type, but the value may be null. */
  get orNull(): SqlType<Out | null, In | null> {
    return new SqlType(this.names, { ...(this.labels && { labels: this.labels }), nullable: true });
  }

  /**
   * A column that is never null, though PostgreSQL can't prove it: an expression, or a column behind an outer join or a
   * condition. Every row is checked, so the type is right.
   */
  get checked(): SqlType<Out, In> {
    return new SqlType(this.names, { ...(this.labels && { labels: this.labels }), examined: true });
  }
}

export const uuid = new SqlType<string>(['uuid']);
export const text = new SqlType<string>(['text', 'character varying', 'name']);
export const bool = new SqlType<boolean>(['boolean']);
export const int = new SqlType<number>(['integer', 'smallint']);
/** A text, because the value may be beyond a safe integer. */
export const bigint = new SqlType<string, number | bigint | string>(['bigint']);
export const float = new SqlType<number>(['double precision']);
/** In rows, a text in the form that answers have: UTC with milliseconds. */
export const time = new SqlType<string, Date | string>(['timestamp with time zone']);
/** An address or network, as text. */
export const inet = new SqlType<string>(['inet']);
export const bytes = new SqlType<Uint8Array>(['bytea']);
/**
 * A day, only as a parameter: the driver would convert a column to a Date in local time. To read a day, select
 * `::text`.
 */
export const day = new SqlType<never, string>(['date']);
/** JSON, only as a parameter. To read JSON, select `::text`, so that no number loses digits. */
export const jsonb = new SqlType<never, string>(['jsonb']);

/** JSON as the driver parses it. Its content must be checked. */
export const json = new SqlType<unknown, never>(['jsonb', 'json']);
/** The result of a function that returns `void`. */
export const nothing = new SqlType<unknown, never>(['void'], { nullable: true });

/** A list of values of a type. */
export const listOf = <Out, In>(type: SqlType<Out, In>): SqlType<Out[], readonly In[]> =>
  new SqlType(type.names.map((name) => `${name}[]`));

/**
 * A list in PostgreSQL's text form, made by `arrayText`; only as a parameter. This is cheaper than the driver's
 * conversion.
 */
export const listText = (type: SqlType<unknown>): SqlType<never, string> =>
  new SqlType(type.names.map((name) => `${name}[]`));

/** An enum of schema.prisma: `oneOf('plan', Plan)`. */
export const oneOf = <Label extends string>(name: string, labels: Readonly<Record<string, Label>>): SqlType<Label> =>
  new SqlType([name], { labels: Object.values(labels) });

type SqlTypes = Readonly<Record<string, SqlType<unknown>>>;

/**
 * The given columns, each of which may be null, for an outer join that may find nothing. `foundIn` returns the rows in
 * which the join has found something.
 */
export const behindOuterJoin = (columns: SqlTypes): SqlTypes =>
  Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, type.orNull]));

export const namesOf = <const Columns extends SqlTypes>(columns: Columns): (keyof Columns & string)[] =>
  Object.keys(columns).filter((name): name is keyof Columns & string => Object.hasOwn(columns, name));

export type RowOf<Columns extends SqlTypes> = { [Name in keyof Columns]: Columns[Name]['out'] };
export type ParametersOf<Parameters extends SqlTypes> = { readonly [Name in keyof Parameters]: Parameters[Name]['in'] };

interface QueryDeclaration<Parameters extends SqlTypes, Columns extends SqlTypes> {
  /**
   * The unique name: `module.what`. Other words may follow for a variant: `npm run statements` counts the variants as
   * one query.
   */
  name: string;
  /** Why it is not Prisma, in one line. */
  why: string;
  /** A parameter is written `:name`. */
  sql: string;
  parameters: Parameters;
  /** Empty for a statement that returns no rows. */
  row: Columns;
  /** `false`: the query has too many different texts to be kept prepared. Connections plan it at each call. */
  isKept?: boolean;
}

export interface Query<Parameters extends SqlTypes = SqlTypes, Columns extends SqlTypes = SqlTypes> {
  readonly name: string;
  readonly why: string;
  /** The SQL with `$1`, `$2` … instead of names. */
  readonly text: string;
  /** The name under which a connection keeps the prepared statement; empty if no connection keeps it. */
  readonly statement: string;
  readonly parameters: Parameters;
  /** The parameters' names in the order of `$1`, `$2` …. */
  readonly order: readonly string[];
  readonly row: Columns;
  /** Columns of which every row is checked for null. */
  readonly examined: readonly string[];
}

const defined = new Map<string, Query>();

/** All named queries of the modules that have been loaded, except those with `isKept: false`. */
export const definedQueries = (): readonly Query[] => [...defined.values()];

/** `:name`, but not a cast (`::uuid`) or a part of a word (`12:30`). */
const placeholder = /(?<![:\w]):([a-zA-Z]\w*)/g;

/** Declares a named query. */
export const query = <const Parameters extends SqlTypes, const Columns extends SqlTypes>({
  name,
  why,
  sql,
  parameters,
  row,
  isKept = true,
}: QueryDeclaration<Parameters, Columns>): Query<Parameters, Columns> => {
  const order: string[] = [];
  const numbered = sql.replaceAll(placeholder, (_, parameter: string) => {
    if (!Object.hasOwn(parameters, parameter)) throw new Error(`${name} does not declare :${parameter}`);
    if (!order.includes(parameter)) order.push(parameter);
    return `$${order.indexOf(parameter) + 1}`;
  });
  const unused = Object.keys(parameters).filter((parameter) => !order.includes(parameter));
  if (unused.length > 0) throw new Error(`${name} declares :${unused.join(', :')} and does not use it`);
  const known = defined.get(name);
  if (known && known.text !== numbered) throw new Error(`two queries have the name ${name}`);
  const made: Query<Parameters, Columns> = {
    name,
    why,
    text: numbered,
    statement: isKept ? statementName(numbered) : unnamed,
    parameters,
    order,
    row,
    examined: Object.keys(row).filter((column) => row[column]?.examined),
  };
  if (isKept) defined.set(name, made);
  return made;
};

/** SQL: inserts a row whose columns are the parameters. */
export const insertInto = (table: string, columns: SqlTypes): string => {
  const names = Object.keys(columns);
  return `insert into ${table} (${names.map(snakeName).join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`;
};

/** The parameters in the order of the statement's `$1`, `$2` …. */
export const valuesOf = ({ order }: Query, parameters: Readonly<Record<string, unknown>>): unknown[] =>
  order.map((name) => parameters[name]);

/** Throws if a column that its query declares with `checked` is null: the declaration is wrong then. */
export const examineRows = <Row extends Readonly<Record<string, unknown>>>(
  { name, examined }: Query,
  rows: Row[],
): Row[] => {
  for (const column of examined) {
    for (const row of rows) {
      if (row[column] === null) throw new Error(`the query ${name} gave null as ${column}`);
    }
  }
  return rows;
};

type FoundRow = Readonly<Record<string, unknown>>;

/** The rows in which an outer join found something. */
export const foundIn = <const Columns extends SqlTypes, Row extends FoundRow>(
  columns: Columns,
  rows: readonly Row[],
): (Row & RowOf<Columns>)[] => {
  const never = Object.keys(columns).filter((name) => columns[name]?.nullable === false);
  const isFound = (row: Row): row is Row & RowOf<Columns> => {
    let nulls = 0;
    for (const name of never) if (row[name] === null) nulls += 1;
    if (nulls === 0) return true;
    if (nulls === never.length) return false;
    throw new Error(`a row has null as ${never.filter((name) => row[name] === null).join(', ')}`);
  };
  return rows.filter(isFound);
};

// Names of statements

/** The same text gets the same name, so that each connection prepares it only once. */
const statementName = (text: string): string => `s_${hash('sha1', text)}`;

/** A statement with more values contains a list of variable length (`in`, `createMany`). */
const maxNamedValues = 32;
/**
 * How many names the statements of one pool get at most. Prisma writes only a few hundred different texts for the whole
 * code.
 */
const maxNames = 1_000;
const unnamed = '';

/**
 * The names of the statements that Prisma sends over the connections of one pool. PostgreSQL and the driver keep every
 * named statement as long as the connection lives, and Prisma writes a new text for every length of a list. So
 * statements with many values have no name and are planned at each execution.
 */
export const namesForPrisma = (): ((statement: { sql: string; args: readonly unknown[] }) => string) => {
  const names = new Map<string, string>();
  return ({ sql, args }) => {
    if (args.length > maxNamedValues) return unnamed;
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= maxNames) return unnamed;
    const name = statementName(sql);
    names.set(sql, name);
    return name;
  };
};

// Texts that PostgreSQL reads and writes

type ArrayValue = string | number | boolean | Date | null | undefined;

/** JSON writes these characters as escapes that PostgreSQL reads in another way. */
const escapedInJson = /[\p{Cc}\p{Cs}]/u;

/**
 * PostgreSQL's text form of an array. It is JSON with other brackets, if no text has a control character or half of a
 * surrogate pair. An array with such a text is refused. The driver's own conversion takes three times as long, which
 * matters in every request.
 */
export const arrayText = (values: readonly ArrayValue[]): string => {
  const text = JSON.stringify(values).slice(1, -1);
  if (text.includes('\\') && values.some((value) => typeof value === 'string' && escapedInJson.test(value))) {
    throw new Error('a value of the array has a control character');
  }
  return `{${text}}`;
};

/**
 * Converts PostgreSQL's text of a timestamptz (in a session with the time zone UTC) to the form that times have in
 * answers. This is much cheaper than converting through a Date, and a page of a list has a hundred times.
 */
export const isoTime = (text: string): string => {
  const fraction = text.slice(20, text.length - 3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
};

const timestamptz = pg.types.builtins.TIMESTAMPTZ;

/** Reads rows as pg does, but times as text in the form that answers have. */
export const isoTimes: pg.CustomTypesConfig = {
  getTypeParser: (type, format) => (type === timestamptz ? isoTime : pg.types.getTypeParser(type, format)),
};

/** A text for `like` or Prisma's `contains`, with its special characters escaped. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** A pattern for `like` that finds a text anywhere. */
export const containing = (text: string): string => `%${likeText(text)}%`;
