import { z } from 'zod';
import type { Scope } from '../../core/scopes.ts';

/** The path of the MCP server, for which an assistant's access is valid. */
export const resourcePath = '/mcp';

/** The page on which a person consents. */
export const consentPath = '/assistants/connect';

/** All scopes that tools use. An assistant gets those that its person's role in the team allows. */
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

/** The request with which an assistant sends a person to the page of the consent (OAuth 2.1, PKCE, a resource). */
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

const BothLanguages = z.strictObject({ de: z.string(), en: z.string() });

const Question = z.strictObject({
  client_name: z.string(),
  /** The host whose document describes the assistant; null if the assistant has registered itself. */
  document_host: z.string().nullable(),
  /** The host to which the browser goes after the consent. */
  redirect_host: z.string(),
  /** Where the browser goes if the person declines. */
  declined_to: z.string(),
  teams: z.array(
    z.strictObject({
      tenant_id: z.string(),
      name: z.string(),
      /** A text for each scope that the assistant would have in this team. */
      abilities: z.array(BothLanguages),
    }),
  ),
});

/** Either the question, or the parameter that is wrong in the request. */
export const ConsentQuestion = z.strictObject({ question: Question.nullable(), wrong: z.string().nullable() });

export const Consent = AuthorizationRequest.extend({ tenant_id: z.string() });
export const Consented = z.strictObject({ redirect_to: z.string() });

export const ConnectedAssistant = z.strictObject({
  id: z.string(),
  client_name: z.string(),
  team_name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export const ConnectedAssistants = z.strictObject({ assistants: z.array(ConnectedAssistant) });
export const ConnectionPath = z.strictObject({ connection_id: z.string() });
