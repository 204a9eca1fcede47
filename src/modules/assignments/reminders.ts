import { practiceLink } from '../../core/practice.ts';
import { quotable } from '../../core/name-text.ts';
import { fail } from '../../core/problem.ts';
import type { Team } from '../../platform/team.ts';
import { inShareLockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { reports } from '../reporting/store.ts';
import { windows } from '../windows/store.ts';
import { lockAssignment } from './service.ts';

interface Reminded {
  teamName: string;
  title: string | null;
  dueDate: string | null;
  /** Where the member practises, if the operator has said it. */
  practice: string | null;
}

const reminderMail = mailTemplate<Reminded>('assignment_reminder', {
  de: ({ teamName, title, dueDate, practice }, { day }) => ({
    ...(dueDate !== null && { when: `, fällig am ${day(new Date(dueDate), 'UTC')}` }),
    lead: `Ihre Aufgabe „${quotable(title ?? '')}“ im Team „${quotable(teamName)}“ ist noch offen.${dueDate === null ? '' : ` Sie ist fällig am ${day(new Date(dueDate), 'UTC')}.`}`,
    ...(practice !== null && { first: { action: 'Training starten', link: practice } }),
    action: 'Aufgabe ansehen',
    ending: 'Die Aufgabe gilt als erledigt, sobald Sie ein zugehöriges Training abgeschlossen haben.',
  }),
  en: ({ teamName, title, dueDate, practice }, { day }) => ({
    ...(dueDate !== null && { when: `, due on ${day(new Date(dueDate), 'UTC')}` }),
    lead: `Your assignment “${quotable(title ?? '')}” in the team “${quotable(teamName)}” is not done yet.${dueDate === null ? '' : ` It is due on ${day(new Date(dueDate), 'UTC')}.`}`,
    ...(practice !== null && { first: { action: 'Start training', link: practice } }),
    action: 'View assignment',
    ending: 'The assignment is marked as done once you have completed a training for it.',
  }),
});

const remindAgainAfterSeconds = 24 * 3_600;

/**
 * Reminds a member of an assignment by mail, once in 24 hours and within the limits of the team's mails. Refused for one
 * that is done or withdrawn. It is one of several in a call, whose answer has only the code of each refusal.
 */
export const remindOf = (caller: Team, id: string): Promise<void> =>
  inShareLockedTeam(caller, async (tx, team) => {
    const { memberId, assignment } = (await lockAssignment(tx, team, id)) ?? fail('not_found');
    const { status, title, dueDate } = assignment;
    if (status !== 'open' && status !== 'in_progress') fail('conflict');
    // A member who has not accepted the invitation gets no reminders.
    const [found] = await reports.readersOf(tx, team.id, [memberId]);
    const reader = found ?? fail('conflict');
    const now = team.platform.clock.now();
    const window = { subject: `reminder of ${id}`, seconds: remindAgainAfterSeconds, now };
    const { used, wait } = await windows.count(tx, window);
    // The refusal rolls the count back.
    if (used > 1) fail('rate_limited', { retry_after: wait });
    record(tx, team, { action: 'assignment.reminded', target: { type: 'assignment', id }, data: { memberId, title } });
    const { publicUrl, practiceUrl } = team.platform;
    const link = `${publicUrl}/assignments?assignment_id=${id}&team=${team.id}`;
    const practice = practiceLink(practiceUrl, id);
    const mail = reminderMail(reader, link, { teamName: reader.teamName, title, dueDate, practice });
    const [refusal] = await queueMails(tx, team, [mail]);
    if (refusal) fail('rate_limited', { retry_after: refusal.retryAfter });
  });
