import { canonicalEmail } from '../../core/email-address.ts';
import { makeId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { demandedBy, matches, readResourceFilter, type Filter } from '../../core/scim/filter.ts';
import { patched, readOperations } from '../../core/scim/patch.ts';
import { refuse } from '../../core/scim/refusal.ts';
import { readResource, type Resource } from '../../core/scim/resource.ts';
import { userSchema } from '../../core/scim/schemas.ts';
import type { Database, Tx } from '../../db/database.ts';
import { inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import type { Team } from '../../platform/team.ts';
import { isCompanyAddress } from '../company-sign-in/service.ts';
import { nameIn } from '../directory/service.ts';
import { directoryUsers, type PersonRow } from '../directory/store.ts';
import { addFromDirectory } from '../members/invitations.ts';
import { changeMember, setDirectoryName, setExternalId } from '../members/roles.ts';
import { removeMember } from '../members/service.ts';
import { findMember, lastUserWith } from '../membership/service.ts';
import { changeable, isMember, readId, resourceOf, roleOf, wantedOf, type WantedPerson } from './person.ts';

// A customer's directory says who is in the team (SCIM 2.0). Whether somebody is a member follows only from the
// membership. The directory, the app and the API begin and end it by the same rules.
//
//   no member ──active──▶ invited ──accepts, or signs in with the company account──▶ active
//       ▲                    │                                                         │
//       └────── not active, removed in the app or by the API ◀─────────────────────────┘

/** A person whom the directory sees, or 404. */
const find = async (reader: Tx | Database, team: Team, text: string): Promise<PersonRow> => {
  const id = readId(text);
  return (id === undefined ? undefined : await directoryUsers.byId(reader, team, id)) ?? fail('not_found');
};

export const getUser = async (team: Team, id: string): Promise<Resource> =>
  resourceOf(team, await find(team.platform.database, team, id));

// Lists

export interface ListQuery {
  filter?: string | undefined;
  startIndex: number;
  count: number;
}

export interface ResourcePage {
  total: number;
  resources: Resource[];
}

/** How many people a filter without an index reads at once. */
const walkedAtOnce = 1_000;

/** People found by an index. Everybody who fulfils the filter is among them. Undefined if no index helps. */
const candidates = (team: Team, filter: Filter): Promise<PersonRow[]> | undefined => {
  const { database } = team.platform;
  const demanded = demandedBy(filter);
  const [id, userName, externalId] = ['id', 'userName', 'externalId'].map((name) => demanded.get(name));
  if (typeof id === 'string') {
    const known = readId(id);
    if (known === undefined) return Promise.resolve([]);
    return directoryUsers.byId(database, team, known).then((row) => (row ? [row] : []));
  }
  if (typeof userName === 'string') {
    return directoryUsers.byAddress(database, team, canonicalEmail(userName.trim()) ?? userName.toLowerCase());
  }
  return typeof externalId === 'string' ? directoryUsers.byExternalId(database, team, externalId) : undefined;
};

/** The people who fulfil a filter, in the order of their ids. Only the people of the wanted page are kept in memory. */
const walk = async (team: Team, filter: Filter, { startIndex, count }: ListQuery): Promise<ResourcePage> => {
  const found: ResourcePage = { total: 0, resources: [] };
  const take = (rows: readonly PersonRow[]) => {
    for (const row of rows) {
      const resource = resourceOf(team, row);
      if (!matches(filter, resource)) continue;
      found.total += 1;
      if (found.total >= startIndex && found.resources.length < count) found.resources.push(resource);
    }
  };
  const few = await candidates(team, filter);
  if (few) {
    take(few.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
    return found;
  }
  let after: string | undefined;
  do {
    const rows = await directoryUsers.page(team.platform.database, team, {
      limit: walkedAtOnce,
      ...(after !== undefined && { after }),
    });
    take(rows);
    after = rows.length < walkedAtOnce ? undefined : rows.at(-1)?.id;
  } while (after !== undefined);
  return found;
};

export const listUsers = async (team: Team, query: ListQuery): Promise<ResourcePage> => {
  if (query.filter !== undefined) return walk(team, readResourceFilter(userSchema, query.filter), query);
  const { database } = team.platform;
  const { startIndex, count } = query;
  const rows = count === 0 ? [] : await directoryUsers.page(database, team, { limit: count, offset: startIndex - 1 });
  const [first] = rows;
  const total = first ? first.total : await directoryUsers.count(database, team);
  return { total, resources: rows.map((row) => resourceOf(team, row)) };
};

// Changes

/** Refuses an address that belongs to another person, as their user name or as the address of their membership. */
const requireFreeAddress = async (tx: Tx, team: LockedTeam, address: string, own?: string): Promise<void> => {
  const others = (await directoryUsers.byAddress(tx, team, address)).filter(({ id }) => id !== own);
  const isTaken = others.some((row) => isMember(row) || canonicalEmail(row.userName ?? '') === address);
  // A person who has left keeps the address with which they sign in, even if the directory renames them.
  const isOfAccount = others.length > 0 && (await lastUserWith(tx, team, address)) !== undefined;
  if (isTaken || isOfAccount) refuse('uniqueness', 'Another person of the team has this userName.');
};

/** The columns for the data that the directory sends. The membership has columns of its own. */
const columnsOf = (team: LockedTeam, { userName, address, externalId, role, attributes }: WantedPerson) => ({
  userName,
  address,
  externalId,
  role,
  attributes,
  updatedAt: team.platform.clock.now(),
});

/**
 * Begins a membership. It is active at once if the person was in the team before and signs in with the company account.
 */
const join = async (tx: Tx, team: LockedTeam, id: string, wanted: WantedPerson, former?: PersonRow): Promise<void> => {
  // The address with which a person signs in belongs to them: they come back with it, whatever user name the directory
  // has for them.
  const home = former?.email ?? undefined;
  const user = home === undefined ? undefined : await lastUserWith(tx, team, home);
  const email = user && home !== undefined ? home : wanted.address;
  const withCompany = await isCompanyAddress(tx, team, email);
  await addFromDirectory(tx, team, {
    email,
    role: wanted.role,
    externalId: wanted.externalId,
    directoryUser: { id, name: nameIn(wanted.attributes) },
    ...(withCompany && user),
    lang: wanted.lang,
    byMail: !withCompany,
  });
};

const answer = async (tx: Tx, team: LockedTeam, id: string): Promise<Resource> =>
  resourceOf(team, await find(tx, team, id));

/** Adds a person. They are a member from now on, unless the directory says that they are not active. */
export const createUser = (caller: Team, body: Record<string, unknown>): Promise<Resource> =>
  inLockedTeam(caller, async (tx, team) => {
    const wanted = wantedOf(readResource(userSchema, body), 'member');
    await requireFreeAddress(tx, team, wanted.address);
    const id = makeId();
    await directoryUsers.insert(tx, team, { id, ...columnsOf(team, wanted), createdAt: team.platform.clock.now() });
    if (wanted.active) await join(tx, team, id, wanted);
    return answer(tx, team, id);
  });

/** Changes a person to the attributes that the directory has sent. */
const change = async (tx: Tx, team: LockedTeam, row: PersonRow, wanted: WantedPerson): Promise<void> => {
  const { id, memberId } = row;
  const before = row.userName ?? row.email ?? '';
  if (wanted.address !== canonicalEmail(before)) await requireFreeAddress(tx, team, wanted.address, id);
  const columns = columnsOf(team, wanted);
  if (row.userName === null) {
    const member = { memberId, memberAddress: row.email };
    await directoryUsers.insert(tx, team, { id, ...columns, ...member, createdAt: new Date(row.createdAt) });
  } else await directoryUsers.update(tx, team, id, columns);
  if (!isMember(row)) {
    if (wanted.active) await join(tx, team, id, wanted, row);
    return;
  }
  const joined = await findMember(tx, team, memberId ?? '');
  if (wanted.role !== roleOf(row)) await changeMember({ ...team, tx }, joined.id, { role: wanted.role });
  await setExternalId(tx, team, joined, wanted.externalId);
  const name = nameIn(wanted.attributes);
  if (name !== row.directoryName) await setDirectoryName(tx, team, joined.id, name);
  if (!wanted.active) await removeMember({ ...team, tx }, joined.id);
};

const changing = (caller: Team, id: string, wantedFrom: (row: PersonRow) => WantedPerson): Promise<Resource> =>
  inLockedTeam(caller, async (tx, team) => {
    const row = await find(tx, team, id);
    await change(tx, team, row, wantedFrom(row));
    return answer(tx, team, row.id);
  });

/** Changes some attributes, all or none. */
export const patchUser = async (caller: Team, id: string, body: Record<string, unknown>): Promise<Resource> => {
  const operations = readOperations(body);
  return changing(caller, id, (row) => wantedOf(patched(userSchema, changeable(row), operations), 'member'));
};

/**
 * Replaces all attributes. If `active` or the role is not sent, it stays as it is, because some directories never send
 * them.
 */
export const replaceUser = async (caller: Team, id: string, body: Record<string, unknown>): Promise<Resource> => {
  const given = readResource(userSchema, body);
  const other = body['id'];
  if (typeof other === 'string' && other.toLowerCase() !== id.toLowerCase()) {
    refuse('mutability', 'The id is that of another person.');
  }
  return changing(caller, id, (row) => wantedOf({ active: isMember(row), ...given }, roleOf(row)));
};

/** Ends the membership, and deletes the data that the directory has sent. */
export const deleteUser = (caller: Team, id: string): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const row = await find(tx, team, id);
    if (isMember(row)) await removeMember({ ...team, tx }, row.memberId ?? '');
    if (row.userName !== null) await directoryUsers.remove(tx, team, row.id);
  });
