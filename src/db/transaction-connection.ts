import type pg from 'pg';
import { lastOf, noAnswer, requireSendable, RoundTrip, type StatementAnswer, type Statement } from './round-trip.ts';
import type { TransactionEntry } from './row-security.ts';

/** A bug: an action must await every call that it begins. */
export const transactionIsOver = (): Error => new Error('the transaction is over');

/** Whether a statement of Prisma only writes. Its answer is only the number of rows. */
const isPlainWrite = (text: string): boolean =>
  /^(?:INSERT|UPDATE|DELETE) /.test(text) && !text.includes(' RETURNING ');

/** Writes in a long loop are sent in parts. */
const maxDeferred = 100;

/** A statement that is not sent yet. */
interface DeferredStatement {
  readonly statement: Statement;
  readonly settle: PromiseWithResolvers<StatementAnswer>;
}

/**
 * A connection in a transaction of one team, or of none. BEGIN and COMMIT are ordinary statements here: `inTransaction`
 * sends them, or Prisma, which begins a transaction for some calls outside of ours. A statement whose answer is not
 * needed at once is sent with the next one, in the same round trip: BEGIN, role and team, and deferred statements.
 */
export class TransactionConnection {
  readonly #client: pg.PoolClient;
  readonly #entry: TransactionEntry;
  /** BEGIN, and the settings of the transaction, until they are sent. */
  #beginning: Statement[] = [];
  #deferred: DeferredStatement[] = [];
  #hasBegun = false;
  #isWritingLater = false;
  #savepoints = 0;
  /**
   * The transaction was committed or rolled back, or the connection was released. A later statement would run outside
   * of any transaction, or in the transaction of another team.
   */
  #isOver = false;
  /** PostgreSQL may still be in the transaction, so nobody else gets this connection. */
  #hasFailedToEnd = false;
  /**
   * Settles when the last round trip that has begun ends. The next round trip waits for this, because pg has no queue
   * of its own from version 9 on.
   */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(client: pg.PoolClient, entry: TransactionEntry) {
    this.#client = client;
    this.#entry = entry;
  }

