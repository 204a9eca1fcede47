import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../language/language.tsx';
import { nothingSelected, type SelectedRows } from './list-rules.ts';
import { number } from '../text/figures.ts';
import { useEscape } from './escape.ts';
import classes from './table.module.css';

/** The rows that are selected for an action on all of them. */
export interface Selection<Row> {
  selected: SelectedRows;
  set: (next: SelectedRows) => void;
  /** A row's name for screen readers. */
  label: (row: Row) => string;
  /** Whether a row can be selected; by default every row. */
  can?: (row: Row) => boolean;
  /** The buttons of the actions. */
  actions: ReactNode;
  /** Selects all rows of the list, including those that are not loaded yet. Absent if there are too many. */
  all?: { count: number; select: () => void; isLoading: boolean } | undefined;
}

interface SelectBoxProps {
  label: string;
  checked: boolean;
  /** Whether only some of the rows are selected. */
  some?: boolean;
  /** `range`: whether the shift key was down. */
  onToggle: (range: boolean) => void;
}

/**
 * The box that selects a row, or all rows. Mantine's checkbox has seven more elements, which are too many for every row
 * of a list.
 */
export const SelectBox = ({ label, checked, some = false, onToggle }: SelectBoxProps) => (
  <input
    type="checkbox"
    className={`mantine-focus-auto ${classes['box']}`}
    aria-label={label}
    checked={checked}
    ref={(box) => {
      if (box) box.indeterminate = some;
    }}
    // The click event says whether the shift key is down, even if the space bar caused the click.
    onClick={({ shiftKey }) => onToggle(shiftKey)}
    onChange={() => undefined}
  />
);

/**
 * The number of selected rows, and the actions on them. This bar lies over the headings, so that no row moves. Escape
 * clears the selection.
 */
export function SelectionBar<Row>({
  selection: { selected, set, actions, all },
  keys,
}: {
  selection: Selection<Row>;
  keys: readonly string[];
}) {
  const count = selected.keys.size;
  const loaded = new Set(keys);
  /** Whether some selected rows are not loaded in the list. */
  const isBeyond = [...selected.keys].some((key) => !loaded.has(key));
  useEscape(count === 0 ? undefined : () => set(nothingSelected));
  if (count === 0) return null;
  return (
    <div className={classes['over']}>
      <div
        className={classes['chosen']}
        role="toolbar"
        aria-label={t('Aktionen für die Auswahl', 'Actions for the selection')}
      >
        <Text size="sm" fw={600} role="status">
          {isBeyond
            ? t(`${number(count)} ausgewählt`, `${number(count)} selected`)
            : t(
                `${number(count)} von ${number(keys.length)} ausgewählt`,
                `${number(count)} of ${number(keys.length)} selected`,
              )}
        </Text>
        {all && count === keys.length && all.count > count && (
          <Button size="compact-sm" variant="subtle" loading={all.isLoading} onClick={all.select}>
            {t(`Alle ${number(all.count)} auswählen`, `Select all ${number(all.count)}`)}
          </Button>
        )}
        {actions}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => set(nothingSelected)}>
          {t('Auswahl aufheben', 'Clear selection')}
        </Button>
      </div>
    </div>
  );
}
