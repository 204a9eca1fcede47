import { signInLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { actIn } from '../teams/service.ts';
import { isFirstIn } from './tries.ts';
import type { TeamOfPerson } from './schema.ts';
import { teamsOf } from './visitor.ts';

type Noted = 'sign_in.locked' | 'second_factor.locked' | 'password.reset';

/** Writes into the audit log of each of somebody's teams what happened to their sign-in. */
export const noteInTeams = async (
  tx: Tx,
  platform: Platform,
  { action, teams, byThemselves }: { action: Noted; teams: readonly TeamOfPerson[]; byThemselves: boolean },
): Promise<void> => {
  for (const { tenantId, memberId, userId } of teams) {
    const actor = byThemselves ? ({ kind: 'person', userId } as const) : ({ kind: 'service' } as const);
    const team = await actIn(platform, actor, tenantId);
    await record(tx, team, { action, target: { type: 'member', id: memberId } });
  }
};

/**
 * Notes that somebody's sign-in takes no tries for a while. At most once an hour and kind, so that an attack that goes on for days
 * does not fill the log.
 */
export const noteLock = async (
  platform: Platform,
  action: 'sign_in.locked' | 'second_factor.locked',
  personId: string,
): Promise<void> => {
  const { database } = platform;
  if (!(await isFirstIn(database, signInLimits.lockNotedSeconds, `${action} ${personId}`))) return;
  const teams = await teamsOf(platform, personId);
  await database.transaction((tx) => noteInTeams(tx, platform, { action, teams, byThemselves: false }));
};
