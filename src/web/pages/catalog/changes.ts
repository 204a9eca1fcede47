import type { UndoableChange } from '../../kit/dialog/undo.ts';

type PolicyInput = { release: string[] } | { block: string[] };

/** Releases items that are blocked, or blocks items that are released. */
export const policyChange = (ids: string[], isReleased: boolean): UndoableChange<PolicyInput> => {
  const [release, block] = [{ release: ids }, { block: ids }];
  return isReleased ? { act: release, undo: block } : { act: block, undo: release };
};
