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
  /** Does what the other does. */
  database: Database;
  /** What went through it since the last time. */
  take(): Sent[];
}

/** A database that keeps what is asked of it: measured is what the service really sends, never a copy of it. */
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
const Explained = z.array(z.object({ 'QUERY PLAN': z.tuple([z.looseObject({ Plan })]) }));

/** A value as PostgreSQL reads it where it knows the type. */
const literalOf = (client: pg.Client, value: unknown): string => {
  if (value === null) return 'null';
  if (value instanceof Date) return client.escapeLiteral(value.toISOString());
  if (typeof value === 'string') return client.escapeLiteral(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  throw new Error(`no literal for a ${typeof value}`);
};

/** Who plans a prepared statement: PostgreSQL for the values at hand, or once for all values. */
export type PlanKind = 'custom' | 'generic';

const explain = async (client: pg.Client, options: string, { text, values }: Sent, kind: PlanKind) => {
  const literals = values.map((value) => literalOf(client, value)).join(', ');
  await client.query(`prepare measured as ${text}`);
  try {
    await client.query(`set plan_cache_mode = force_${kind}_plan`);
    return await client.query(`explain (${options}) execute measured(${literals})`);
  } finally {
    await client.query('deallocate measured');
    await client.query('reset plan_cache_mode');
  }
};

/** How many pages running the statement touches: those that were in memory, and those that were not. */
export const buffersOf = async (client: pg.Client, sent: Sent, kind: PlanKind): Promise<number> => {
  const { rows } = await explain(client, 'analyze, buffers, format json', sent, kind);
  const [top] = Explained.parse(rows);
  if (!top) throw new Error('nothing was explained');
  const [{ Plan: plan }] = top['QUERY PLAN'];
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
};

/** The plan as one reads it. */
export const planOf = async (client: pg.Client, sent: Sent, kind: PlanKind): Promise<string> => {
  const { rows } = await explain(client, 'analyze, buffers', sent, kind);
  return z
    .array(z.object({ 'QUERY PLAN': z.string() }))
    .parse(rows)
    .map((row) => row['QUERY PLAN'])
    .join('\n');
};
