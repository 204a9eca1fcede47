import pg, { type Client } from 'pg';
import { z } from 'zod';
import { valuesOf } from '../../src/db/query.ts';
import type { Team } from '../../src/platform/team.ts';

// How PostgreSQL executes the statements of a read.

/** A statement, with its values. */
interface Asked {
  text: string;
  values: unknown[];
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

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

/**
 * The execution of a prepared statement: the pages that it touches, the most rows that any step reads, and how often
 * each table that is read whole is read.
 */
export const explained = async (client: Client, asked: Asked | undefined, mode: 'generic' | 'custom') => {
  const { text, values } = asked ?? { text: '', values: [] };
  await client.query(`set plan_cache_mode = force_${mode}_plan`);
  await client.query(`prepare asked as ${text}`);
  const literals = values.map((value) => {
    if (typeof value === 'number') return String(value);
    return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value));
  });
  const { rows } = await client.query(
    `explain (analyze, buffers, timing off, format json) execute asked(${literals.join(', ')})`,
  );
  await client.query('deallocate asked');
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

export const modes = ['generic', 'custom'] as const;
