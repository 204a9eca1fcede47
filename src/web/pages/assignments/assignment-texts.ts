import type { Assignment } from '../../../modules/assignments/schema.ts';

/** The texts of an assignment in the fields of the form. */
export interface AssignmentTexts {
  title: string;
  note: string;
  due_date: string;
  focus_dimension: NonNullable<Assignment['focus_dimension']> | '';
}

export const noTexts: AssignmentTexts = { title: '', note: '', due_date: '', focus_dimension: '' };

/** The same texts for the server: empty fields become null, except the title. */
export const textsToSend = ({ title, note, due_date, focus_dimension }: AssignmentTexts) => ({
  title: title.trim(),
  note: note.trim() === '' ? null : note.trim(),
  due_date: due_date === '' ? null : due_date,
  focus_dimension: focus_dimension === '' ? null : focus_dimension,
});
