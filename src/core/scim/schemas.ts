// The attributes of people and groups in SCIM (RFC 7643). Reading, patching, filtering and the discovery documents all
// follow this declaration.

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const messages = 'urn:ietf:params:scim:api:messages:2.0';
export const messageUrns = {
  list: `${messages}:ListResponse`,
  patch: `${messages}:PatchOp`,
  error: `${messages}:Error`,
} as const;

export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference';
  readonly description: string;
  /** Whether the attribute has a list of values. */
  readonly many?: true;
  readonly readOnly?: true;
  /** Whether the attribute can't be removed. */
  readonly required?: true;
  /** Whether upper and lower case are distinguished when values are compared. */
  readonly exact?: true;
  readonly unique?: true;
  readonly values?: readonly string[];
  readonly sub?: readonly Attribute[];
}

const text = (name: string, description: string): Attribute => ({ name, type: 'string', description });

const display = text('display', 'A name to show.');
const type = text('type', 'A label, such as `work`.');
const primary: Attribute = { name: 'primary', type: 'boolean', description: 'Whether it is the preferred value.' };

const reference = (target: string): readonly Attribute[] => [
  { name: 'value', type: 'string', exact: true, description: `The id of the ${target}.` },
  { name: '$ref', type: 'reference', exact: true, description: `The address of the ${target}.` },
];

export const userAttributes: readonly Attribute[] = [
  {
    name: 'userName',
    type: 'string',
    required: true,
    unique: true,
    description: 'The email address of the person, unique in the team.',
  },
  { name: 'externalId', type: 'string', exact: true, description: 'The id of the person in the directory.' },
  {
    name: 'name',
    type: 'complex',
    description: 'The name of the person.',
    sub: [
      text('formatted', 'The whole name.'),
      text('familyName', 'The family name.'),
      text('givenName', 'The given name.'),
      text('middleName', 'The middle names.'),
      text('honorificPrefix', 'A title before the name.'),
      text('honorificSuffix', 'A suffix after the name.'),
    ],
  },
  text('displayName', 'The name by which the team sees the person.'),
  text('title', 'The position in the company.'),
  text('locale', 'The language of the person, such as `de-DE`. An invitation is written in it.'),
  {
    name: 'active',
    type: 'boolean',
    required: true,
    description: 'Whether the person is a member of the team, invited or active.',
  },
  {
    name: 'emails',
    type: 'complex',
    many: true,
    description: 'Addresses of the person. Nobody signs in with them.',
    sub: [text('value', 'The address.'), display, type, primary],
  },
  {
    name: 'roles',
    type: 'complex',
    many: true,
    description: 'The role in the team.',
    sub: [{ ...text('value', '`admin` or `member`.'), values: ['admin', 'member'] }, display, type, primary],
  },
  {
    name: 'groups',
    type: 'complex',
    many: true,
    readOnly: true,
    description: 'The groups of the person. They are changed at /Groups.',
    sub: [...reference('group'), display],
  },
];

export const enterpriseAttributes: readonly Attribute[] = [
  text('employeeNumber', 'The number of the employee.'),
  text('department', 'The department.'),
  {
    name: 'manager',
    type: 'complex',
    description: 'The manager of the person.',
    sub: [...reference('manager'), text('displayName', 'The name of the manager.')],
  },
];

export const groupAttributes: readonly Attribute[] = [
  { ...text('displayName', 'The name of the group.'), readOnly: true },
  {
    name: 'members',
    type: 'complex',
    many: true,
    description: 'The people of the group.',
    sub: [...reference('person'), display, type],
  },
];

/** Attributes that each resource has besides those of its schema. Nobody can change them. */
export const commonNames: ReadonlySet<string> = new Set(['id', 'meta', 'schemas']);

/** An attribute by its name, in upper or lower case. */
export const attributeOf = (attributes: readonly Attribute[], name: string): Attribute | undefined => {
  const lower = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === lower);
};

/** The attributes of a kind of resource, and those of its extension. */
export interface ResourceSchema {
  readonly urn: string;
  readonly attributes: readonly Attribute[];
  readonly extension?: { readonly urn: string; readonly attributes: readonly Attribute[] };
}

export const userSchema: ResourceSchema = {
  urn: userUrn,
  attributes: userAttributes,
  extension: { urn: enterpriseUrn, attributes: enterpriseAttributes },
};

export const groupSchema: ResourceSchema = { urn: groupUrn, attributes: groupAttributes };

/** A path without the URN before it. `extended`: it was the URN of the extension. Undefined for an unknown URN. */
export const withoutUrn = (
  { urn, extension }: ResourceSchema,
  path: string,
): { path: string; extended: boolean } | undefined => {
  const lower = path.toLowerCase();
  const after = (prefix: string) =>
    lower === prefix.toLowerCase()
      ? ''
      : lower.startsWith(`${prefix.toLowerCase()}:`)
        ? path.slice(prefix.length + 1)
        : undefined;
  const inExtension = extension && after(extension.urn);
  if (inExtension !== undefined) return { path: inExtension, extended: true };
  const inCore = after(urn);
  if (inCore !== undefined) return { path: inCore, extended: false };
  return lower.startsWith('urn:') ? undefined : { path, extended: false };
};
