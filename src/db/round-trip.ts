import pg from 'pg';
import { sqlState } from './sqlstate.ts';

// Several statements in one round trip. pg sends a statement only when the one before it is answered. But each
// statement of a request needs others before it: one that sets its role and team, and in a transaction BEGIN. Waiting
// for the answer to each of them would double the time of every read.
//
// pg publishes an interface for such cases: `client.query` takes a `Submittable`, which writes messages of PostgreSQL's
// protocol to the connection, and gets the messages of the answer. pg-cursor uses it, too. Without a BEGIN, the
// statements are still one transaction, because there is only one Sync, at the end.

export interface Statement {
  readonly text: string;
  /** The connection keeps a statement with a name prepared. The same name always has the same text. */
  readonly name?: string | undefined;
  readonly values?: readonly unknown[] | undefined;
  /** How the values in the statement's rows are parsed. */
  readonly types?: pg.CustomTypesConfig | undefined;
  /** `array`: a row is the list of its values. */
  readonly rowMode?: string | undefined;
  /** Whether nobody reads the statement's rows. */
  readonly isSilent?: boolean;
}

export interface StatementAnswer {
  readonly fields: pg.FieldDef[];
  readonly rows: unknown[];
  readonly rowCount: number | null;
  /** How PostgreSQL names a statement that it has run: `BEGIN`, `SELECT 3`, `INSERT 0 1`. */
  readonly tag: string;
}

// Values

/** A value of an array: in quotation marks, so that PostgreSQL reads no character as syntax. */
const elementOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return arrayOf(value);
  const text = value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(wireValue(value));
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
};

const arrayOf = (values: readonly unknown[]): string => `{${values.map(elementOf).join(',')}}`;

/** A parameter in the form of the protocol: bytes, or PostgreSQL's text of the value. */
const wireValue = (value: unknown): Buffer | string | null => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return arrayOf(value);
  throw new Error(`PostgreSQL has no value for ${typeof value}`);
};

/** Throws if a value can't be sent. */
export const requireSendable = ({ values = [] }: Statement): void => {
  for (const value of values) wireValue(value);
};

// Answers

type Parser = (text: string) => unknown;

/** The columns of a statement's rows, and how their values are read. */
interface Columns {
  readonly fields: pg.FieldDef[];
  readonly types: pg.CustomTypesConfig;
  readonly parsers: readonly Parser[];
  /** A row with all its columns. Copying it is faster than adding the columns to an empty object. */
  readonly emptyRow: Readonly<Record<string, unknown>>;
}

const columnsOf = (fields: pg.FieldDef[], types: pg.CustomTypesConfig): Columns => ({
  fields,
  types,
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the numbers of types are not only those of the enum
  parsers: fields.map(({ dataTypeID }): Parser => types.getTypeParser(dataTypeID, 'text')),
  emptyRow: Object.fromEntries(fields.map(({ name }) => [name, null])),
});

/** The columns of a statement that returns no rows: PostgreSQL does not describe it. */
const noColumns = columnsOf([], pg.types);

/** Collects the answer to one statement. */
class AnswerBuilder implements StatementAnswer {
  columns = noColumns;
  readonly rows: unknown[] = [];
  rowCount: number | null = null;
  tag = '';
  readonly #types: pg.CustomTypesConfig;
  readonly #isArray: boolean;
  readonly #isSilent: boolean;

  constructor({ types = pg.types, rowMode, isSilent = false }: Statement) {
    this.#isSilent = isSilent;
    this.#types = types;
    this.#isArray = rowMode === 'array';
  }

  get fields(): pg.FieldDef[] {
    return this.columns.fields;
  }

