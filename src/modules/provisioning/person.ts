import { canonicalEmail } from '../../core/email-address.ts';
import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { refuse } from '../../core/scim/refusal.ts';
import { isObject, type Resource } from '../../core/scim/resource.ts';
import { enterpriseUrn, userUrn } from '../../core/scim/schemas.ts';
import type { Team } from '../../platform/team.ts';
import type { PersonRow } from '../directory/store.ts';

// A person of the team as a directory sees them: the data that it has sent, and the team's own data.

/** How many bytes of JSON the attributes of a person may have, because a page of 200 people must fit into an answer. */
const attributeBytes = 8 * 1024;

export const groupIds = { admins: 'admins', members: 'members' } as const;

export const addressOfTeam = ({ platform }: Team): string => `${platform.publicUrl}/scim/v2`;

export const metaOf = (team: Team, kind: 'User' | 'Group', id: string) => ({
  resourceType: kind,
  location: `${addressOfTeam(team)}/${kind}s/${id}`,
});

export const isMember = ({ status }: Pick<PersonRow, 'status'>): boolean => status === 'invited' || status === 'active';

/** The owner is shown as `admin`, because a directory knows only the two roles that it can give. */
export const roleOf = (row: PersonRow): 'admin' | 'member' => {
  const role = isMember(row) ? row.role : (row.formerRole ?? row.role);
  return role === 'owner' || role === 'admin' ? 'admin' : 'member';
};

const externalIdOf = (row: PersonRow): string | null => (isMember(row) ? row.externalId : row.formerExternalId);

const storedOf = ({ attributes }: PersonRow): Resource => {
  const stored: unknown = attributes === null ? {} : JSON.parse(attributes);
  return isObject(stored) ? stored : {};
};

/** The role in a request: `admin` if at least one of the roles sent is `admin`. Undefined if no role is sent. */
export const sentRole = (resource: Resource): 'admin' | 'member' | undefined => {
  const { roles } = resource;
  if (!Array.isArray(roles) || roles.length === 0) return undefined;
  return roles.some((role: unknown) => isObject(role) && role['value'] === 'admin') ? 'admin' : 'member';
};

/** The attributes that a directory may change, with their present values. A PATCH is applied to them. */
export const changeable = (row: PersonRow): Resource => {
  const stored = storedOf(row);
  const role = roleOf(row);
  const externalId = externalIdOf(row);
  return {
    ...stored,
    userName: row.userName ?? row.email ?? '',
    ...(externalId !== null && { externalId }),
    active: isMember(row),
    // The roles that the directory sent, unless somebody else has changed the role since.
    roles: sentRole(stored) === role ? stored['roles'] : [{ value: role, primary: true }],
  };
};

/**
 * A person in the form of an answer. If the directory has sent no data of them, the answer has their address, so that
 * the directory can find them, and, only while the team shows member details, their name.
 */
export const resourceOf = (team: Team, row: PersonRow): Resource => {
  const known = changeable(row);
  const hasName = known['displayName'] !== undefined || known['name'] !== undefined;
  const own = hasName || row.name === null || !team.privacy.memberDetail ? {} : { displayName: row.name };
  const groups = !isMember(row)
    ? []
    : [
        { value: groupIds.members, display: 'Members' },
        ...(roleOf(row) === 'admin' ? [{ value: groupIds.admins, display: 'Admins' }] : []),
      ];
  return {
    schemas: [userUrn, ...(known[enterpriseUrn] === undefined ? [] : [enterpriseUrn])],
    id: row.id,
    ...own,
    emails: [{ value: known['userName'], type: 'work', primary: true }],
    ...known,
    groups: groups.map((group) => ({ ...group, $ref: metaOf(team, 'Group', group.value).location })),
    meta: { ...metaOf(team, 'User', row.id), created: row.createdAt, lastModified: row.updatedAt },
  };
};

/** The person that a directory wants, after the checks. */
export interface WantedPerson {
  readonly userName: string;
  /** The user name in the form of stored addresses. */
  readonly address: string;
  readonly externalId: string | null;
  readonly active: boolean;
  readonly role: 'admin' | 'member';
  /** The other attributes as JSON. */
  readonly attributes: string;
  /** The language of an invitation; undefined: the team's. */
  readonly lang: Language | undefined;
}

const languageOf = ({ locale }: Resource): Language | undefined => {
  const [word = ''] = typeof locale === 'string' ? locale.toLowerCase().split(/[-_]/) : [];
  return word === 'de' || word === 'en' ? word : undefined;
};

/** Checks the attributes that are to be stored. `role` is used if no roles were sent. */
export const wantedOf = (resource: Resource, role: 'admin' | 'member'): WantedPerson => {
  const { userName = '', externalId = '', active = true, ...rest } = resource;
  if (typeof userName !== 'string' || typeof externalId !== 'string')
    return refuse('invalidValue', 'It must be a text.');
  const address = canonicalEmail(userName.trim());
  if (address === undefined) return refuse('invalidValue', 'userName must be an email address.');
  if ([...externalId].length > limits.externalIdCharacters) {
    return refuse('invalidValue', `externalId may have at most ${limits.externalIdCharacters} characters.`);
  }
  const attributes = JSON.stringify(rest);
  if (Buffer.byteLength(attributes) > attributeBytes) {
    return refuse('invalidValue', `The attributes of a person may have at most ${attributeBytes} bytes in all.`);
  }
  return {
    userName: userName.trim(),
    address,
    externalId: externalId === '' ? null : externalId,
    active: active !== false,
    role: sentRole(resource) ?? role,
    attributes,
    lang: languageOf(resource),
  };
};

/** An id in upper or lower case; undefined for a text that is no id. */
export const readId = (text: string): string | undefined => {
  const id = text.toLowerCase();
  return isId(id) ? id : undefined;
};
