import pg from 'pg';
import type { TransactionConnection } from './transaction-connection.ts';
import type { SlotConnection } from './transaction-slots.ts';
import type { StatementAnswer, Statement } from './round-trip.ts';

interface ForPrisma {
  /** Runs a single statement. */
  query(statement: Statement): Promise<StatementAnswer>;
  connect(): Promise<TransactionConnection | SlotConnection>;
}

/**
 * The pool that Prisma's adapter gets. The adapter takes only an instance of pg.Pool, and calls two of its methods.
 * This one has no connections of its own: it passes both calls on.
 */
export class PrismaPool extends pg.Pool {
  readonly #target: ForPrisma;

  constructor(target: ForPrisma) {
    super();
    this.#target = target;
  }

  override query(statement: Statement | pg.Submittable | string): never {
    if (typeof statement === 'string' || 'submit' in statement)
      throw new Error('Prisma sends no statements in this form');
    return asResultOfPg(this.#target.query(statement));
  }

  override connect(): never {
    return asResultOfPg(this.#target.connect());
  }
}

/** pg declares a dozen forms of each method. The adapter uses those that return a promise. */
const asResultOfPg = (result: Promise<StatementAnswer | TransactionConnection | SlotConnection>): never =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- it has all that the adapter uses of pg's own results
  result as never;
