import { daysToMs, later, utcDay } from '../../core/clock.ts';
import { emailPart } from '../../core/email-address.ts';
import { isId } from '../../core/ids.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { containing } from '../../db/query.ts';
import type { ListCount, Page } from '../../platform/paging.ts';
import { inTransaction, type Team } from '../../platform/team.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import { raise } from '../../deliveries/outbox.ts';
import { revokeAssignmentsOf } from '../assignments/service.ts';
import { record } from '../audit/service.ts';
import { noteDeleted } from '../deletions/service.ts';
import { keepOfMember } from '../directory/service.ts';
import { deleteMemberPolicy } from '../catalog/service.ts';
import { passwordResetLink } from '../people/service.ts';
import { personBehind } from '../people/store.ts';
import { reports } from '../reporting/store.ts';
import { updateListedOf } from '../trainings/service.ts';
import { findMember, type Member } from '../membership/service.ts';
import { members, type MemberRow } from '../membership/store.ts';
import { eventOf, memberRemoved } from './events.ts';
import { requireAnotherAdmin, requireRightToGrantAdmin } from './roles.ts';
import type * as schema from './schema.ts';
import {
  formerList,
  memberChanges,
  memberList,
  readWork,
  teamLists,
  workLists,
  type TeamMemberRow,
} from './list-store.ts';
import { invitations } from './store.ts';

/**
 * Creates a link with which a member sets a new password. This is audited, because anyone with the link can sign in.
 */
export const passwordLink = (team: Team, id: string): Promise<string> =>
  inTransaction(team, async (tx) => {
    const { userId } = await findMember(tx, team, id);
    if (userId === null) {
      return fail('conflict', { detail: memberMessages.noPasswordYet });
    }
    const person = await personBehind(tx, team, userId);
    record(tx, team, { action: 'member.password_link_made', target: { type: 'member', id } });
    return passwordResetLink(tx, team.platform, person.id);
  });

/** Ends a membership: the member's assignments are revoked and `member.removed` is raised, all or nothing. */
export const removeMember = (caller: Team, id: string): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner');
    if (member.role === 'admin') await requireRightToGrantAdmin(tx, team);
    await requireAnotherAdmin(tx, team, member);
    const now = team.platform.clock.now();
    await members.update(tx, team, id, { status: 'ended', endedAt: now, updatedAt: now });
    await keepOfMember(tx, team, member);
    await noteDeleted(tx, team, 'users', [id], now);
    if (member.userId !== null) await updateListedOf(tx, team, member.userId);
    await invitations.remove(tx, team, [id]);
    await deleteMemberPolicy(tx, team, id);
    const revoked = await revokeAssignmentsOf(tx, team, member);
    raise(tx, team, memberRemoved, eventOf(member));
    record(tx, team, {
      action: 'member.removed',
      target: { type: 'member', id },
      data: { role: member.role, assignmentsRevoked: revoked },
    });
  });

/** How many assignments and trainings these people have, also former members. */
export const holdingsOf = async ({ id, privacy, platform: { database } }: Team, memberIds: string[]) => {
  if (!memberIds.every(isId)) fail('not_found');
  return privacy.memberDetail ? reports.holdings(database, id, memberIds) : null;
};

/** Withdraws an invitation. If its member has accepted it in the meantime, they stay. */
export const withdrawInvitation = (caller: Team, id: string): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const { status } = await findMember(tx, team, id);
    if (status !== 'invited') fail('conflict', { detail: memberMessages.alreadyAccepted });
    await removeMember({ ...caller, tx }, id);
  });

/** The lists have no ended memberships, so a member who is not active is invited. */
const presentMember = (row: MemberRow): Member => ({
  ...row,
  status: row.status === 'active' ? 'active' : 'invited',
});

/** The team's members: the owner first, or those that changed since a time, in the order of their changes. */
export const listMembers = async (
  team: Team,
  { updatedSince, email, externalId, role, status, ...query }: Camel<schema.MemberQuery>,
): Promise<Page<Member>> => {
  // With these filters a reader could find out whose address or id it is, which answers hide.
  if ((email ?? externalId) !== undefined && !team.privacy.memberDetail) fail('privacy_restricted');
  const filters = { email, externalId, role, status };
  if (updatedSince) {
    const changed = await memberChanges(team, query, { ...filters, updatedSince: updatedSince.toISOString() });
    return { ...changed, data: changed.data.map(presentMember) };
  }
  const page = await memberList(team, query, filters);
  const data = page.data.map(({ notOwner: _notOwner, listedAt: _listedAt, ...shown }) => presentMember(shown));
  return { ...page, data };
};

type TeamMember = Camel<schema.TeamMember>;

const presentTeamMember = (
  {
    notOwner: _notOwner,
    listedAt: _listedAt,
    updatedAt: _updatedAt,
    shownName: _shownName,
    roleRank: _roleRank,
    isInvited: _isInvited,
    expiresAt,
    lang,
    ...shown
  }: TeamMemberRow,
  now: Date,
): TeamMember => ({
  ...shown,
  status: shown.status === 'active' ? 'active' : 'invited',
  invitation: expiresAt === null || lang === null ? null : { expiresAt, expired: new Date(expiresAt) <= now, lang },
});

