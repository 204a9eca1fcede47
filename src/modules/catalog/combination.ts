import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { catalogItems } from './store.ts';

/** What is to be practised: ids as a caller gave them, whatever their shape. */
export interface Combination {
  situation_id?: string | null;
  personality_id?: string | null;
  industry_id?: string | null;
  role_id?: string | null;
}

/**
 * Refuses a combination that a member of the team can't be given: `kombination_ungueltig` for what is unknown, invisible or
 * excluded by the catalog's rules, `vorgabe_gesperrt` for what the team's or the member's policy blocks. One round trip.
 */
export const checkCombination = async (
  tx: Tx,
  team: Team,
  memberId: string,
  { situation_id, personality_id, industry_id, role_id }: Combination,
): Promise<void> => {
  const wanted = [
    { dimension: 'situation', id: situation_id },
    { dimension: 'personality', id: personality_id },
    { dimension: 'industry', id: industry_id },
    { dimension: 'role', id: role_id },
  ].flatMap(({ dimension, id }) => (typeof id === 'string' ? [{ dimension, id }] : []));

  const ids = wanted.map(({ id }) => id).filter(isId);
  const situation = ids.find((id) => id === situation_id) ?? null;
  const found =
    ids.length === 0 ? [] : await catalogItems.judge(tx, { tenantId: team.id, memberId, situationId: situation, ids });

  const items = wanted.map(
    ({ dimension, id }) =>
      found.find((item) => item.id === id && item.dimension === dimension) ??
      fail('kombination_ungueltig', { dimension, id }),
  );
  const blocked = items.find(({ released }) => !released);
  if (blocked) fail('vorgabe_gesperrt', { detail: `A policy of the recipient blocks the ${blocked.dimension}.` });
  const misfit = items.find(({ fits }) => !fits);
  if (misfit) fail('kombination_ungueltig', { dimension: misfit.dimension });
};
