import type pg from 'pg';
import { z } from 'zod';
import type { Database } from '../../src/db/database.ts';
import type { Statement } from '../../src/db/query.ts';

/** A statement with its values, as it was sent. */
export interface Sent {
  text: string;
  values: readonly unknown[];
}

export interface Recording {
  /** A database that passes all calls on to the recorded one. */
  database: Database;
  /** The statements since the last call. */
  take(): Sent[];
}

/** Records all statements, so that those are measured that the service really sends, not a copy of them. */
export const recordStatements = (database: Database): Recording => {
  let sent: Sent[] = [];
  return {
    database: {
      ...database,
      rows: <Row extends object, Values extends unknown[]>(statement: Statement<Row, Values>, ...values: Values) => {
        sent.push({ text: statement.text, values });
        return database.rows(statement, ...values);
      },
    },
    take() {
      const taken = sent;
      sent = [];
      return taken;
    },
  };
};

const Plan = z.looseObject({ 'Shared Hit Blocks': z.int(), 'Shared Read Blocks': z.int() });
const Explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.looseObject({ Plan })]) })]);

/** A value as a literal; PostgreSQL derives its type from the context. */
const literalOf = (client: pg.Client, value: unknown): string => {
  if (value === null) return 'null';
  if (value instanceof Date) return client.escapeLiteral(value.toISOString());
  if (typeof value === 'string') return client.escapeLiteral(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  throw new Error(`no literal for a ${typeof value}`);
};

/** `custom`: PostgreSQL plans the prepared statement for the given values. `generic`: it plans once for all values. */
type PlanKind = 'custom' | 'generic';

/** The number of pages that the statement touches, both cached and read from disk. */
export const buffersOf = async (client: pg.Client, { text, values }: Sent, kind: PlanKind): Promise<number> => {
  const literals = values.map((value) => literalOf(client, value)).join(', ');
  await client.query(`prepare measured as ${text}`);
  try {
    await client.query(`set plan_cache_mode = force_${kind}_plan`);
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute measured(${literals})`);
    const [{ 'QUERY PLAN': plans }] = Explained.parse(rows);
    const [{ Plan: plan }] = plans;
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  } finally {
    await client.query('deallocate measured');
    await client.query('reset plan_cache_mode');
  }
};
