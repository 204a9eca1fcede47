import type { ManagedItem } from '../../../modules/catalog/schema.ts';
import { count } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';

type PolicyItem = Pick<ManagedItem, 'id' | 'blocked'>;

/** Which items a policy releases: the team's policy, or a member's policy, which applies in addition. */
export const policyOf = (member: { blocked: readonly string[] | undefined } | undefined) => {
  const ofMember = member?.blocked && new Set(member.blocked);
  return {
    /** Whether the policy releases an item; undefined while a member’s policy loads. */
    isReleased:
      member && !ofMember ? undefined : (item: PolicyItem) => !(ofMember ? ofMember.has(item.id) : item.blocked),
    /** Whether this is a member’s policy and the team blocks the item. The member’s policy can’t release it then. */
    isFixed: (item: PolicyItem) => member !== undefined && item.blocked,
  };
};

/** The items that can be released or blocked by one button. */
export const changeable = <One extends PolicyItem>(
  items: readonly One[],
  { isReleased, isFixed }: { isReleased: (item: One) => boolean; isFixed: (item: One) => boolean },
) => {
  const open = items.filter((item) => !isFixed(item));
  return { released: open.filter(isReleased), blocked: open.filter((item) => !isReleased(item)) };
};

const items = (found: number): string => count(found, t('Eintrag', 'item'), t('Einträge', 'items'));

export const releasedText = (found: number, released: boolean): string =>
  released
    ? t(`${items(found)} freigegeben.`, `${items(found)} allowed.`)
    : t(`${items(found)} gesperrt.`, `${items(found)} blocked.`);
