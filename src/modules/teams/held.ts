import { fail, problemDetails } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { apiIsOn } from './plan.ts';
import { teams } from './store.ts';

const held = Symbol('held');

/**
 * A team that keeps its switches and its webhook endpoints until the transaction ends, or changes them itself. Only a team
 * that was held or locked here is one.
 */
export interface HeldTeam extends Team {
  readonly [held]: true;
  /** Whether its plan has the API and it is active. Otherwise it raises no events: they are not delivered, now or later. */
  readonly apiIsOn: boolean;
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
  const row = await teams.lock(tx, team.id);
  return { ...team, privacy: privacyOf(row), row, apiIsOn: apiIsOn(row), [held]: true };
};

/**
 * Holds the team's switches as they are until this transaction ends, beside any number of others that do so: what is told of
 * the action is what they allowed, to the endpoints that want it now. Where a lock on the team is needed, it is taken before
 * any other.
 */
export const holdTeam = async (tx: Tx, team: Team): Promise<HeldTeam> => {
  const row = (await teams.hold(tx, team.id)) ?? fail('not_found');
  const { memberDetail, leaderboard } = row;
  return { ...team, privacy: { memberDetail, leaderboard }, apiIsOn: apiIsOn(row), [held]: true };
};

/** Refuses what belongs to the API, in the app too, while the team's plan does not have it or the team is not active. */
export const needApi = (team: HeldTeam): void => {
  if (!team.apiIsOn) fail('api_disabled', { detail: problemDetails.apiIsOff });
};

/** Notes how many invitations the team has made in the hour that began at `startedAt`; without it, in the hour that runs. */
export const noteInvitation = async (
  tx: Tx,
  team: LockedTeam,
  { made, startedAt }: { made: number; startedAt?: Date },
): Promise<void> => {
  await teams.update(tx, team.id, {
    invitationsInWindow: made,
    ...(startedAt && { invitationWindowStartedAt: startedAt }),
  });
};
