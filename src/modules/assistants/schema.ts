import { z } from 'zod';
import type { Scope } from '../../core/scopes.ts';

/** The path of the MCP server: what an assistant's access is for. */
export const resourcePath = '/mcp';

/** The page on which a person consents. */
export const consentPath = '/assistants/connect';

/** All scopes that tools use. An assistant has those among them that its person has by their role in the team. */
export const assistantScopes: readonly Scope[] = [
  'analytics:read',
  'catalog:read',
  'users:read',
  'trainings:read',
  'evaluations:read',
  'assignments:read',
  'assignments:write',
  'cases:read',
  'cases:write',
];

const shortText = z.string().max(1_000);

/** The request with which an assistant sends a person here (OAuth 2.1, with PKCE and a resource). */
export const AuthorizationRequest = z.strictObject({
  client_id: z.string().max(8_000),
  redirect_uri: shortText,
  response_type: shortText,
  code_challenge: shortText,
  code_challenge_method: shortText,
  state: shortText.optional(),
  resource: shortText.optional(),
});
export type AuthorizationRequest = z.output<typeof AuthorizationRequest>;

export const Consent = AuthorizationRequest.extend({ tenant_id: z.string() });
export const ConnectionPath = z.strictObject({ connection_id: z.string() });
