import pg from 'pg';
import { vi } from 'vitest';
import { z } from 'zod';
import { RoundTrip } from '../../src/db/round-trip.ts';
import { requestRole } from '../../src/db/row-security.ts';
import type { Team } from '../../src/platform/team.ts';

/** A statement with its values, as it was sent. */
interface Sent {
  text: string;
  values: readonly unknown[];
}

/** The statements about a team, or else all, that a read sends outside of transactions: named queries and Prisma's. */
const statementsOf = async (team: Team, read: (team: Team) => Promise<unknown>): Promise<Sent[]> => {
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
const buffersOf = async (client: pg.Client, { text, values }: Sent, kind: PlanKind): Promise<number> => {
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
    sum += Math.max(await buffersOf(client, sent, 'custom'), await buffersOf(client, sent, 'generic'));
  }
  await client.query('reset role; reset app.tenant');
  return sum;
};
