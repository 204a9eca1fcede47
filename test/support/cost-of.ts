import pg from 'pg';
import { vi } from 'vitest';
import { z } from 'zod';
import { buffersOf } from '../../scripts/bench/statements.ts';
import type { Sent } from '../../scripts/bench/statements.ts';
import type { Team } from '../../src/platform/team.ts';

const Statement = z.object({ text: z.string(), values: z.array(z.unknown()) });

/** The statements about a team, or else all, that a read sends outside of transactions: named queries and Prisma's. */
const statementsOf = async (team: Team, read: (team: Team) => Promise<unknown>): Promise<Sent[]> => {
  const sent = vi.spyOn(pg.Pool.prototype, 'query');
  try {
    await read(team);
    const statements = sent.mock.calls.flatMap(([statement]) => Statement.safeParse(statement).data ?? []);
    const ofTeam = statements.filter(({ values }) => values.includes(team.id));
    return ofTeam.length > 0 ? ofTeam : statements;
  } finally {
    sent.mockRestore();
  }
};

/**
 * The database pages that a read touches outside of transactions. For each statement, the more expensive of the custom and the generic plan
 * counts.
 */
export const costOf = async (
  client: pg.Client,
  team: Team,
  read: (team: Team) => Promise<unknown>,
): Promise<number> => {
  const statements = await statementsOf(team, read);
  if (statements.length === 0) throw new Error('nothing was asked');
  let sum = 0;
  for (const sent of statements) {
    sum += Math.max(await buffersOf(client, sent, 'custom'), await buffersOf(client, sent, 'generic'));
  }
  return sum;
};