  describe(fields: pg.FieldDef[]): void {
    this.columns = columnsOf(fields, this.#types);
  }

  /** Takes over the columns of an earlier answer to this statement, and its parsers if they are of the same kind. */
  describeAs(known: Columns): void {
    if (known.types === this.#types) this.columns = known;
    else this.describe(known.fields);
  }

  add(values: readonly (string | null)[]): void {
    if (this.#isSilent) return;
    const { fields, parsers, emptyRow } = this.columns;
    if (this.#isArray) {
      this.rows.push(values.map((value, at) => (value === null ? null : parsers[at]?.(value))));
      return;
    }
    const row: Record<string, unknown> = { ...emptyRow };
    for (const [at, { name }] of fields.entries()) {
      const value = values[at] ?? null;
      if (value !== null) row[name] = parsers[at]?.(value);
    }
    this.rows.push(row);
  }

  complete(tag: string): void {
    this.tag = tag;
    const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
    this.rowCount = Number.isNaN(count) ? null : count;
  }
}

// The round trip

/**
 * The statements that each connection has prepared, by name, with their columns. PostgreSQL refuses to run a prepared
 * statement once its columns have changed, so the columns are described only once.
 */
const preparedBy = new WeakMap<pg.Connection, Map<string, Columns | undefined>>();
/**
 * For how many statements the columns are kept, for each connection. Any further statement is described each time. A
 * process has some hundreds of statements, more on a distributed database.
 */
const maxWithColumns = 1_000;

const preparedOf = (connection: pg.Connection): Map<string, Columns | undefined> => {
  const known = preparedBy.get(connection) ?? new Map<string, Columns | undefined>();
  preparedBy.set(connection, known);
  return known;
};

const alwaysDescribed = new WeakSet<pg.Connection>();

/**
 * Has the columns described at every execution. For a connection to a pooler: it may prepare a statement again in
 * another session of PostgreSQL, where the columns may be others.
 */
export const describeAlways = (connection: pg.Connection): void => void alwaysDescribed.add(connection);

/**
 * Codes of PostgreSQL after which a prepared statement can't be used again: its result has other types, or it does not
 * exist.
 */
const unusable = new Set<string>([sqlState.featureNotSupported, sqlState.noSuchPreparedStatement]);

/**
 * Statements that are sent together. The constructor throws if a value can't be sent. A client of pg calls the
 * `handle…` methods, one for each message of the answer.
 */
export class RoundTrip implements pg.Submittable {
  readonly statements: readonly (Statement & { readonly wire: (Buffer | string | null)[] })[];
  readonly #answers: AnswerBuilder[];
  /** How many statements are answered. */
  #answered = 0;
  readonly #prepared = new Set<string>();
  /** Why a value of the answer could not be read, if one could not. */
  #unreadable: Error | undefined;
  readonly #done = Promise.withResolvers<StatementAnswer[]>();

  constructor(statements: readonly Statement[]) {
    this.statements = statements.map((one) => ({ ...one, wire: (one.values ?? []).map(wireValue) }));
    this.#answers = statements.map((one) => new AnswerBuilder(one));
  }

  /** Sends the statements over a connection, and returns their answers. */
  async over(client: pg.ClientBase): Promise<StatementAnswer[]> {
    client.query(this);
    try {
      return await this.#done.promise;
    } catch (error) {
      // pg's stack leads to a socket; this one leads to the caller.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  /**
   * Called by pg. It returns an error and does not throw it: pg passes a returned error to `handleError`, but a thrown
   * one may end the process.
   */
  submit = (connection: pg.Connection): Error | undefined => {
    connection.stream.cork(); // so that all messages leave in one packet
    try {
      this.#write(connection);
      return undefined;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      // A part of the message may have been written, so PostgreSQL would not understand anything that follows.
      connection.stream.destroy(failure);
      return failure;
    } finally {
      connection.stream.uncork();
    }
  };

  #write(connection: pg.Connection): void {
    const known = preparedOf(connection);
    for (const [at, { name = '', text, wire, isSilent = false }] of this.statements.entries()) {
      if (name === '' || !(known.has(name) || this.#prepared.has(name))) {
        // An earlier round trip may have prepared the statement and failed afterwards. Closing a statement that does
        // not exist is no error.
        if (name !== '') connection.close({ type: 'S', name }, true);
        connection.parse({ name, text, types: [] }, true);
        if (name !== '') this.#prepared.add(name);
      }
      connection.bind({ statement: name, values: wire }, true);
      const columns = known.get(name);
      if (columns) this.#answers[at]?.describeAs(columns);
      else if (!isSilent) connection.describe({ type: 'P' }, true);
      connection.execute({}, true);
    }
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#answers[this.#answered]?.describe(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      this.#answers[this.#answered]?.add(fields);
    } catch (error) {
      // An error that is thrown here would end the process, because pg calls this method when data comes from the
      // socket.
      this.#unreadable ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#answers[this.#answered]?.complete(text);
    this.#answered += 1;
  }

  handleEmptyQuery(): void {
    this.#answered += 1;
  }

  /**
   * PostgreSQL runs none of the statements after the one that failed. Callers expect an error of the last statement, so
   * the message names the failed statement if it is not the last one.
   */
  handleError(error: Error, connection: pg.Connection): void {
    if (error instanceof pg.DatabaseError && unusable.has(error.code ?? '')) {
      for (const { name } of this.statements) if (name !== undefined) preparedOf(connection).delete(name);
    }
    const failed = this.statements[this.#answered];
    if (failed && failed !== this.statements.at(-1) && error instanceof pg.DatabaseError) {
      error.message += ` (in the same round trip, by: ${failed.text.slice(0, 300).replace(/\s+/g, ' ').slice(0, 100)})`;
    }
    if (error instanceof pg.DatabaseError) this.#rejectWhenReady(error, connection);
    else this.#done.reject(error);
  }

  /**
   * Waits until the connection is ready for another statement. A server that shuts down closes the connection instead.
   */
  #rejectWhenReady(error: Error, connection: pg.Connection): void {
    const reject = (): void => {
      connection.off('readyForQuery', reject);
      connection.off('end', reject);
      this.#done.reject(error);
    };
    connection.on('readyForQuery', reject);
    connection.on('end', reject);
  }

  handleReadyForQuery(connection: pg.Connection): void {
    const known = preparedOf(connection);
    const keepsColumns = known.size < maxWithColumns && !alwaysDescribed.has(connection);
    for (const [at, { name = '', isSilent = false }] of this.statements.entries()) {
      if (this.#prepared.has(name)) known.set(name, keepsColumns && !isSilent ? this.#answers[at]?.columns : undefined);
    }
    if (this.#unreadable) this.#done.reject(this.#unreadable);
    else this.#done.resolve(this.#answers);
  }
}

/** Sends statements in one round trip, and returns their answers. */
export const sendTogether = async (
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<StatementAnswer[]> => new RoundTrip(statements).over(client);

export const noAnswer: StatementAnswer = { fields: [], rows: [], rowCount: 0, tag: '' };

export const lastOf = (answers: readonly StatementAnswer[]): StatementAnswer => answers.at(-1) ?? noAnswer;
