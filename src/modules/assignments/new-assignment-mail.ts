import { quotable } from '../../core/name-text.ts';
import { practiceLink } from '../../core/practice.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { reports } from '../reporting/store.ts';
import type * as schema from './schema.ts';
import type { Assignment } from './store.ts';

/** A member who gets no mail, and why. */
export type Unmailed = Camel<schema.Unmailed>;

/** A new assignment and its member. */
export interface GivenTo {
  memberId: string;
  assignment: Assignment;
}

interface NewAssignment {
  teamName: string;
  assignment: Assignment;
  /** The address at which the member practises, if the operator has set one. */
  practice: string | null;
}

const newAssignmentMail = mailTemplate<NewAssignment>('assignment_given', {
  de: ({ teamName, assignment: { title, dueDate }, practice }, { day }) => ({
    ...(dueDate !== null && { when: `, fällig am ${day(new Date(dueDate), 'UTC')}` }),
    lead: `Im Team „${quotable(teamName)}“ haben Sie eine neue Aufgabe: „${quotable(title ?? '')}“.${dueDate === null ? '' : ` Bitte erledigen Sie sie bis zum ${day(new Date(dueDate), 'UTC')}.`}`,
    ...(practice !== null && { first: { action: 'Training starten', link: practice } }),
    action: 'Aufgabe ansehen',
    ending: 'Die Aufgabe gilt als erledigt, sobald Sie ein zugehöriges Training abgeschlossen haben.',
  }),
  en: ({ teamName, assignment: { title, dueDate }, practice }, { day }) => ({
    ...(dueDate !== null && { when: `, due on ${day(new Date(dueDate), 'UTC')}` }),
    lead: `You have a new assignment in the team “${quotable(teamName)}”: “${quotable(title ?? '')}”.${dueDate === null ? '' : ` Please complete it by ${day(new Date(dueDate), 'UTC')}.`}`,
    ...(practice !== null && { first: { action: 'Start training', link: practice } }),
    action: 'View assignment',
    ending: 'The assignment is marked as done once you have completed a training for it.',
  }),
});

/**
 * Mails members their new assignments, each in their own language. Like `queueMails`, this must be the last step of the
 * transaction. Returns the members who get no mail. They only see the assignment in the app.
 */
export const mailRecipients = async (tx: Tx, team: Team, given: readonly GivenTo[]): Promise<Unmailed[]> => {
  const memberIds = given.map(({ memberId }) => memberId);
  const found = new Map((await reports.readersOf(tx, team.id, memberIds)).map((reader) => [reader.id, reader]));
  const unmailed: Unmailed[] = memberIds
    .filter((memberId) => !found.has(memberId))
    .map((memberId) => ({ memberId, reason: 'invited' }));

  const mailed = given.flatMap(({ memberId, assignment }) => {
    const reader = found.get(memberId);
    return reader ? [{ memberId, reader, assignment }] : [];
  });
  const mails = mailed.map(({ reader, assignment }) => {
    const { publicUrl, practiceUrl } = team.platform;
    const link = `${publicUrl}/assignments?assignment_id=${assignment.id}&team=${team.id}`;
    const practice = practiceLink(practiceUrl, assignment.id);
    return newAssignmentMail(reader, link, { teamName: reader.teamName, assignment, practice });
  });
  for (const [index, refusal] of (await queueMails(tx, team, mails)).entries()) {
    const memberId = mailed[index]?.memberId;
    if (refusal && memberId !== undefined) unmailed.push({ memberId, reason: `${refusal.limit}_limit` });
  }
  return unmailed;
};
