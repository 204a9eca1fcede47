import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import type { Assignment } from '../../../modules/assignments/schema.ts';
import { DateField } from '../../kit/form/date-field.tsx';
import { optionsOf } from '../../kit/list/filters.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { scoreDimensions } from '../../kit/charts/scores.tsx';
import { dueDayIn } from '../../kit/text/dates.ts';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { draftOfOne } from '../../session/draft-keys.ts';
import { textsToSend, type AssignmentTexts } from './assignment-texts.ts';

type ChangedAssignment = Pick<Assignment, 'id' | 'title' | 'note' | 'due_date' | 'focus_dimension'>;

/** Changes the texts of an assignment. The situation and the recipient can't be changed. */
export const AssignmentForm = ({ assignment, onClose }: { assignment: ChangedAssignment; onClose: () => void }) => {
  const checkTitle = useTitleCheck();
  const form = useServerForm<AssignmentTexts, unknown>({
    initial: {
      title: assignment.title ?? '',
      note: assignment.note ?? '',
      due_date: assignment.due_date ?? '',
      focus_dimension: assignment.focus_dimension ?? '',
    },
    check: ({ title }) => ({ title: checkTitle(title) }),
    checkWhileTyping: ['title'],
    draft: { name: draftOfOne('assignment', assignment.id), fields: ['title', 'note', 'due_date', 'focus_dimension'] },
    send: (texts) => client.app.assigning.change.mutate({ assignment_id: assignment.id, ...textsToSend(texts) }),
    done: t('Aufgabe gespeichert.', 'Assignment saved.'),
    onSent: onClose,
  });
  return (
    <Form form={form} action={t('Speichern', 'Save')} onCancel={onClose}>
      <AssignmentFields form={form} first />
    </Form>
  );
};

/** Returns the message for a title that is too long. Its length is counted in Unicode code points. */
export const useTitleCheck = (): ((title: string) => string | undefined) => {
  const max = useQuery(app.reference.limits.queryOptions({})).data?.assignment_title_characters;
  return (title) =>
    max !== undefined && [...title.trim()].length > max
      ? t(`Der Titel darf höchstens ${max} Zeichen lang sein.`, `The title can have at most ${max} characters.`)
      : undefined;
};

/** A field for a due day, with buttons for days that are often chosen. */
export const DueDateField = (field: ComponentProps<typeof DateField>) => (
  <Stack gap="xs">
    <DateField {...field} />
    <Group gap="xs">
      {[7, 14, 30].map((days) => (
        <Button key={days} size="compact-sm" onClick={() => field.onChange(dueDayIn(days))}>
          {t(`In ${days} Tagen`, `In ${days} days`)}
        </Button>
      ))}
    </Group>
  </Stack>
);

interface AssignmentFieldsProps {
  form: Pick<UseFormReturnType<AssignmentTexts>, 'getInputProps'>;
  /** Whether the form begins with these fields. */
  first?: boolean;
}

export const AssignmentFields = ({ form, first = false }: AssignmentFieldsProps) => (
  <>
    <TextInput
      label={t('Titel', 'Title')}
      required
      data-autofocus={first || undefined}
      {...form.getInputProps('title')}
    />
    <Textarea
      label={t('Hinweis', 'Note')}
      description={t('Für das Mitglied sichtbar.', 'Visible to the member.')}
      autosize
      minRows={2}
      maxRows={8}
      {...form.getInputProps('note')}
    />
    <DueDateField label={t('Fällig am', 'Due date')} {...form.getInputProps('due_date')} />
    <NativeSelect
      label={t('Schwerpunkt', 'Focus')}
      description={t('Bereich, der vorrangig geübt werden soll.', 'The area to practise first.')}
      data={[{ value: '', label: t('Kein Schwerpunkt', 'No focus') }, ...optionsOf(scoreDimensions())]}
      {...form.getInputProps('focus_dimension')}
    />
  </>
);
