import type { UndoableChange } from '../../kit/dialog/undo.ts';
import { t } from '../../language/texts.ts';

export const disabling = (): UndoableChange<{ enabled: boolean }> => ({
  act: { enabled: false },
  undo: { enabled: true },
});

/** The input that changes one of the team's privacy switches to the opposite of `isOn`. */
export const switched = (name: string, isOn: boolean) => ({ [name]: !isOn });

/** The question before a privacy switch is changed. */
export const switchQuestion = (label: string, isOn: boolean): string =>
  isOn
    ? t(`${label} ausblenden?`, `Hide ${label.toLowerCase()}?`)
    : t(`${label} anzeigen?`, `Show ${label.toLowerCase()}?`);
