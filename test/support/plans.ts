import pg, { type Client } from 'pg';
import { z } from 'zod';
import { vi } from 'vitest';
import { valuesOf } from '../../src/db/query.ts';
import type { Team } from '../../src/platform/team.ts';
import { RoundTrip } from '../../src/db/round-trip.ts';
import { requestRole } from '../../src/db/row-security.ts';

// How PostgreSQL executes the statements of a read.

/** A statement, with its values. */
export interface Asked {
  text: string;
  values: readonly unknown[];
}

/** The statements that a read runs, with their values. */
export const askedBy = async (team: Team, read: (team: Team) => Promise<unknown>): Promise<Asked[]> => {
  const asked: Asked[] = [];
  const { database } = team.platform;
  const listening: Team['platform']['database'] = {
    ...database,
    run: (query, parameters) => {
      asked.push({ text: query.text, values: valuesOf(query, parameters) });
      return database.run(query, parameters);
    },
  };
  await read({ ...team, platform: { ...team.platform, database: listening } });
  return asked;
};

interface Step {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number | undefined;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Step[] | undefined;
}
const Step: z.ZodType<Step> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    'Rows Removed by Filter': z.number().optional(),
    'Shared Hit Blocks': z.number(),
    'Shared Read Blocks': z.number(),
    Plans: z.array(Step).optional(),
  }),
);
const Explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: Step })]) })]);

/** A value as a literal; PostgreSQL derives its type from the context. */
const literalOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  throw new Error(`no literal for a ${typeof value}`);
};

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

/** `custom`: PostgreSQL plans the prepared statement for the given values. `generic`: it plans once for all values. */
export const modes = ['generic', 'custom'] as const;

/**
 * The execution of a prepared statement: the pages that it touches, both cached and read from disk, the most rows that
 * any step reads, and how often each table that is read whole is read.
 */
export const explained = async (client: Client, asked: Asked | undefined, mode: (typeof modes)[number]) => {
  const { text, values } = asked ?? { text: '', values: [] };
  await client.query(`set plan_cache_mode = force_${mode}_plan`);
  await client.query(`prepare asked as ${text}`);
  const { rows } = await client.query(
    `explain (analyze, buffers, timing off, format json) execute asked(${values.map(literalOf).join(', ')})`,
  );
  await client.query('deallocate asked; reset plan_cache_mode');
  const [
    {
      'QUERY PLAN': [{ Plan: plan }],
    },
  ] = Explained.parse(rows);
  const steps = stepsOf(plan);
  return {
    sorts: steps.map((step) => step['Node Type']).filter((type) => /Sort|Bitmap|Seq Scan/.test(type)),
    looked: Math.max(...steps.map((step) => step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0))),
    wholeReads: steps.filter((step) => step['Node Type'] === 'Seq Scan').map((step) => step['Actual Loops']),
    buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  };
};

/** The statements about a team, or else all, that a read sends outside of transactions: named queries and Prisma's. */
const statementsOf = async (team: Team, read: (team: Team) => Promise<unknown>): Promise<Asked[]> => {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await read(team);
    const trips: unknown[] = sent.mock.calls.map(([trip]) => trip);
    const statements = trips.flatMap((trip) =>
      trip instanceof RoundTrip ? trip.statements.map(({ text, values = [] }) => ({ text, values })) : [],
    );
    const ofTeam = statements.filter(({ values }) => values.includes(team.id));
    return ofTeam.length > 0 ? ofTeam : statements;
  } finally {
    sent.mockRestore();
  }
};

/**
 * The database pages that a read touches outside of transactions. For each statement, the more expensive of the custom
 * and the generic plan counts.
 */
export const costOf = async (
  client: pg.Client,
  team: Team,
  read: (team: Team) => Promise<unknown>,
): Promise<number> => {
  const statements = await statementsOf(team, read);
  if (statements.length === 0) throw new Error('nothing was asked');
  // As in a request, with the policies of row level security.
  await client.query(`set role ${requestRole}; set app.tenant = ${client.escapeLiteral(team.id)}`);
  let sum = 0;
  for (const sent of statements) {
    const [custom, generic] = [await explained(client, sent, 'custom'), await explained(client, sent, 'generic')];
    sum += Math.max(custom.buffers, generic.buffers);
  }
  await client.query('reset role; reset app.tenant');
  return sum;
};
