import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { t } from '../language/language.tsx';
import type { BulkResults } from '../../platform/bulk.ts';
import { among, nothingSelected } from './list-rules.ts';
import type { Selected } from './list-rules.ts';
import { Notice, notify } from './messages.tsx';
import { waitInWords, number } from './formats.tsx';
import classes from './table.module.css';

/** The rows that are selected for an action on all of them. */
export interface Selection<Row> {
  selected: Selected;
  set: (next: Selected) => void;
  /** A row's name for screen readers. */
  label: (row: Row) => string;
  /** Whether a row can be selected; by default every row. */
  can?: (row: Row) => boolean;
  /** The buttons of the actions. */
  actions: ReactNode;
  /** Selects all rows of the list, also those that are not loaded yet. Absent if there are too many. */
  all?: { count: number; select: () => void; isLoading: boolean } | undefined;
}

interface SelectBoxProps {
  label: string;
  checked: boolean;
  /** Whether only some of the rows are selected. */
  some?: boolean;
  /** `range` if the shift key was down. */
  onToggle: (range: boolean) => void;
}

/** Selects a row, or all. Mantine's checkbox has seven elements more, which are too many for every row of a list. */
export const SelectBox = ({ label, checked, some = false, onToggle }: SelectBoxProps) => (
  <input
    type="checkbox"
    className={`mantine-focus-auto ${classes['box']}`}
    aria-label={label}
    checked={checked}
    ref={(box) => {
      if (box) box.indeterminate = some;
    }}
    // The click has the shift key, also if the space bar made it.
    onClick={({ shiftKey }) => onToggle(shiftKey)}
    onChange={() => undefined}
  />
);

/** The number of selected rows, and the actions on them. Escape clears the selection. */
export function SelectionBar<Row>({
  selection: { selected, set, actions, all },
  keys,
}: {
  selection: Selection<Row>;
  keys: readonly string[];
}) {
  const count = selected.keys.size;
  const loaded = new Set(keys);
  /** Whether rows are selected that are not loaded in the list. */
  const isBeyond = [...selected.keys].some((key) => !loaded.has(key));
  useEffect(() => {
    if (count === 0) return undefined;
    const clear = (event: KeyboardEvent): void => {
      // An open dialog or menu closes first.
      const isOver = document.querySelector('[role=dialog], [role=menu], [role=listbox]') !== null;
      if (event.key === 'Escape' && !event.defaultPrevented && !isOver) set(nothingSelected);
    };
    document.addEventListener('keydown', clear);
    return () => document.removeEventListener('keydown', clear);
  }, [count, set]);
  if (count === 0) return null;
  return (
    <div
      className={classes['bar']}
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
      <Group gap="xs" flex={1}>
        {actions}
      </Group>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => set(nothingSelected)}>
        {t('Auswahl aufheben', 'Clear selection')}
      </Button>
    </div>
  );
}

type Item = Pick<BulkResults['results'][number], 'code' | 'retry_after'>;

/** The reason why an action failed for one of several rows. */
export const refusalText = ({ code, retry_after: wait }: Item): string => {
  const reasons: Partial<Record<NonNullable<Item['code']>, string>> = {
    not_found: t('Nicht mehr vorhanden.', 'It no longer exists.'),
    conflict: t('Der Status hat sich inzwischen geändert.', 'The status has changed in the meantime.'),
    validation_error: t(
      'Beim aktuellen Status ist das nicht möglich.',
      'This is not possible with the current status.',
    ),
    insufficient_scope: t('Dafür fehlt Ihnen die Berechtigung.', 'You don’t have permission for this.'),
    seat_limit_reached: t('Es ist kein Platz frei.', 'No seat is available.'),
    last_admin: t('Ein Team braucht mindestens einen aktiven Admin.', 'A team needs at least one active admin.'),
    owner: t('Das ist der Inhaber.', 'This is the owner.'),
    vorgabe_gesperrt: t(
      'Eine Vorgabe sperrt diese Auswahl für die Person.',
      'A policy blocks this choice for the person.',
    ),
    kombination_ungueltig: t(
      'Der Katalog lässt diese Kombination nicht mehr zu.',
      'The catalog no longer allows this combination.',
    ),
    api_disabled: t('Die API ist für dieses Team abgeschaltet.', 'The API is disabled for this team.'),
  };

  if (wait !== undefined) {
    return t(
      `Das Limit ist erreicht; wieder möglich ${waitInWords(wait)}.`,
      `The limit is reached; possible again ${waitInWords(wait)}.`,
    );
  }
  return (code && reasons[code]) ?? t('Das war nicht möglich.', 'This was not possible.');
};

interface Failure {
  name: string;
  reason: string;
}

interface BulkOutcome {
  done: number;
  failed: readonly Failure[];
}

/**
 * The selection among the rows of a list, and the outcome of an action on them. Rows that leave the list are no longer selected. Successes
 * are confirmed; failures stay visible with their reasons.
 */
export const useSelected = <Row,>(
  rows: readonly Row[] | undefined,
  keyOf: (row: Row) => string,
  label: (row: Row) => string,
) => {
  const [stored, set] = useState(nothingSelected);
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const selected = useMemo(() => among(stored, rows?.map(keyOf) ?? []), [stored, rows, keyOf]);
  const chosen = rows?.filter((row) => selected.keys.has(keyOf(row))) ?? [];
  const nameOf = (id: string): string => {
    const row = rows?.find((one) => keyOf(one) === id);
    return row === undefined ? id : label(row);
  };
  /** Shows the results of an action, and removes its rows from the selection. */
  const finish = ({ results }: BulkResults, doneText: (count: number) => string): void => {
    const failed = results.flatMap((item) =>
      item.code === null ? [] : [{ name: nameOf(item.id), reason: refusalText(item) }],
    );
    const done = results.length - failed.length;
    setOutcome({ done, failed });
    if (done > 0) notify(doneText(done));
    const ids = new Set(results.map(({ id }) => id));
    // An action in parts takes a while, so the selection may have changed since it began.
    set(({ keys }) => ({ keys: new Set([...keys].filter((key) => !ids.has(key))), last: undefined }));
  };
  return {
    selection: { selected, set, label },
    chosen,
    finish,
    failures: <BulkFailures outcome={outcome} onClose={() => setOutcome(undefined)} />,
  };
};

/** The rows for which an action was not possible, until the reader closes the message. */
const BulkFailures = ({ outcome, onClose }: { outcome: BulkOutcome | undefined; onClose: () => void }) => {
  if (!outcome || outcome.failed.length === 0) return null;
  const { done, failed } = outcome;
  return (
    <Notice
      tone="warn"
      role="alert"
      title={t(
        `Bei ${number(failed.length)} von ${number(done + failed.length)} war das nicht möglich`,
        `This was not possible for ${number(failed.length)} of ${number(done + failed.length)}`,
      )}
    >
      <Stack gap="xs" align="flex-start">
        <List size="sm" mah={220} style={{ overflowY: 'auto' }} tabIndex={0} aria-label={t('Gründe', 'Reasons')}>
          {failed.map(({ name, reason }, index) => (
            <List.Item key={index}>
              <b>{name}</b>: {reason}
            </List.Item>
          ))}
        </List>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          {t('Ausblenden', 'Dismiss')}
        </Button>
      </Stack>
    </Notice>
  );
};
