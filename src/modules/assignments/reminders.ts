import { daysToMs, later } from '../../core/clock.ts';
import type { Tx } from '../../db/database.ts';
import { practiceLink } from '../../core/practice.ts';
import { quotable } from '../../core/name-text.ts';
import { isId } from '../../core/ids.ts';
import { fail, Problem } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { outcomeOf, resultOf, type BulkResults } from '../../platform/bulk.ts';
import type { Team } from '../../platform/team.ts';
import { inShareLockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate, type NewMail } from '../mail/template.ts';
import { reports } from '../reporting/store.ts';
import { windows } from '../windows/store.ts';
import type * as schema from './schema.ts';
import { isUnfinished, lockAssignment } from './service.ts';
import { assignments } from './store.ts';

/** An assignment in the form in which a reminder names it. */
export interface NamedAssignment {
  id: string;
  title: string | null;
  dueDate: string | null;
}

interface ReminderValues {
  teamName: string;
  first: NamedAssignment;
  /** Further assignments of the same member. */
  others: readonly NamedAssignment[];
  /** The address at which the member practises a single assignment, if the operator has set one. */
  practice: string | null;
}

const reminderMail = mailTemplate<ReminderValues>('assignment_reminder', {
  de: ({ teamName, first, others, practice }, { day, number }) => {
    const due = ({ dueDate }: NamedAssignment) =>
      dueDate === null ? '' : `fällig am ${day(new Date(dueDate), 'UTC')}`;
    const title = (one: NamedAssignment) => `„${quotable(one.title ?? '')}“`;
    const practiceFirst = practice !== null && { first: { action: 'Training starten', link: practice } };
    if (others.length > 0) {
      return {
        when: ` und ${number(others.length)} weitere`,
        lead: `Im Team „${quotable(teamName)}“ sind ${number(others.length + 1)} Ihrer Aufgaben noch offen.`,
        list: [first, ...others].map((one) => [title(one), due(one)].filter(Boolean).join(', ')),
        action: 'Aufgaben ansehen',
        ending: 'Eine Aufgabe gilt als erledigt, sobald Sie ein zugehöriges Training abgeschlossen haben.',
      };
    }
    return {
      ...(first.dueDate !== null && { when: `, ${due(first)}` }),
      lead: `Ihre Aufgabe ${title(first)} im Team „${quotable(teamName)}“ ist noch offen.${first.dueDate === null ? '' : ` Sie ist ${due(first)}.`}`,
      ...practiceFirst,
      action: 'Aufgabe ansehen',
      ending: 'Die Aufgabe gilt als erledigt, sobald Sie ein zugehöriges Training abgeschlossen haben.',
    };
  },
  en: ({ teamName, first, others, practice }, { day, number }) => {
    const due = ({ dueDate }: NamedAssignment) => (dueDate === null ? '' : `due on ${day(new Date(dueDate), 'UTC')}`);
    const title = (one: NamedAssignment) => `“${quotable(one.title ?? '')}”`;
    const practiceFirst = practice !== null && { first: { action: 'Start training', link: practice } };
    if (others.length > 0) {
      return {
        when: ` and ${number(others.length)} more`,
        lead: `In the team “${quotable(teamName)}”, ${number(others.length + 1)} of your assignments are not done yet.`,
        list: [first, ...others].map((one) => [title(one), due(one)].filter(Boolean).join(', ')),
        action: 'View assignments',
        ending: 'An assignment is marked as done once you have completed a training for it.',
      };
    }
    return {
      ...(first.dueDate !== null && { when: `, ${due(first)}` }),
      lead: `Your assignment ${title(first)} in the team “${quotable(teamName)}” is not done yet.${first.dueDate === null ? '' : ` It is ${due(first)}.`}`,
      ...practiceFirst,
      action: 'View assignment',
      ending: 'The assignment is marked as done once you have completed a training for it.',
    };
  },
});

type RemindedMember = Awaited<ReturnType<typeof reports.readersOf>>[number];

/** One mail that reminds a member of these assignments. */
export const reminderTo = (
  reader: RemindedMember,
  team: Team,
  first: NamedAssignment,
  others: readonly NamedAssignment[],
): NewMail => {
  const { publicUrl, practiceUrl } = team.platform;
  const wanted = others.length > 0 ? '' : `assignment_id=${first.id}&`;
  return reminderMail(reader, `${publicUrl}/assignments?${wanted}team=${team.id}`, {
    teamName: reader.teamName,
    first,
    others,
    practice: practiceLink(practiceUrl, first.id),
  });
};

const remindAgainAfterSeconds = 24 * 3_600;

/** The window in which no second reminder of an assignment is sent. */
const windowOf = (id: string): string => `reminder of ${id}`;

/**
 * Counts and records a reminder, before its mail is queued. If the member was already reminded of the assignment in the
 * last 24 hours, returns for how many seconds there can be no further reminder.
 */
export const countReminder = async (
  tx: Tx,
  team: Team,
  memberId: string,
  { id, title }: NamedAssignment,
): Promise<number | undefined> => {
  const now = team.platform.clock.now();
  const { used, wait } = await windows.count(tx, { subject: windowOf(id), seconds: remindAgainAfterSeconds, now });
  if (used > 1) return wait;
  record(tx, team, { action: 'assignment.reminded', target: { type: 'assignment', id }, data: { memberId, title } });
  return undefined;
};

/**
 * Reminds members of assignments by mail: one mail for each member, each assignment once in 24 hours, and within the
 * limits of mails. Refused for assignments that are done or revoked.
 */