  async query(statement: Statement): Promise<StatementAnswer> {
    this.#requireOpen();
    const { text } = statement;
    if (text === 'BEGIN' || text.startsWith('SET TRANSACTION ')) {
      this.#beginning.push(statement);
      return noAnswer;
    }
    if (text === 'COMMIT' || text === 'ROLLBACK') return this.#end(statement);
    if (!this.#isWritingLater) return this.#send(statement);
    if (!isPlainWrite(text))
      throw new Error(`it is not only a write, so it can’t be sent later: ${text.slice(0, 100)}`);
    if (this.#deferred.length >= maxDeferred) return this.#send(statement);
    this.queryLater(statement);
    return noAnswer;
  }

  /** Keeps back, like `queryLater`, the statement that Prisma sends for this write. */
  async writeLater(write: () => PromiseLike<unknown>): Promise<void> {
    this.#isWritingLater = true;
    try {
      await write();
    } finally {
      this.#isWritingLater = false;
    }
  }

  /**
   * Keeps a statement back until the next one is sent, in the same round trip. The returned function waits for the
   * answer; if no other statement was sent in the meantime, it sends this one. If the statement fails, the one that was
   * sent with it fails, too.
   */
  queryLater(statement: Statement): () => Promise<StatementAnswer> {
    this.#requireOpen();
    requireSendable(statement); // later, this error would fail the statements that are sent with it
    const settle = Promise.withResolvers<StatementAnswer>();
    settle.promise.catch(() => {}); // the next statement throws this error
    const deferred = { statement, settle };
    this.#deferred.push(deferred);
    return async () => {
      if (this.#deferred.includes(deferred)) {
        this.#requireOpen();
        await this.#send();
      }
      return settle.promise;
    };
  }

  /**
   * Sets a savepoint, with the next statement. The returned function undoes everything since then; statements that were
   * not sent yet are dropped.
   */
  savepoint(): () => Promise<void> {
    this.#savepoints += 1;
    const name = `action_${this.#savepoints}`;
    const setIt = this.queryLater({ text: `SAVEPOINT ${name}` });
    const set = this.#deferred.at(-1);
    return async () => {
      this.#requireOpen();
      const unsent = this.#deferred.findIndex((one) => one === set);
      this.#forget(Math.max(unsent, 0));
      if (unsent !== -1) return;
      await setIt(); // throws if an earlier statement failed: the savepoint can't undo that one
      await this.#send({ text: `ROLLBACK TO SAVEPOINT ${name}` });
    };
  }

  /** Drops the statements that are not sent yet, from this index on. */
  #forget(from: number): void {
    for (const { settle } of this.#deferred.splice(from)) settle.reject(new Error('the transaction was rolled back'));
  }

  #requireOpen(): void {
    if (this.#isOver) throw transactionIsOver();
  }

  async #end(statement: Statement): Promise<StatementAnswer> {
    const { text } = statement;
    if (text === 'ROLLBACK') this.#forget(0);
    this.#isOver = true;
    if (!this.#hasBegun && this.#deferred.length === 0) return noAnswer;
    try {
      const answer = await this.#send(statement);
      if (text === 'COMMIT' && answer.tag === 'ROLLBACK') throw new Error('a failed transaction was to be committed');
      return answer;
    } catch (error) {
      this.#hasFailedToEnd = true;
      throw error;
    }
  }

  /** Sends the deferred statements, and then a statement. */
  async #send(statement?: Statement): Promise<StatementAnswer> {
    const beginning = [...this.#beginning];
    // Without BEGIN, role and team would not be set, and the statement would see the rows of all teams.
    if (!this.#hasBegun && beginning.length === 0) {
      throw new Error('a transaction begins with another statement than BEGIN');
    }
    if (beginning.length > 0) beginning.push(...this.#entry.statements);
    const deferred = this.#deferred;
    const own = [...deferred.map((one) => one.statement), ...(statement ? [statement] : [])];
    // If a value can't be sent, this throws before any state has changed.
    const trip = new RoundTrip([...beginning, ...own.map((one) => this.#entry.adapt(one))]);
    this.#beginning = [];
    this.#deferred = [];
    this.#hasBegun = true;
    try {
      const answers = await this.#inTurn(trip);
      for (const [at, { settle }] of deferred.entries()) settle.resolve(answers[beginning.length + at] ?? noAnswer);
      return lastOf(answers);
    } catch (error) {
      this.#entry.onFailure?.(error);
      for (const { settle } of deferred) settle.reject(error);
      throw error;
    }
  }

  #inTurn(trip: RoundTrip): Promise<StatementAnswer[]> {
    const send = () => trip.over(this.#client);
    const answers = this.#turn.then(send, send);
    this.#turn = answers;
    return answers;
  }

  on(event: 'error', listener: (error: Error) => void): void {
    this.#client.on(event, listener);
  }

  removeListener(event: 'error', listener: (error: Error) => void): void {
    this.#client.removeListener(event, listener);
  }

  release(error?: Error | boolean): void {
    const isOpen = this.#hasBegun && !this.#isOver;
    this.#isOver = true;
    this.#forget(0);
    this.#client.release(error ?? (isOpen || this.#hasFailedToEnd));
  }
}

/** Runs an action in a transaction on a connection, and releases the connection at the end. */
export const inTransaction = async <T>(connection: TransactionConnection, action: () => Promise<T>): Promise<T> => {
  try {
    await connection.query({ text: 'BEGIN' });
    const result = await action();
    await connection.query({ text: 'COMMIT' });
    return result;
  } catch (error) {
    await connection.query({ text: 'ROLLBACK' }).catch(() => {});
    throw error;
  } finally {
    connection.release();
  }
};
