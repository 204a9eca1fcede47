import { daysToMs, later } from '../../core/clock.ts';
import type { Team } from '../../platform/team.ts';
import { mondayOf } from '../analytics/service.ts';
import { countTeam, listTeam } from '../members/service.ts';
import { overviews, reports } from '../reporting/store.ts';

// The members with overdue assignments, the members who have not practised for some time, and the members who practised
// in the last week. They are found in the same way as in the lists to which the overview leads.

export interface NamedMember {
  memberId: string;
  name: string | null;
  email: string;
  /** How many overdue assignments the member has, or how many trainings of the last week. Absent in `inactive`. */
  count?: number;
}

interface MemberGroup {
  /** The number of overdue assignments, of inactive members, or of trainings. */
  total: number;
  /** Some of the members; none while the team hides member details. */
  members: readonly NamedMember[];
}

export interface PeopleMatters {
  overdue: MemberGroup;
  inactive: MemberGroup;
  /** Scored trainings that began in the last week (UTC): `people` counts their members, `total` the trainings. */
  practised: MemberGroup & { people: number };
}

const shownMembers = 10;

const none: MemberGroup = { total: 0, members: [] };

const overdueOf = async (team: Team): Promise<MemberGroup> => {
  const { database, clock } = team.platform;
  const total = await overviews.countOverdue(database, team.id, clock.now());
  if (total === 0 || !team.privacy.memberDetail) return { total, members: [] };
  const { data } = await listTeam(team, { sort: { by: 'overdue', desc: true }, limit: shownMembers });
  const members = data.flatMap(({ id: memberId, name, email, work }) =>
    work && work.overdue > 0 ? [{ memberId, name, email, count: work.overdue }] : [],
  );
  return { total, members };
};

const inactiveOf = async (team: Team): Promise<MemberGroup> => {
  if (!team.privacy.memberDetail) return none;
  const { count: total } = await countTeam(team, { inactive: true });
  if (total === 0) return none;
  const { data } = await listTeam(team, { inactive: true, limit: shownMembers });
  return { total, members: data.map(({ id: memberId, name, email }) => ({ memberId, name, email })) };
};

const practisedIn = async (team: Team, week: { gte: Date; lt: Date }): Promise<PeopleMatters['practised']> => {
  const { database } = team.platform;
  const found = await overviews.practised(database, team.id, week);
  const total = found.reduce((sum, { trainings }) => sum + trainings, 0);
  const group = { total, people: found.length };
  if (!team.privacy.memberDetail) return { ...group, members: [] };
  const first = found.slice(0, shownMembers);
  const ids = first.map(({ userId }) => userId);
  const people = new Map(
    (await reports.peopleOf(database.prisma, team.id, ids)).map((person) => [person.userId, person]),
  );
  const members = first.flatMap(({ userId, trainings: count }) => {
    const { memberId = null, name = null, email = null } = people.get(userId) ?? {};
    return memberId === null || email === null ? [] : [{ memberId, name, email, count }];
  });
  return { ...group, members };
};

/** The three groups of people that the weekly mail reports. */
export const peopleMatters = async (team: Team): Promise<PeopleMatters> => {
  const monday = new Date(mondayOf(team.platform.clock.now()));
  return {
    overdue: await overdueOf(team),
    inactive: await inactiveOf(team),
    practised: await practisedIn(team, { gte: later(monday, -daysToMs(7)), lt: monday }),
  };
};
