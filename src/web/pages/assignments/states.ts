import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import type { StateWords } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';

export type AssignmentStatus = GivenAssignment['status'];

export const assignmentStates = (): Readonly<Record<AssignmentStatus, StateWords>> => ({
  open: ['info', t('Offen', 'Open')],
  in_progress: ['info', t('In Arbeit', 'In progress')],
  done: ['good', t('Erledigt', 'Done')],
  revoked: ['plain', t('Zurückgezogen', 'Withdrawn')],
});
