import type { Language } from '../../core/language.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import { letter, queueMail } from '../mail/service.ts';
import type { MailBody } from '../mail/service.ts';
import type { Assignment } from './schema.ts';

/** What a member was just given to do. */
export interface GivenTo {
  memberId: string;
  assignment: Assignment;
}

interface Reader {
  id: string;
  email: string;
  invited: boolean;
  language: Language;
  team_name: string;
}

// Who has not accepted yet reads the language that they were invited in.
const readers = statement<Reader, [tenantId: string, memberIds: string[]]>(
  `select m.id, m.email, m.status = 'invited' as invited, coalesce(p.language, i.language, team.language)::text as language,
          team.name as team_name
     from member m
     join team on team.id = m.tenant_id
     left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
     left join person p on p.id = u.person_id
     left join invitation i on i.tenant_id = m.tenant_id and i.member_id = m.id
    where m.tenant_id = $1 and m.id = any ($2::uuid[])`,
);

interface News {
  teamName: string;
  title: string;
  day: string | null;
  invited: boolean;
}

const texts: Readonly<Record<Language, (news: News) => Record<'subject' | 'lead' | 'action' | 'ending', string>>> = {
  de: ({ teamName, title, day, invited }) => ({
    subject: `Neue Aufgabe im Team „${teamName}“: ${title}`,
    lead: `Im Team „${teamName}“ haben Sie eine neue Aufgabe: „${title}“.${day === null ? '' : ` Bitte erledigen Sie sie bis zum ${day}.`}`,
    action: 'Aufgabe ansehen',
    ending: invited
      ? 'Nehmen Sie dazu zuerst die Einladung in das Team an, die Sie in einer eigenen Mail bekommen haben.'
      : 'Ist ein Gespräch dazu geführt, gilt die Aufgabe als erledigt.',
  }),
  en: ({ teamName, title, day, invited }) => ({
    subject: `A new assignment in the team “${teamName}”: ${title}`,
    lead: `You have a new assignment in the team “${teamName}”: “${title}”.${day === null ? '' : ` Please complete it by ${day}.`}`,
    action: 'Look at the assignment',
    ending: invited
      ? 'To do so, first accept the invitation to the team, which you got in a mail of its own.'
      : 'Once you have held a conversation for it, the assignment counts as done.',
  }),
};

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const newAssignmentMail = (
  { language, team_name: teamName, invited }: Reader,
  { id, title, due_date }: Assignment,
  team: Team,
): MailBody => {
  const day =
    due_date === null
      ? null
      : new Date(due_date).toLocaleDateString(locale[language], { dateStyle: 'long', timeZone: 'UTC' });
  const link = `${team.platform.publicUrl}/assignments?assignment_id=${id}&team=${team.id}`;
  return letter(language, { ...texts[language]({ teamName, title: title ?? '', day, invited }), link });
};

/** Tells members by mail what they were given, each in the language that they read. */
export const mailRecipients = async (tx: Tx, team: Team, given: readonly GivenTo[]): Promise<void> => {
  const memberIds = given.map(({ memberId }) => memberId);
  const found = new Map((await rowsIn(tx, readers, team.id, memberIds)).map((reader) => [reader.id, reader]));
  for (const { memberId, assignment } of given) {
    const reader = found.get(memberId);
    if (!reader) continue;
    await queueMail(tx, team, {
      recipient: reader.email,
      language: reader.language,
      kind: 'assignment_given',
      body: newAssignmentMail(reader, assignment, team),
    });
  }
};
