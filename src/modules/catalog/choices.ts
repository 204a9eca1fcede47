import { catalogLimits } from '../../core/limits.ts';
import type { Language } from '../../core/language.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { needPresentMember } from './policies.ts';
import { leftToMember, releasedByTeam, visible } from './policy.ts';
import { catalogOf, entries } from './reading.ts';
import type { EntryRow } from './reading.ts';
import type { Choices, RuledDimension } from './schema.ts';

const released = `${releasedByTeam} and ${leftToMember}`;

const offeredItems = entries(released);

interface RuleRow {
  situation_id: string;
  dimension: RuledDimension;
  /** Whether the situation goes with some of the dimension only. */
  restricted: boolean;
  only_ids: string[];
  never_ids: string[];
}

const itemsOf = (kind: 'only' | 'never'): string =>
  `coalesce(array_agg(other.id::text order by other.position, other.id) filter (where rule.kind = '${kind}'), '{}')`;

// So many rules at most, whatever is stored: every member reads them with every look at what they can choose.
const rules = `(
  (select * from catalog_rule where tenant_id is null limit ${catalogLimits.globalRulesInAnswer})
  union all
  (select * from catalog_rule where tenant_id = $1::uuid limit ${catalogLimits.ownRules}))`;

// Also the rules about items that the member does not have: an `only` of nothing that is left restricts all the same.
const rulesOfOffered = `
  select rule.situation_id, other.dimension::text, bool_or(rule.kind = 'only') as restricted,
         ${itemsOf('only')} as only_ids, ${itemsOf('never')} as never_ids
    from ${rules} rule join catalog_item other on other.id = rule.item_id
   where exists (select from catalog_item item where item.id = rule.situation_id and ${visible} and ${released})
   group by rule.situation_id, other.dimension
   order by rule.situation_id, other.dimension`;

/** What a member can be given or choose, and which situation goes with what. */
export const choicesOf = (team: Team, memberId: string, language: Language): Promise<Choices> =>
  inTransaction(team, async (tx) => {
    await needPresentMember(tx, team, memberId);
    const rows = await tx.$queryRawUnsafe<EntryRow[]>(offeredItems, team.id, memberId);
    const rules = await tx.$queryRawUnsafe<RuleRow[]>(rulesOfOffered, team.id, memberId);
    const offered = new Set(rows.map(({ id }) => id));
    const among = (ids: readonly string[]) => ids.filter((id) => offered.has(id));
    return {
      ...catalogOf(rows, language),
      rules: rules
        .map(({ situation_id, dimension, restricted, only_ids, never_ids }) => ({
          situation_id,
          dimension,
          only: restricted ? among(only_ids) : null,
          never: among(never_ids),
        }))
        .filter(({ only, never }) => only !== null || never.length > 0),
    };
  });
