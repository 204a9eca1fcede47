import { isObject, type Resource } from '../../core/scim/resource.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { NameText } from '../../platform/values.ts';
import { directoryUsers } from './store.ts';

// Links the people of a customer's directory to memberships, when these begin and end. The rules of members call this,
// so it imports no other module. The module `provisioning` has the rules of what a directory may do.

/**
 * The first usable name in the attributes of a person; null if there is none. The team sees this name in place of the
 * person's own name. A text that is too long, or that may be a link, is not usable.
 */
export const nameIn = (attributes: string): string | null => {
  const { displayName, name }: Resource = Object(JSON.parse(attributes));
  const { formatted, givenName, familyName }: Resource = isObject(name) ? name : {};
  const parts = [givenName, familyName].filter((part) => typeof part === 'string').join(' ');
  const [found] = [displayName, formatted, parts]
    .map((text) => NameText.safeParse(text))
    .filter(({ success }) => success);
  return found?.data ?? null;
};

/** A person of the directory to whom an address belongs. */
interface ReturningPerson {
  id: string;
  /** The `external_id` that the person had before they left the team. */
  externalId: string | null;
  /** The name by which the team sees them. */
  name: string | null;
  /** Whether they are invited or active now. */
  isMember: boolean;
}

/**
 * The person of the directory to whom an address belongs. The address is compared first with user names, then with the
 * addresses of former memberships. The person is read with the transaction's next statement, for which the returned
 * function waits.
 */
export const returningLater = (tx: Tx, team: Team, address: string): (() => Promise<ReturningPerson | undefined>) => {
  const read = directoryUsers.returningLater(tx, team, address);
  return async () => {
    const [row] = await read();
    return row && { ...row, name: nameIn(row.attributes) };
  };
};

/** Whether the team's directory has sent data of any person. */
export const hasDirectory = (team: Team): Promise<boolean> => directoryUsers.isKnown(team.platform.database, team);

/** Whether the directory knows somebody with this address who is not in the team now. */
export const isDeactivated = async (tx: Tx, team: Team, address: string): Promise<boolean> =>
  (await returningLater(tx, team, address)())?.isMember === false;

/** From now on the person of the directory has this membership. */
export const linkMember = (
  tx: Tx,
  team: Team,
  id: string,
  { memberId, email }: { memberId: string; email: string },
): Promise<void> =>
  directoryUsers.link(tx, team, id, { memberId, memberAddress: email, updatedAt: team.platform.clock.now() });

/**
 * Called when a membership ends. If a directory knows the person, the external id and the role of the membership are
 * kept for the return of the person.
 */
export const keepOfMember = (
  tx: Tx,
  team: Team,
  { id, externalId, role }: { id: string; externalId: string | null; role: 'owner' | 'admin' | 'member' },
): Promise<void> => directoryUsers.keep(tx, team, id, { externalId, role, updatedAt: team.platform.clock.now() });

/** Deletes the directory's data of a person, as a part of their erasure. */
export const forgetPerson = (
  tx: Tx,
  tenantId: string,
  person: { memberIds: string[]; addresses: string[] },
): Promise<number> => directoryUsers.removeOfPerson(tx, tenantId, person);

/** The teams whose directory knows an address. */
export const teamsWithDirectoryUser = (tx: Tx, address: string): Promise<string[]> =>
  directoryUsers.teamsKnowing(tx, address);
