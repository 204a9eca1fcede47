import { isObject, type Resource } from '../../core/scim/resource.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { NameText } from '../../platform/values.ts';
import { directoryUsers } from './store.ts';

// How memberships that begin and end are joined to the people of a customer's directory. The rules of members call it,
// so it imports no other module. What a directory may say and do is in the module `provisioning`.

/**
 * The name that the attributes of a person have; null if there is none that the team could see in place of the person's
 * own, because it is too long or may be a link.
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
interface Returning {
  id: string;
  /** The id that the directory had given before they left. */
  externalId: string | null;
  /** The name by which the team sees them. */
  name: string | null;
  /** Whether they are invited or active now. */
  isMember: boolean;
}

/**
 * The person of the directory to whom an address belongs, read with the transaction's next statement: the user name
 * comes before the address of a former membership. The returned function waits for them.
 */
export const returningLater = (tx: Tx, team: Team, address: string): (() => Promise<Returning | undefined>) => {
  const read = directoryUsers.returningLater(tx, team, address);
  return async () => {
    const [row] = await read();
    return row && { ...row, name: nameIn(row.attributes) };
  };
};

/** Whether a directory has said something of anybody in the team. */
export const hasDirectory = (team: Team): Promise<boolean> => directoryUsers.isKnown(team.platform.database, team);

/** Whether the directory knows somebody with this address who is not in the team now. */
export const isDeactivated = async (tx: Tx, team: Team, address: string): Promise<boolean> =>
  (await returningLater(tx, team, address)())?.isMember === false;

/** The person of the directory has this membership from now on. */
export const linkMember = (
  tx: Tx,
  team: Team,
  id: string,
  { memberId, email }: { memberId: string; email: string },
): Promise<void> =>
  directoryUsers.link(tx, team, id, { memberId, memberAddress: email, updatedAt: team.platform.clock.now() });

/** A membership ends: what the API shows of it is kept for the person's return, if a directory knows them. */
export const keepOfMember = (
  tx: Tx,
  team: Team,
  { id, externalId, role }: { id: string; externalId: string | null; role: 'owner' | 'admin' | 'member' },
): Promise<void> => directoryUsers.keep(tx, team, id, { externalId, role, updatedAt: team.platform.clock.now() });

/** Forgets what a directory said of a person, as a part of their erasure. */
export const forgetPerson = (
  tx: Tx,
  tenantId: string,
  person: { memberIds: string[]; addresses: string[] },
): Promise<number> => directoryUsers.removeOfPerson(tx, tenantId, person);

/** The teams whose directory knows an address. */
export const teamsWithDirectoryUser = (tx: Tx, address: string): Promise<string[]> =>
  directoryUsers.teamsKnowing(tx, address);
