import type { Team } from '../../platform/team.ts';
import { directoryUsers } from '../directory/store.ts';
import { keysWithScope } from '../keys/service.ts';
import { answersTo } from '../requests/service.ts';
import { addressOfTeam } from './person.ts';

/** Only the newest keys are shown, with their requests. */
const shownKeys = 10;

/**
 * The directory of a team for its admins: how it is connected, which people it has added, and which of its requests
 * were refused.
 */
export const directoryState = async (team: Team) => {
  const keys = await keysWithScope(team, 'directory:manage', shownKeys);
  const [people, answers] = await Promise.all([
    directoryUsers.countByState(team.platform.database, team),
    answersTo(team, { keyIds: keys.map(({ keyId }) => keyId), path: '/scim/v2/' }),
  ]);
  return { address: addressOfTeam(team), keys, people, ...answers };
};
