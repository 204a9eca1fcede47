import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';

/** What is to be practised: ids as a caller gave them, whatever their shape. */
export interface Combination {
  situation_id?: string | null;
  personality_id?: string | null;
  industry_id?: string | null;
  role_id?: string | null;
}

/**
 * Refuses a combination that the recipient can't be given: `kombination_ungueltig` for what is unknown, invisible or excluded by
 * the catalog's rules, `vorgabe_gesperrt` for what the team's or the member's policy blocks.
 */
export const checkCombination = async (
  _tx: Tx,
  _team: Team,
  _memberId: string,
  _combination: Combination,
): Promise<void> => {
  throw new Error('not built yet');
};
