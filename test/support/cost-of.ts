import pg from 'pg';
import { vi } from 'vitest';
import { RoundTrip } from '../../src/db/round-trip.ts';
import { requestRole } from '../../src/db/row-security.ts';
import type { Team } from '../../src/platform/team.ts';
import { explained, type Asked } from './plans.ts';

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
