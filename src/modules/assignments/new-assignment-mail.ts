import type { Language } from '../../core/language.ts';
import { quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { letter, queueMails } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';
import { reports } from '../reporting/store.ts';
import type { Assignment, Unmailed } from './schema.ts';

/** A new assignment and its member. */
export interface GivenTo {
  memberId: string;
  assignment: Assignment;
}

type Reader = Awaited<ReturnType<typeof reports.readersOf>>[number];

interface News {
  teamName: string;
  title: string;
  day: string | null;
}

const texts: Readonly<Record<Language, (news: News) => Record<'lead' | 'action' | 'ending', string>>> = {
  de: ({ teamName, title, day }) => ({
    lead: `Im Team „${teamName}“ haben Sie eine neue Aufgabe: „${title}“.${day === null ? '' : ` Bitte erledigen Sie sie bis zum ${day}.`}`,
    action: 'Aufgabe ansehen',
    ending: 'Ist ein Gespräch dazu geführt, gilt die Aufgabe als erledigt.',
  }),
  en: ({ teamName, title, day }) => ({
    lead: `You have a new assignment in the team “${teamName}”: “${title}”.${day === null ? '' : ` Please complete it by ${day}.`}`,
    action: 'Look at the assignment',
    ending: 'Once you have held a conversation for it, the assignment counts as done.',
  }),
};

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const newAssignmentMail = (
  { language, team_name }: Reader,
  { id, title, due_date }: Assignment,
  team: Team,
): MailContent => {
  const day =
    due_date === null
      ? null
      : new Date(due_date).toLocaleDateString(locale[language], { dateStyle: 'long', timeZone: 'UTC' });
  const link = `${team.platform.publicUrl}/assignments?assignment_id=${id}&team=${team.id}`;
  const news = { teamName: quotable(team_name), title: quotable(title ?? ''), day };
  return letter(language, { ...texts[language](news), link });
};

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
  const mails = mailed.map(({ reader, assignment }) => ({
    recipient: reader.email,
    language: reader.language,
    kind: 'assignment_given' as const,
    content: newAssignmentMail(reader, assignment, team),
  }));
  for (const [index, refusal] of (await queueMails(tx, team, mails)).entries()) {
    const member_id = mailed[index]?.memberId;
    if (refusal && member_id !== undefined) unmailed.push({ member_id, reason: `${refusal.limit}_limit` });
  }
  return unmailed;
};
