import { quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { reports } from '../reporting/store.ts';
import type { Assignment, Unmailed } from './schema.ts';

/** A new assignment and its member. */
export interface GivenTo {
  memberId: string;
  assignment: Assignment;
}

const newAssignmentMail = mailTemplate<{ teamName: string; assignment: Assignment }>('assignment_given', {
  de: ({ teamName, assignment: { title, due_date } }, { day }) => ({
    ...(due_date !== null && { when: `, fällig am ${day(new Date(due_date), 'UTC')}` }),
    lead: `Im Team „${quotable(teamName)}“ haben Sie eine neue Aufgabe: „${quotable(title ?? '')}“.${due_date === null ? '' : ` Bitte erledigen Sie sie bis zum ${day(new Date(due_date), 'UTC')}.`}`,
    action: 'Aufgabe ansehen',
    ending: 'Die Aufgabe gilt als erledigt, sobald Sie ein zugehöriges Training abgeschlossen haben.',
  }),
  en: ({ teamName, assignment: { title, due_date } }, { day }) => ({
    ...(due_date !== null && { when: `, due on ${day(new Date(due_date), 'UTC')}` }),
    lead: `You have a new assignment in the team “${quotable(teamName)}”: “${quotable(title ?? '')}”.${due_date === null ? '' : ` Please complete it by ${day(new Date(due_date), 'UTC')}.`}`,
    action: 'View assignment',
    ending: 'The assignment is marked as done once you have completed a training for it.',
  }),
});

/**
 * Mails members their new assignments, each in their own language. It must be the transaction's last step. Returns the members who get no
 * mail: they see the assignment in the app.
 */
export const mailRecipients = async (tx: Tx, team: Team, given: readonly GivenTo[]): Promise<Unmailed[]> => {
  const memberIds = given.map(({ memberId }) => memberId);
  const found = new Map((await reports.readersOf(tx, team.id, memberIds)).map((reader) => [reader.id, reader]));
  const unmailed: Unmailed[] = memberIds
    .filter((memberId) => !found.has(memberId))
    .map((member_id) => ({ member_id, reason: 'invited' }));

  const mailed = given.flatMap(({ memberId, assignment }) => {
    const reader = found.get(memberId);
    return reader ? [{ memberId, reader, assignment }] : [];
  });
  const mails = mailed.map(({ reader, assignment }) => {
    const link = `${team.platform.publicUrl}/assignments?assignment_id=${assignment.id}&team=${team.id}`;
    return newAssignmentMail(reader, link, { teamName: reader.team_name, assignment });
  });
  for (const [index, refusal] of (await queueMails(tx, team, mails)).entries()) {
    const member_id = mailed[index]?.memberId;
    if (refusal && member_id !== undefined) unmailed.push({ member_id, reason: `${refusal.limit}_limit` });
  }
  return unmailed;
};
