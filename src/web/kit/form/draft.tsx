import { Button, Group } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';
import { Hint } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { draftNamed, forgetInterruption, wasInterrupted } from '../../session/drafts.ts';

// Forms that store unsent input. `session/drafts.ts` has the storage.

/** The name of a form's draft on its page, and the fields that are stored. Passwords, tokens and other secrets must not be among them. */
export interface DraftOf<Values> {
  name: string;
  fields: readonly (keyof Values & string)[];
}

/** Collects the functions that delete the drafts of the forms in a dialog: closing the dialog discards them. */
export const DraftsOfDialog = createContext<Set<() => void> | undefined>(undefined);

const pick = <Values extends object>(values: Values, fields: readonly (keyof Values & string)[]) =>
  Object.fromEntries(Object.entries(values).filter(([field]) => fields.some((kept) => kept === field)));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Stores a form's values as a draft. `restore` is called once with the former values, if there are any. */
export const useDraft = <Values extends object>(
  draft: DraftOf<Values> | undefined,
  initial: Values,
  restore: (form: Partial<Values>) => void,
) => {
  const [restoredFrom, setRestoredFrom] = useState<number>();
  const [kept] = useState(() => draft && draftNamed(draft.name));
  const inDialog = useContext(DraftsOfDialog);
  useEffect(() => {
    const former = kept?.read();
    if (!draft || !former) return;
    // Only fields that differ and that the form has: a newer version may have other fields.
    const values: Partial<Values> = {};
    for (const field of draft.fields) {
      const value = former.values[field];
      if (value !== undefined && !isSame(value, initial[field])) Object.assign(values, { [field]: value });
    }
    if (Object.keys(values).length === 0) return;
    restore(values);
    setRestoredFrom(former.savedAt);
    // Once, when the form appears.
  }, []);
  useEffect(() => {
    if (!kept || !inDialog) return undefined;
    inDialog.add(kept.drop);
    return () => void inDialog.delete(kept.drop);
  }, [inDialog, kept]);
  return {
    /** The time when the restored draft was saved; undefined if the form started without one. */
    restoredFrom,
    keep: (values: Values): void => {
      if (!draft || !kept) return;
      const wanted = pick(values, draft.fields);
      if (isSame(wanted, pick(initial, draft.fields))) kept.drop();
      else kept.keep(wanted);
    },
    drop: (): void => {
      kept?.drop();
      setRestoredFrom(undefined);
    },
  };
};

/** Shows that a form started with a draft, and offers to discard it. */
export const RestoredDraft = ({ onDiscard }: { onDiscard: () => void }) => (
  <Group gap="xs" role="status">
    <Hint>{t('Ihr Entwurf wurde wiederhergestellt.', 'Your draft was restored.')}</Hint>
    <Button variant="subtle" size="compact-sm" onClick={onDiscard}>
      {t('Entwurf verwerfen', 'Discard draft')}
    </Button>
  </Group>
);

/** Opens the dialog of the row whose form was interrupted, as soon as the rows are loaded. */
export const useInterruptedRow = <Row,>(
  rows: readonly Row[] | undefined,
  nameOf: (row: Row) => string,
  open: (row: Row) => void,
): void => {
  useEffect(() => {
    const row = rows?.find((one) => wasInterrupted(nameOf(one)));
    if (row === undefined) return;
    forgetInterruption(nameOf(row));
    open(row);
  }, [rows]);
};

/** Whether the dialog of a form opens with the page, because the person was interrupted while filling in the form. */
export const useHadDraft = (name: string): boolean => {
  const [hadDraft] = useState(() => wasInterrupted(name));
  useEffect(() => forgetInterruption(name), [name]);
  return hadDraft;
};