export const remindMany = async (caller: Team, ids: readonly string[]): Promise<BulkResults> => {
  const { prisma } = caller.platform.database;
  const known = await assignments.inBrief(prisma, caller.id, ids.filter(isId));
  const results = new Map<string, BulkResults['results'][number]>();
  for (const [memberId, theirs] of Map.groupBy(ids, (id) => known.get(id)?.memberId)) {
    const outcomes = memberId === undefined ? [] : await remindMember(caller, memberId, theirs);
    for (const id of theirs) results.set(id, resultOf(id, { problem: new Problem('not_found') }));
    for (const result of outcomes) results.set(result.id, result);
  }
  return { results: ids.flatMap((id) => results.get(id) ?? []) };
};

/**
 * Reminds one member of some of their assignments by one mail. Each assignment has a result of its own. No mail is sent
 * if all are refused.
 */
const remindMember = async (caller: Team, memberId: string, ids: readonly string[]) => {
  const refused = new Map<string, Problem>();
  const outcome = await outcomeOf(() =>
    inShareLockedTeam(caller, async (tx, team) => {
      // A member who has not accepted the invitation gets no reminders.
      const [found] = await reports.readersOf(tx, team.id, [memberId]);
      const reader = found ?? fail('conflict');
      const due: NamedAssignment[] = [];
      for (const id of ids) {
        const locked = await lockAssignment(tx, team, id);
        const refuse = (...problem: ConstructorParameters<typeof Problem>) => refused.set(id, new Problem(...problem));
        if (!locked) {
          refuse('not_found');
          continue;
        }
        const { title, dueDate } = locked.assignment;
        if (!isUnfinished(locked.assignment)) {
          refuse('conflict');
          continue;
        }
        const one = { id, title, dueDate };
        const wait = await countReminder(tx, team, memberId, one);
        if (wait === undefined) due.push(one);
        else refuse('rate_limited', { retry_after: wait });
      }
      const [first, ...others] = due;
      if (!first) return;
      const [refusal] = await queueMails(tx, team, [reminderTo(reader, team, first, others)]);
      // The error rolls the counts back, because a refused mail is no reminder.
      if (refusal) fail('rate_limited', { retry_after: refusal.retryAfter });
    }),
  );
  return ids.map((id) => {
    const problem = refused.get(id);
    return resultOf(id, problem ? { problem } : outcome);
  });
};

/**
 * A preview of `remindMany` with the same ids: how many assignments each member would be reminded of, and the first
 * mail. The limits of mails are ignored.
 */
export const previewReminders = async (team: Team, ids: readonly string[]): Promise<Camel<schema.ReminderPreview>> => {
  if (!team.privacy.memberDetail) fail('privacy_restricted');
  const { database, clock } = team.platform;
  const known = await assignments.inBrief(database.prisma, team.id, ids.filter(isId));
  const open = [...new Set(ids)].flatMap((id) => known.get(id) ?? []).filter(isUnfinished);
  const memberIds = [...new Set(open.map(({ memberId }) => memberId))];
  const readers = await reports.readersOf(database.prisma, team.id, memberIds);
  const readerOf = new Map(readers.map((reader) => [reader.id, reader]));
  const reachable = open.filter(({ memberId }) => readerOf.has(memberId));
  const subjects = reachable.map(({ id }) => windowOf(id));
  const lately = await windows.open(database, subjects, clock.now());
  const due = reachable.filter(({ id }) => !lately.has(windowOf(id)));
  const byMember = [...Map.groupBy(due, ({ memberId }) => memberId)];
  const [memberId, [first, ...others]] = byMember[0] ?? ['', []];
  const reader = readerOf.get(memberId);
  const mail = first && reader && reminderTo(reader, team, first, others);
  return {
    data: byMember.map(([id, theirs]) => ({ memberId: id, assignments: theirs.length })),
    mail: mail ? shown(mail) : null,
    remindedLately: reachable.length - due.length,
    unreachable: memberIds.length - readers.length,
  };
};

const shown = ({ recipient: email, language, content: { subject, text } }: NewMail) => ({
  email,
  language,
  subject,
  text,
});

const shownDays = 14;

/**
 * How many active members were reminded in the last `shownDays` days, and how many of them have practised since.
 * Refused while the team hides member details.
 */
export const remindedPeople = async ({ id: tenantId, privacy, platform }: Team) => {
  if (!privacy.memberDetail) fail('privacy_restricted');
  const since = later(platform.clock.now(), -daysToMs(shownDays));
  return { days: shownDays, ...(await reports.remindedSince(platform.database, { tenantId, since })) };
};

/** Adds each assignment's last reminder: when, by whom, and whether the member has practised since. */
export const withReminders = async <Given extends { id: string }>(
  { id: tenantId, platform: { database } }: Team,
  given: readonly Given[],
) => {
  const found = await reports.lastReminders(database, { tenantId, ids: given.map(({ id }) => id) });
  const userIds = [...new Set(found.flatMap(({ userId }) => (userId !== null && isId(userId) ? [userId] : [])))];
  const people = await reports.peopleOf(database.prisma, tenantId, userIds);
  return given.map((one) => {
    const last = found.find(({ id }) => id === one.id);
    if (!last) return { ...one, reminded: null };
    const { at, userId, automatic, practised } = last;
    const by = people.find((person) => person.userId === userId);
    return { ...one, reminded: { at, automatic, by: by?.name ?? by?.email ?? null, practised } };
  });
};