/** A member as the owner and admins see them in the app. */
export const teamMember = async (team: Team, id: string): Promise<TeamMember> => {
  const [row] = (await teamLists.joined.asc(team, { limit: 1 }, { id })).data;
  return presentTeamMember(row ?? fail('not_found'), team.platform.clock.now());
};

/** A line for each word of a search: LIKE patterns of names and addresses that contain it, with tabs between them. */
const patternsOf = (search: string): string =>
  search
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => [...new Set([word, emailPart(word)])].map(containing).join('\t'))
    .join('\n');

/** After this number of days without practice a member is inactive, unless the caller gives another number. */
const inactiveAfterDays = 14;

const valuesOf = (team: Team, filters: schema.TeamMemberFilters) => {
  const { search = '', role, status, without, from_directory: fromDirectory, inactive = false } = filters;
  const inactiveDays = inactive === true ? inactiveAfterDays : inactive;
  // The filter would show who practises, which is a member detail.
  if (inactiveDays !== false && !team.privacy.memberDetail) fail('privacy_restricted');
  return {
    search: search === '' ? undefined : patternsOf(search),
    role,
    status,
    without,
    fromDirectory: fromDirectory?.toString(),
    inactiveSince:
      inactiveDays === false ? undefined : later(team.platform.clock.now(), -daysToMs(inactiveDays)).toISOString(),
  };
};

/** How many members match these filters. */
export const countTeam = (team: Team, filters: schema.TeamMemberFilters): Promise<ListCount> =>
  teamLists.joined.asc.count(team, valuesOf(team, filters));

const daysOfChange = 30;

/**
 * The start of the last 30 days (UTC, today included), for the change of a member's score, and today: an assignment
 * that was due before today is overdue.
 */
const countedFrom = (now: Date) => {
  const today = utcDay(now);
  return { recentFrom: later(new Date(today), -daysToMs(daysOfChange - 1)), today };
};

/** Adds to members the figures of their trainings and assignments, while the team shows member details. */
const withWork = async (team: Team, members: readonly TeamMember[]): Promise<Camel<schema.ListedMember>[]> => {
  if (!team.privacy.memberDetail) return members.map((member) => ({ ...member, work: null }));
  const rows = await readWork(team.platform.database, {
    tenantId: team.id,
    ids: members.map(({ id }) => id),
    ...countedFrom(team.platform.clock.now()),
  });
  const found = new Map(rows.map(({ id, ...work }) => [id, work]));
  return members.map((member) => ({ ...member, work: found.get(member.id) ?? null }));
};

/** Whether a list is ordered by a value about the person, and not by one about their work. */
const isShown = (by: NonNullable<schema.TeamMemberQuery['sort']>['by']): by is keyof typeof teamLists =>
  Object.hasOwn(teamLists, by);

/** Active and invited members as the owner and admins see them in the app. By default the owner comes first. */
export const listTeam = async (
  team: Team,
  { sort, from, cursor, limit, ...filters }: schema.TeamMemberQuery,
): Promise<Page<Camel<schema.ListedMember>>> => {
  const now = team.platform.clock.now();
  const by = sort?.by ?? 'joined';
  const [query, values] = [{ cursor, limit }, valuesOf(team, filters)];
  const read = () => {
    if (isShown(by)) {
      if (sort?.desc) return teamLists[by].desc(team, query, values);
      return by === 'name'
        ? teamLists.name.asc(team, query, { ...values, from })
        : teamLists[by].asc(team, query, values);
    }
    if (!team.privacy.memberDetail) return fail('privacy_restricted');
    const { recentFrom, today } = countedFrom(now);
    const parameters = { recentFrom: recentFrom.toISOString(), today };
    return workLists[by][sort?.desc ? 'desc' : 'asc'](team, query, { ...values, ...parameters });
  };
  const page = await read();
  return {
    ...page,
    data: await withWork(
      team,
      page.data.map((row) => presentTeamMember(row, now)),
    ),
  };
};

/** Former members, the latest end first. */
export const listFormer = (
  team: Team,
  { search = '', ...query }: { search?: string | undefined; cursor?: string | undefined; limit: number },
) => formerList(team, query, { search: search === '' ? undefined : patternsOf(search) });

/** Names of the team's people, including former members. A reader with the role `member` gets only their own name. */
export const namesOf = async (
  { id, platform }: Team,
  { userId, role }: { userId: string; role: 'owner' | 'admin' | 'member' },
  wanted: readonly string[],
): Promise<Camel<schema.PersonName>[]> => {
  const ids = [...new Set(wanted)].filter((one) => isId(one) && (role !== 'member' || one === userId));
  return ids.length === 0 ? [] : reports.peopleOf(platform.database.prisma, id, ids);
};

/** All active and invited members with their rights, in the order of the members list, for an operator. */
export const roster = async (team: Team) => {
  const present = await members.present(team.platform.database.prisma, team);
  const ownerFirst = [...present.filter(isOwner), ...present.filter((member) => !isOwner(member))];
  return ownerFirst.map(({ id: memberId, userId, email, externalId, role, status, rights, joinedAt }) => ({
    memberId,
    userId,
    email,
    externalId,
    role,
    status,
    rights,
    joinedAt,
  }));
};

const isOwner = ({ role }: { role: string }): boolean => role === 'owner';
