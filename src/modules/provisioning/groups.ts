import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { matches, readResourceFilter } from '../../core/scim/filter.ts';
import { patched, readOperations } from '../../core/scim/patch.ts';
import { forbid, refuse } from '../../core/scim/refusal.ts';
import { isObject, readResource, type Resource } from '../../core/scim/resource.ts';
import { groupSchema, groupUrn } from '../../core/scim/schemas.ts';
import type { Database, Tx } from '../../db/database.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import type { Team } from '../../platform/team.ts';
import { directoryUsers } from '../directory/store.ts';
import { changeMember } from '../members/roles.ts';
import { groupIds, metaOf } from './person.ts';
import type { ResourcePage, ListQuery } from './service.ts';

// The two groups that a directory sees: the admins, which it may change, and all members, which follow from the people.

const names = { [groupIds.admins]: 'Admins', [groupIds.members]: 'Members' } as const;
type GroupId = keyof typeof names;

const isGroupId = (text: string): text is GroupId => Object.hasOwn(names, text);

const idOf = (text: string): GroupId => {
  const id = text.toLowerCase();
  return isGroupId(id) ? id : fail('not_found');
};

/** How many members of a group an answer has at most. */
const listed = 10_000;

const peopleOf = async (reader: Tx | Database, team: Team, id: GroupId) => {
  const rows = await directoryUsers.present(reader, team, { onlyAdmins: id === groupIds.admins, limit: listed + 1 });
  if (rows.length > listed) {
    refuse('tooMany', `The group has more than ${listed} members. Read it with excludedAttributes=members.`);
  }
  return rows;
};

const emptyGroup = (team: Team, id: GroupId): Resource => ({
  schemas: [groupUrn],
  id,
  displayName: names[id],
  meta: metaOf(team, 'Group', id),
});

const groupOf = async (reader: Tx | Database, team: Team, id: GroupId): Promise<Resource> => {
  const people = await peopleOf(reader, team, id);
  const members = people.map((person) => ({ value: person.id, display: person.userName, type: 'User' }));
  return { ...emptyGroup(team, id), members };
};

/** `withMembers`: false if the answer leaves the members out, so that they need not be read. */
export const getGroup = async (team: Team, id: string, { withMembers }: { withMembers: boolean }): Promise<Resource> =>
  withMembers ? groupOf(team.platform.database, team, idOf(id)) : emptyGroup(team, idOf(id));

export const listGroups = async (
  team: Team,
  { filter: text, startIndex, count, withMembers }: ListQuery & { withMembers: boolean },
): Promise<ResourcePage> => {
  const filter = text === undefined ? undefined : readResourceFilter(groupSchema, text);
  const needsMembers = withMembers || text?.toLowerCase().includes('members') === true;
  const groups: Resource[] = [];
  for (const id of Object.values(groupIds)) groups.push(await getGroup(team, id, { withMembers: needsMembers }));
  const found = groups.filter((group) => filter === undefined || matches(filter, group));
  return { total: found.length, resources: found.slice(startIndex - 1, startIndex - 1 + count) };
};

const valuesOf = ({ members }: Resource): Set<string> =>
  new Set(
    (Array.isArray(members) ? members : []).flatMap((member: unknown) =>
      isObject(member) && typeof member['value'] === 'string' ? [member['value'].toLowerCase()] : [],
    ),
  );

/** Gives the group exactly the members that it has in the result of `wantedFrom`. */
const changing = (caller: Team, text: string, wantedFrom: (group: Resource) => Resource): Promise<Resource> =>
  inLockedTeam(caller, async (tx, team) => {
    const id = idOf(text);
    const group = await groupOf(tx, team, id);
    const [before, after] = [valuesOf(group), valuesOf(wantedFrom(group))];
    const [added, removed] = [[...after.difference(before)], [...before.difference(after)]];
    if (added.length + removed.length === 0) return group;
    if (id === groupIds.members) {
      return forbid('The members of this group follow from the people: change their active at /Users.');
    }
    if (added.length + removed.length > limits.bulkItems) {
      refuse('invalidValue', `A request may change at most ${limits.bulkItems} members of a group.`);
    }
    const people = new Map((await peopleOf(tx, team, groupIds.members)).map((person) => [person.id, person.memberId]));
    const give = async (person: string, role: 'admin' | 'member') => {
      const memberId =
        people.get(person) ?? refuse('invalidValue', `${person.slice(0, 100)} is no member of the team.`);
      await changeMember({ ...team, tx }, memberId, { role });
    };
    for (const person of added) await give(person, 'admin');
    for (const person of removed) await give(person, 'member');
    return groupOf(tx, team, id);
  });

export const patchGroup = async (caller: Team, id: string, body: Record<string, unknown>): Promise<Resource> => {
  const operations = readOperations(body);
  return changing(caller, id, (group) => patched(groupSchema, group, operations));
};

export const replaceGroup = async (caller: Team, id: string, body: Record<string, unknown>): Promise<Resource> => {
  const { displayName } = body;
  if (displayName !== undefined && displayName !== names[idOf(id)]) {
    refuse('mutability', 'The name of a group can’t be changed.');
  }
  const given = readResource(groupSchema, body);
  return changing(caller, id, () => given);
};

const fixed = 'The groups are Admins and Members. Others can’t be made, and these can’t be deleted.';

export const refuseGroup = (): never => forbid(fixed);
