import { serviceName } from '../../core/product.ts';
import { enterpriseUrn, groupSchema, groupUrn, userSchema, userUrn, type Attribute } from '../../core/scim/schemas.ts';

// The features that the service offers to directories (RFC 7643, 5 to 7). They are derived from the declaration of the
// attributes.

const core = 'urn:ietf:params:scim:schemas:core:2.0';

/** The maximum number of resources in a page. */
export const maxResults = 200;

export const providerConfig = (base: string, documentation: string) => ({
  schemas: [`${core}:ServiceProviderConfig`],
  documentationUri: documentation,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: `A key of the team in ${serviceName} with the scope directory:manage, as a bearer token.`,
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      documentationUri: documentation,
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

const resourceType = (base: string, name: 'User' | 'Group', schema: string, extensions: readonly string[] = []) => ({
  schemas: [`${core}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: name === 'User' ? 'The people of the team.' : 'The admins, and all members.',
  schema,
  schemaExtensions: extensions.map((extension) => ({ schema: extension, required: false })),
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

export const resourceTypes = (base: string) => [
  resourceType(base, 'User', userUrn, [enterpriseUrn]),
  resourceType(base, 'Group', groupUrn),
];

const described = ({
  name,
  type,
  description,
  many,
  readOnly,
  required,
  exact,
  unique,
  values,
  sub,
}: Attribute): object => ({
  name,
  type,
  multiValued: many === true,
  description,
  required: required === true,
  ...(type === 'string' && { caseExact: exact === true }),
  ...(type === 'reference' && { caseExact: true, referenceTypes: ['User', 'Group'] }),
  ...(values && { canonicalValues: values }),
  mutability: readOnly ? 'readOnly' : 'readWrite',
  returned: 'default',
  uniqueness: unique ? 'server' : 'none',
  ...(sub && { subAttributes: sub.map(described) }),
});

const schema = (base: string, id: string, name: string, description: string, attributes: readonly Attribute[]) => ({
  schemas: [`${core}:Schema`],
  id,
  name,
  description,
  attributes: attributes.map(described),
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
});

export const schemas = (base: string) => [
  schema(base, userUrn, 'User', 'A person of the team.', userSchema.attributes),
  schema(base, groupUrn, 'Group', 'The admins, or all members.', groupSchema.attributes),
  schema(
    base,
    enterpriseUrn,
    'EnterpriseUser',
    'What a company says of a person.',
    userSchema.extension?.attributes ?? [],
  ),
];
