import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Assignment } from '../../../modules/assignments/schema.ts';
import { DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { asSent, PracticeFields, useTitleFlaw } from './practice-fields.tsx';
import type { PracticeText } from './practice-fields.tsx';

/** Changes what an assignment says. What is practised, and by whom, stays. */
export const AssignmentForm = ({
  assignment,
  onClose,
}: {
  assignment: Pick<Assignment, 'id' | 'title' | 'note' | 'due_date' | 'focus_dimension'>;
  onClose: () => void;
}) => {
  const t = useText();
  const flawOf = useTitleFlaw();
  const change = app.useChange('assigning.change');
  const [text, setText] = useState<PracticeText>({
    title: assignment.title ?? '',
    note: assignment.note ?? '',
    due: assignment.due_date ?? '',
    focus: assignment.focus_dimension ?? '',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (flawOf(text.title) !== undefined) return;
    change.mutate(
      { assignment_id: assignment.id, ...asSent(text) },
      {
        onSuccess: () => {
          tell(t('Die Aufgabe ist geändert.', 'The assignment is changed.'));
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PracticeFields value={text} onChange={setText} flaws={flawsByField(problemOf(change.error))} />
        <ProblemAlert error={change.error} />
        <DialogButtons action={t('Speichern', 'Save')} running={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
};
