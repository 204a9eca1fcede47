import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { assistantLimits, clientLimits, httpLimits } from '../../core/limits.ts';
import { beyondTeams } from '../../db/row-security.ts';
import { fail } from '../../core/problem.ts';
import { serviceName } from '../../core/product.ts';
import { networkOf } from '../../core/address.ts';
import { WindowCounter } from '../../core/ttl-map.ts';
import { readBody } from '../http/bodies.ts';
import { accessLog, addressOf, arrival, problemResponse, refuseDuringMaintenance } from '../http/request-context.ts';
import { clientIdOf, clientNameOf, isRedirectUri } from '../../modules/assistants/clients.ts';
import { consentPath, resourcePath } from '../../modules/assistants/schema.ts';
import { exchangeCode, refreshTokens, revokeToken, type IssuedTokens } from '../../modules/assistants/tokens.ts';
import type { Platform } from '../../platform/team.ts';
import type { McpParts } from './mcp-app.ts';

// The authorization server for assistants (OAuth 2.1): discovery (RFC 9728, RFC 8414), registration (RFC 7591), and
// issuing and revoking tokens. People consent on a page of the app. Assistants are public clients: they have no secret
// and use PKCE. Their client id is the address of their document, or they register.

export const resourceMetadataPath = `/.well-known/oauth-protected-resource${resourcePath}`;
const paths = { register: '/oauth/register', token: '/oauth/token', revoke: '/oauth/revoke' } as const;

const resourceMetadata = (publicUrl: string) => ({
  resource: `${publicUrl}${resourcePath}`,
  authorization_servers: [publicUrl],
  bearer_methods_supported: ['header'],
  resource_name: serviceName,
});

const serverMetadata = (publicUrl: string) => ({
  issuer: publicUrl,
  authorization_endpoint: `${publicUrl}${consentPath}`,
  token_endpoint: `${publicUrl}${paths.token}`,
  registration_endpoint: `${publicUrl}${paths.register}`,
  client_id_metadata_document_supported: true,
  revocation_endpoint: `${publicUrl}${paths.revoke}`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
});

type OAuthParts = Pick<McpParts, 'platform' | 'log' | 'maintenance' | 'telemetry'>;

/** Everything that assistants need to get a token. */
export const makeOAuthApp = ({ platform, log, maintenance, telemetry }: OAuthParts): Router => {
  const { publicUrl } = platform;
  const show =
    (answer: object): RequestHandler =>
    (_request, response) =>
      void response.json(answer);
  const own = express.Router({ caseSensitive: true, strict: true });
  own.get(['/.well-known/oauth-protected-resource', resourceMetadataPath], show(resourceMetadata(publicUrl)));
  own.get('/.well-known/oauth-authorization-server', show(serverMetadata(publicUrl)));
  own.use(
    '/oauth',
    accessLog({ log, telemetry, callerOf: () => ({ tenantId: undefined, fields: {} }) }),
    refuseDuringMaintenance(maintenance),
    limitByNetwork(),
  );
  own.post(paths.register, register(platform));
  own.post(paths.token, token(platform));
  own.post(paths.revoke, revoke(platform));
  return Router({ caseSensitive: true, strict: true })
    .use(['/.well-known', '/oauth'], arrival())
    .use('/oauth', (_request, _response, next) => beyondTeams('caller', async () => next()))
    .use(own)
    .use(problemResponse({ publicUrl, log }));
};

const limitByNetwork = (): RequestHandler => {
  const counted = new WindowCounter({ seconds: 60 });
  return (request, _response, next) => {
    const { used, wait } = counted.count(networkOf(addressOf(request)));
    if (used > assistantLimits.requestsPerNetworkPerMinute) fail('rate_limited', { retry_after: wait });
    next();
  };
};

/** A refusal in the format of OAuth, with the codes of the RFCs. */
const refuse = (response: Response, error: string, description: string): void => {
  response.status(400).json({ error, error_description: description });
};

const Registration = z.object({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1).max(clientLimits.redirectUris),
});

const jsonOf = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};

const register =
  (platform: Platform): RequestHandler =>
  async (request, response) => {
    request.context.route = paths.register;
    const read = Registration.safeParse(jsonOf(await readBody(request, httpLimits.entranceBodyBytes)));
    if (!read.success) return refuse(response, 'invalid_client_metadata', 'The body is JSON with redirect_uris.');
    const { client_name: wanted, redirect_uris: redirectUris } = read.data;
    if (!redirectUris.every(isRedirectUri)) {
      const rule = 'A redirect URI has https, or http on localhost, and no fragment.';
      return refuse(response, 'invalid_redirect_uri', rule);
    }
    const name = clientNameOf(wanted, redirectUris);
    response.status(201).json({
      client_id: clientIdOf(platform, { name, redirectUris }),
      client_id_issued_at: Math.floor(platform.clock.now().getTime() / 1000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  };

/** The parameters of a form; undefined if the body is not a form, or has a parameter twice. */
const formOf = async (request: Request): Promise<Map<string, string> | undefined> => {
  const bytes = await readBody(request, httpLimits.entranceBodyBytes);
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '')) return undefined;
  const pairs = [...new URLSearchParams(bytes.toString())];
  const form = new Map(pairs);
  return form.size === pairs.length ? form : undefined;
};

const answerTokens = (response: Response, tokens: IssuedTokens | undefined): void => {
  if (!tokens) return refuse(response, 'invalid_grant', 'The code or token is not valid, or not valid any more.');
  response.json({
    access_token: tokens.access,
    token_type: 'Bearer',
    expires_in: tokens.expiresInSeconds,
    refresh_token: tokens.refresh,
  });
};

const token =
  (platform: Platform): RequestHandler =>
  async (request, response) => {
    request.context.route = paths.token;
    const form = await formOf(request);
    if (!form) return refuse(response, 'invalid_request', 'The body is a form with each parameter once.');
    const valueOf = (name: string): string => form.get(name) ?? '';
    const resource = form.get('resource');
    if (resource !== undefined && resource !== `${platform.publicUrl}${resourcePath}`) {
      return refuse(response, 'invalid_target', 'Tokens are issued for the MCP server alone.');
    }
    const clientId = valueOf('client_id');
    switch (valueOf('grant_type')) {
      case 'authorization_code': {
        const [code, redirectUri, verifier] = [valueOf('code'), valueOf('redirect_uri'), valueOf('code_verifier')];
        return answerTokens(response, await exchangeCode(platform, { code, clientId, redirectUri, verifier }));
      }
      case 'refresh_token':
        return answerTokens(response, await refreshTokens(platform, { token: valueOf('refresh_token'), clientId }));
      default:
        return refuse(response, 'unsupported_grant_type', 'It is authorization_code or refresh_token.');
    }
  };

/** Answers 200 for every token, even an invalid one, as RFC 7009 requires. */
const revoke =
  (platform: Platform): RequestHandler =>
  async (request, response) => {
    request.context.route = paths.revoke;
    const form = await formOf(request);
    if (!form) return refuse(response, 'invalid_request', 'The body is a form with each parameter once.');
    await revokeToken(platform, form.get('token') ?? '');
    response.status(200).end();
  };
