import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Day } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';

export type AssignmentStatus = GivenAssignment['status'];

/** The four states by their names. */
export const useStatusNames = (): Readonly<Record<AssignmentStatus, string>> => {
  const t = useText();
  return {
    open: t('Offen', 'Open'),
    in_progress: t('In Arbeit', 'In progress'),
    done: t('Erledigt', 'Done'),
    revoked: t('Zurückgezogen', 'Withdrawn'),
  };
};

const tones: Readonly<Record<AssignmentStatus, Tone>> = {
  open: 'info',
  in_progress: 'warn',
  done: 'good',
  revoked: 'plain',
};

export const AssignmentStatusMark = ({ status }: { status: AssignmentStatus }) => (
  <Status tone={tones[status]}>{useStatusNames()[status]}</Status>
);

const listed = ['unfinished', 'open', 'in_progress', 'done', 'revoked'] as const;

/** A state, or the open ones and those in progress together, as an address says it; undefined for anything else. */
export const statusIn = (text: string): (typeof listed)[number] | undefined => listed.find((status) => status === text);

/** When it is due, and whether that day is over. */
export const Due = ({ on, overdue }: { on: string | null; overdue: boolean }) => {
  const t = useText();
  if (on === null) return <>—</>;
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', gap: 8, alignItems: 'center' }}>
      <Day on={on} />
      {overdue && <Status tone="bad">{t('Überfällig', 'Overdue')}</Status>}
    </span>
  );
};

/** What to call an assignment, also one without a title. */
export const useTitle = (): ((assignment: { title: string | null }) => string) => {
  const t = useText();
  return ({ title }) => title ?? t('Aufgabe ohne Titel', 'Untitled assignment');
};
