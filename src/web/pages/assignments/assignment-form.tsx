import { NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Assignment } from '../../../modules/assignments/schema.ts';
import { DialogButtons } from '../../kit/dialog.tsx';
import { isAmong } from '../../kit/filters.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useScoreDimensions } from '../../kit/scores.tsx';
import type { ScoreDimension } from '../../kit/scores.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';

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

/** What an assignment says beside what is practised, as it stands in the fields. */
interface PracticeText {
  title: string;
  note: string;
  due: string;
  focus: ScoreDimension | '';
}

export const noText: PracticeText = { title: '', note: '', due: '', focus: '' };

/** The same as the server takes it: nothing written is nothing said. */
export const asSent = ({ title, note, due, focus }: PracticeText) => ({
  title: title.trim(),
  note: note.trim() === '' ? null : note.trim(),
  due_date: due === '' ? null : due,
  focus_dimension: focus === '' ? null : focus,
});

/** Why a title is none, in words; undefined for a good one. Lengths are counted in characters as people see them. */
export const useTitleFlaw = (): ((title: string) => string | undefined) => {
  const t = useText();
  const most = app.useAnswer('reference.limits', {}).data?.assignment_title_characters;
  return (title) =>
    most !== undefined && [...title.trim()].length > most
      ? t(`Der Titel hat höchstens ${most} Zeichen.`, `A title has at most ${most} characters.`)
      : undefined;
};

interface PracticeFieldsProps {
  value: PracticeText;
  onChange: (value: PracticeText) => void;
  /** What the server says against them. */
  flaws: Record<string, string>;
}

export const PracticeFields = ({ value, onChange, flaws }: PracticeFieldsProps) => {
  const t = useText();
  const flawOf = useTitleFlaw();
  const focuses = useScoreDimensions();
  return (
    <>
      <TextInput
        label={t('Titel', 'Title')}
        required
        value={value.title}
        onChange={(event) => onChange({ ...value, title: event.currentTarget.value })}
        error={flawOf(value.title) ?? flaws['title']}
      />
      <Textarea
        label={t('Hinweis', 'Note')}
        description={t('Das Mitglied sieht diese Notiz.', 'The member sees this note.')}
        autosize
        minRows={2}
        maxRows={8}
        value={value.note}
        onChange={(event) => onChange({ ...value, note: event.currentTarget.value })}
        error={flaws['note']}
      />
      <TextInput
        type="date"
        label={t('Fällig am', 'Due on')}
        value={value.due}
        onChange={(event) => onChange({ ...value, due: event.currentTarget.value })}
        error={flaws['due_date']}
      />
      <NativeSelect
        label={t('Schwerpunkt', 'Focus')}
        description={t('Woran vor allem gearbeitet werden soll.', 'The most important thing to work on.')}
        value={value.focus}
        onChange={({ currentTarget: { value: focus } }) =>
          onChange({ ...value, focus: isAmong(focuses, focus) ? focus : '' })
        }
        data={[
          { value: '', label: t('Kein besonderer', 'None in particular') },
          ...Object.entries(focuses).map(([focus, label]) => ({ value: focus, label })),
        ]}
        error={flaws['focus_dimension']}
      />
    </>
  );
};
