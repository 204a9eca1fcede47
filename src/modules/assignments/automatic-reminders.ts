import { daysToMs, later, utcDay } from '../../core/clock.ts';
import { Problem } from '../../core/problem.ts';
import { clockIn, teamTimeZone } from '../../core/time-zone.ts';
import type { Tx } from '../../db/database.ts';
import { forTeam } from '../../db/row-security.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, inShareLockedTeam, teamsWithReminders, wantsReminders } from '../../platform/team-row.ts';
import { checkCombination } from '../catalog/service.ts';
import type { MailRefusal } from '../mail/budget.ts';
import { queueMails } from '../mail/service.ts';
import { reports } from '../reporting/store.ts';
import { countReminder, reminderTo, type NamedAssignment } from './reminders.ts';
import { lockAssignmentRow } from './service.ts';
import { assignments, type DueDays } from './store.ts';

// Reminders that the service sends by itself, if the team wants them: two days before the due day and one day after it.
// If the worker did not run on one of these two days, or a limit of mails was reached, the reminder is sent on the next
// day. Each is sent at most once, because the transaction that queues the mail also notes the due day in the
// assignment. If the due day changes, the new one has its own reminders.

/** The reminders, each by its distance in days from the due day. */
const offsets = { before: -2, after: 1 } as const;
const kinds = ['before', 'after'] as const;

/** Reminders are sent from the hour `first` until the hour `end`, in the team's time zone. */
const sendingHours = { first: 8, end: 18 };

const dayAfter = (day: string, count: number): string => utcDay(later(new Date(day), daysToMs(count)));

/** The due days for which reminders are sent at this time; undefined outside of `sendingHours`. */
export const dueDaysAt = (now: Date, timeZone: string): DueDays | undefined => {
  const { day: today, hour } = clockIn(timeZone)(now);
  if (hour < sendingHours.first || hour >= sendingHours.end) return undefined;
  const daysOf = (offset: number) => [0, -1].map((late) => new Date(dayAfter(today, late - offset)));
  return { before: daysOf(offsets.before), after: daysOf(offsets.after) };
};

/**
 * Which reminder an assignment needs, if its due day is one of `days`. If the member was given the assignment on the
 * reminder's day or later, the assignment does not need this reminder.
 */
export const reminderFor = (
  { dueDate, createdAt }: { dueDate: Date; createdAt: Date },
  days: DueDays,
  timeZone: string,
): keyof DueDays | undefined =>
  kinds.find(
    (kind) =>
      days[kind].some((day) => day.getTime() === dueDate.getTime()) &&
      clockIn(timeZone)(createdAt).day < dayAfter(utcDay(dueDate), offsets[kind]),
  );

/** Thrown to roll the transaction back, so that the reminders are due again in the next run. */
class RemindersPostponed extends Error {
  readonly limit: MailRefusal['limit'];
  constructor({ limit }: MailRefusal) {
    super(`the limit of the ${limit} is reached`);
    this.limit = limit;
  }
}

type Remindable = Awaited<ReturnType<typeof assignments.toRemind>>[number];

/** Whether the catalog and the policies allow the member to practise this assignment. */
const isOpenTo = async (tx: Tx, team: Team, { memberId, ...combination }: Remindable): Promise<boolean> => {
  try {
    await checkCombination(tx, team, memberId, combination);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code !== 'unavailable') return false;
    throw error;
  }
};

/** Reminds a member by one mail of the assignments among `ids` that still need a reminder. */
const remindMember = (caller: Team, memberId: string, ids: readonly string[], days: DueDays): Promise<void> =>
  inShareLockedTeam(caller, async (tx, team) => {
    if (!(await wantsReminders(tx, team))) return;
    const [reader] = await reports.readersOf(tx, team.id, [memberId]);
    if (!reader) return;
    for (const id of ids) lockAssignmentRow(tx, team, id);
    // The assignments are read again, because another worker may have reminded the member, or the member may have
    // practised.
    const due: NamedAssignment[] = [];
    for (const found of await assignments.toRemind(tx, { tenantId: team.id, ids: [...ids] }, days)) {
      const { id, title, dueDate, createdAt } = found;
      if (!dueDate) continue;
      const kind = reminderFor({ dueDate, createdAt }, days, teamTimeZone);
      if (!kind || !(await isOpenTo(tx, team, found))) continue;
      await assignments.noteReminded(tx, { tenantId: team.id, id }, kind, dueDate);
      const one = { id, title, dueDate: utcDay(dueDate) };
      // If the member was already reminded of this assignment in the last 24 hours, no further mail is needed.
      if ((await countReminder(tx, team, memberId, one)) === undefined) due.push(one);
    }
    const [first, ...others] = due;
    if (!first) return;
    const [refusal] = await queueMails(tx, team, [reminderTo(reader, team, first, others)]);
    if (refusal) throw new RemindersPostponed(refusal);
  });

const remindTeam = async (team: Team, days: DueDays): Promise<void> => {
  const found = await assignments.toRemind(team.platform.database.prisma, { tenantId: team.id }, days);
  for (const [memberId, theirs] of Map.groupBy(found, (one) => one.memberId)) {
    const ids = theirs.map(({ id }) => id);
    try {
      await remindMember(team, memberId, ids, days);
    } catch (error) {
      if (!(error instanceof RemindersPostponed)) throw error;
      if (error.limit === 'team') return;
    }
  }
};

/**
 * Sends the due reminders, team by team. If it fails for a team, `complain` is called with the error and the team. The
 * next run tries this team again.
 */
export const remindOfDue = async (
  platform: Platform,
  complain: (error: unknown, tenantId: string) => void,
): Promise<void> => {
  const days = dueDaysAt(platform.clock.now(), teamTimeZone);
  if (!days) return;
  for (const tenantId of await teamsWithReminders(platform.database)) {
    // `forTeam` selects the part of the database with the team, because each part counts the mails of its own teams.
    await forTeam(tenantId, async () => remindTeam(await actIn(platform, { kind: 'service' }, tenantId), days)).catch(
      (error: unknown) => complain(error, tenantId),
    );
  }
};
