import { Button, Group } from '@mantine/core';
import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { Hint } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { draftNamed } from '../../session/drafts.ts';
import { restorable, worthKeeping } from './draft-values.ts';

// Forms that store unsent input. `session/drafts.ts` has the storage.

/**
 * The name of a form's draft on its page, and the fields that are stored. Passwords, tokens and other secrets must not
 * be among them.
 */
export interface DraftOf<Values> {
  name: string;
  fields: readonly (keyof Values & string)[];
}

/** The functions of a form that the dialog around it calls. */
export interface UnsentInput {
  isDirty: () => boolean;
  /** Deletes the form's draft. */
  drop: () => void;
}

/** Collects the forms in a dialog. */
export const FormsOfDialog = createContext<Set<UnsentInput> | undefined>(undefined);

/** Registers a form with the dialog around it, if there is one. The dialog then asks before it drops unsent input. */
export const useUnsentInput = (form: UnsentInput): void => {
  const inDialog = useContext(FormsOfDialog);
  const current = useRef(form);
  current.current = form;
  useEffect(() => {
    const registered = { isDirty: () => current.current.isDirty(), drop: () => current.current.drop() };
    inDialog?.add(registered);
    return () => void inDialog?.delete(registered);
  }, [inDialog]);
};

/** Stores a form's values as a draft. If there are former values, `restore` is called with them once. */
export const useDraft = <Values extends object>(
  draft: DraftOf<Values> | undefined,
  initial: Values,
  restore: (form: Partial<Values>) => void,
) => {
  const [restoredFrom, setRestoredFrom] = useState<number>();
  const [kept] = useState(() => draft && draftNamed(draft.name));
  useEffect(() => {
    const former = kept?.read();
    if (!draft || !former) return;
    const values = restorable(draft.fields, former.values, initial);
    if (values === undefined) return;
    restore(values);
    setRestoredFrom(former.savedAt);
    // The effect runs once, when the form appears.
  }, []);
  return {
    /** The time when the restored draft was saved; undefined if the form started without one. */
    restoredFrom,
    keep: (values: Values): void => {
      if (!draft || !kept) return;
      const wanted = worthKeeping(draft.fields, values, initial);
      if (wanted === undefined) kept.drop();
      else kept.keep(wanted);
    },
    /** Whether a draft of the form is stored. */
    isKept: (): boolean => kept?.read() !== undefined,
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
