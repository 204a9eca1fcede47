import { isId } from '../../core/ids.ts';
import type { Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import type { PersonName } from './app-schema.ts';

interface Asking {
  userId: string;
  role: 'owner' | 'admin' | 'member';
}

/**
 * Who people of the team are, former members too. Members are told of themselves alone; so is everybody while member details
 * are off.
 */
export const namesOf = async (
  { id, privacy, platform }: Team,
  { userId, role }: Asking,
  wanted: readonly string[],
): Promise<PersonName[]> => {
  const all = role !== 'member' && privacy.memberDetail;
  const ids = [...new Set(wanted)].filter((one) => isId(one) && (all || one === userId));
  return ids.length === 0 ? [] : reports.peopleOf(platform.database, id, ids);
};
