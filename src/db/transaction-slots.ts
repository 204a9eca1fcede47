import { AsyncLocalStorage } from 'node:async_hooks';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { noAnswer, type StatementAnswer, type Statement } from './round-trip.ts';
import { transactionIsOver, type TransactionConnection } from './transaction-connection.ts';

// For each interactive transaction, Prisma makes a new client, which takes as long as several statements. So Prisma
// begins only a few transactions, which never end. Each of them is a slot, and transactions of PostgreSQL use it one
// after the other. While a transaction has a slot, the statements of the slot's client go to the transaction's
// connection.
//
//   opened ──a transaction begins──▶ used ──it has ended, and so have its calls──▶ free ──another one begins──▶ used
//
// No call may reach the next transaction of its slot: neither one that nobody awaits, nor a promise that is awaited
// later (only then Prisma starts the call), nor a client that somebody keeps. So each transaction gets the client
// behind a guard. The asynchronous context does not show to which transaction a call belongs, because Prisma sends the
// statements of one turn in the context of the first one.

type TransactionClient = Prisma.TransactionClient;

/** A transaction that uses a slot. */
export interface RunningTransaction {
  /** Where the statements of the transaction go, until its action ends. */
  connection?: TransactionConnection | undefined;
  /** Called if Prisma disconnects while the transaction runs. */
  stop?(): void;
}

/** The longest time that a timer, and so Prisma, allows for a transaction: 24 days. */
const longestMs = 2 ** 31 - 1;

/** Prisma's transaction gets this instead of a connection. */
export class SlotConnection {
  running: RunningTransaction | undefined;
  /** The second half of the slot's time is not used, so that Prisma never ends it while a transaction uses it. */
  #usableUntil = performance.now() + longestMs / 2;

  get isUsable(): boolean {
    return performance.now() < this.#usableUntil;
  }

  async query(statement: Statement): Promise<StatementAnswer> {
    const { text } = statement;
    if (text === 'BEGIN' || text === 'ROLLBACK') return noAnswer; // `inTransaction` sends its own
    if (!this.running?.connection) throw transactionIsOver();
    return this.running.connection.query(statement);
  }

  /** Called when Prisma disconnects. */
  release(): void {
    this.#usableUntil = 0;
    this.running?.stop?.();
  }

  /** A slot has errors only in answers to its statements, so nothing is reported to these listeners. */
  on(): void {}
  removeListener(): void {}
}

interface Slot {
  readonly connection: SlotConnection;
  readonly client: TransactionClient;
}

/** Runs a call of a client. */
type RunCall = (call: () => unknown) => unknown;

/** A client, one of its models or a call that has not started yet. Its methods are run by `run`. */
const guarded = <Target extends object>(target: Target, run: RunCall): Target =>
  new Proxy(target, {
    get(_target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found === 'function') return (...args: unknown[]) => run(() => Reflect.apply(found, target, args));
      return typeof found === 'object' && found !== null ? guarded(found, run) : found;
    },
  });

const opening = new AsyncLocalStorage<SlotConnection>();
const withoutContext = AsyncLocalStorage.snapshot();

/** The slot that is being opened in this asynchronous context, if any. */
export const openingSlot = (): SlotConnection | undefined => opening.getStore();

export class TransactionSlots {
  readonly #prisma: PrismaClient;
  readonly #free: Slot[] = [];

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Runs an action with a client for a transaction. */
  async run<T>(running: RunningTransaction, action: (client: TransactionClient) => Promise<T>): Promise<T> {
    const slot = this.#takeFree() ?? (await this.#open());
    slot.connection.running = running;
    let uses = 1; // the action and its calls
    const ended = () => {
      uses -= 1;
      if (uses === 0) this.#free.push(slot);
    };
    const run: RunCall = (call) => {
      if (!running.connection) throw transactionIsOver();
      const result = call();
      if (!(result instanceof Promise)) {
        return typeof result === 'object' && result !== null ? guarded(result, run) : result;
      }
      uses += 1;
      result.then(ended, ended);
      return result;
    };
    try {
      return await action(guarded(slot.client, run));
    } finally {
      ended();
    }
  }

  #takeFree(): Slot | undefined {
    for (let slot = this.#free.pop(); slot; slot = this.#free.pop()) if (slot.connection.isUsable) return slot;
    return undefined;
  }

  /** Runs in the context of no request, because the slot outlives the request. */
  #open(): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const connection = new SlotConnection();
    const hold = (client: TransactionClient): Promise<never> => {
      resolve({ connection, client });
      return new Promise(() => {});
    };
    const begin = () => opening.run(connection, () => this.#prisma.$transaction(hold, { timeout: longestMs }));
    withoutContext(begin).catch(reject);
    return promise;
  }
}
