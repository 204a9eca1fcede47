import type { UndoableChange } from '../../kit/dialog/undo.ts';

export const disabling = (
  endpoint_id: string,
): UndoableChange<{ endpoint_id: string; status: 'active' | 'disabled' }> => ({
  act: { endpoint_id, status: 'disabled' },
  undo: { endpoint_id, status: 'active' },
});
