import type { Change } from '../../kit/dialog/undo.ts';

/** Disables the company account. */
export const disabling = (): Change<{ enabled: boolean }> => ({ act: { enabled: false }, undo: { enabled: true } });
