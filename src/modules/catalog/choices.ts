import type { Language } from '../../core/language.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { needPresentMember } from './policies.ts';
import { catalogOf } from './reading.ts';
import { ruledDimensions } from './schema.ts';
import type { Choices } from './schema.ts';
import { catalogItems, catalogRules } from './store.ts';

/** What a member can be given or choose, and which situation goes with what. */
export const choicesOf = (team: Team, memberId: string, language: Language): Promise<Choices> =>
  inTransaction(team, async (tx) => {
    await needPresentMember(tx, team, memberId);
    const rows = await catalogItems.ofMember(tx, team.id, memberId);
    const rules = await catalogRules.ofMember(tx, team.id, memberId);
    const offered = new Set(rows.map(({ id }) => id));
    const among = (ids: readonly string[]) => ids.filter((id) => offered.has(id));
    return {
      ...catalogOf(rows, language),
      rules: rules
        .flatMap(({ dimension: any, ...rule }) => {
          const dimension = ruledDimensions.find((ruled) => ruled === any);
          return dimension === undefined ? [] : [{ ...rule, dimension }];
        })
        .map(({ situation_id, dimension, restricted, only_ids, never_ids }) => ({
          situation_id,
          dimension,
          only: restricted ? among(only_ids) : null,
          never: among(never_ids),
        }))
        .filter(({ only, never }) => only !== null || never.length > 0),
    };
  });
