import type { RuleIds } from '../../../modules/catalog/schema.ts';

/** An item that a rule can name. An item that no longer exists can only be removed. */
export interface RuledEntry {
  id: string;
  name: string;
  gone: boolean;
}

/** How many items the rules allow. The server applies rules in the same way. */
export const countAllowed = (entries: readonly Pick<RuledEntry, 'id' | 'gone'>[], { only, never }: RuleIds): number => {
  const isRestricted = entries.some(({ id }) => only.includes(id));
  return entries.filter(({ id, gone }) => !gone && !never.includes(id) && (!isRestricted || only.includes(id))).length;
};

/** The rules for all teams together with those of the team. */
export const together = (global: RuleIds, own: RuleIds): RuleIds => ({
  only: [...global.only, ...own.only],
  never: [...global.never, ...own.never],
});
