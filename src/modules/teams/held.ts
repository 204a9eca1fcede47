import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';

const held = Symbol('held');

/**
 * A team that keeps its switches and its webhook endpoints until the transaction ends, or changes them itself. Only a team
 * that was held or locked here is one.
 */
export interface HeldTeam extends Team {
  readonly [held]: true;
}

/** A team under its lock: with its switches, and everything else that stands in its row, as they are now. */
export interface LockedTeam extends HeldTeam {
  readonly row: TeamRow;
}

export const privacyOf = ({ memberDetailEnabled, leaderboardEnabled }: TeamRow): Team['privacy'] => ({
  memberDetail: memberDetailEnabled,
  leaderboard: leaderboardEnabled,
});

/**
 * Locks the team for this transaction: whatever counts its members, admins, seats or invitations does so one after the
 * other. Taken first, always, so that two such changes can't deadlock.
 */
export const lockTeam = async (tx: Tx, team: Team): Promise<LockedTeam> => {
  await tx.$executeRaw`select 1 from team where id = ${team.id}::uuid for no key update`;
  const row = await tx.team.findUniqueOrThrow({ where: { id: team.id } });
  return { ...team, privacy: privacyOf(row), row, [held]: true };
};

const hold = statement<Team['privacy'], [id: string]>(
  `select member_detail_enabled as "memberDetail", leaderboard_enabled as leaderboard from team where id = $1 for share`,
);

/**
 * Holds the team's switches as they are until this transaction ends, beside any number of others that do so: what is told of
 * the action is what they allowed, to the endpoints that want it now. Where a lock on the team is needed, it is taken before
 * any other.
 */
export const holdTeam = async (tx: Tx, team: Team): Promise<HeldTeam> => {
  const [row] = await rowsIn(tx, hold, team.id);
  return row ? { ...team, privacy: row, [held]: true } : fail('not_found');
};
