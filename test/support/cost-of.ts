import type pg from 'pg';
import { buffersOf, recordStatements } from '../../scripts/bench/statements.ts';
import type { Team } from '../../src/platform/team.ts';

/**
 * The database pages that a read touches outside of transactions. For each statement, the more expensive of the custom and the generic plan
 * counts.
 */
export const costOf = async (
  client: pg.Client,
  team: Team,
  read: (team: Team) => Promise<unknown>,
): Promise<number> => {
  const recording = recordStatements(team.platform.database);
  await read({ ...team, platform: { ...team.platform, database: recording.database } });
  const statements = recording.take();
  if (statements.length === 0) throw new Error('nothing was asked');
  let sum = 0;
  for (const sent of statements) {
    sum += Math.max(await buffersOf(client, sent, 'custom'), await buffersOf(client, sent, 'generic'));
  }
  return sum;
};
