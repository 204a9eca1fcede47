import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ClientAuth,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client';
import { z } from 'zod';
import { sizeOfJson } from '../../core/json.ts';
import { companyLimits, limits } from '../../core/limits.ts';
import { companyMessages } from '../../core/messages/company-sign-in.ts';
import { fail } from '../../core/problem.ts';
import type { Message } from '../../core/language.ts';
import type { Egress } from '../../egress/egress.ts';
import { Failure, Forbidden } from '../../egress/failure.ts';
import type { WholeAnswer } from '../../egress/outgoing-request.ts';
import { boundedText } from '../../platform/values.ts';

// An identity provider as its client sees it (OpenID Connect: authorization code flow with PKCE, state and nonce).
// openid-client makes the requests and checks the answers; each request leaves through the egress, whose guard refuses
// private addresses.

const userAgent = 'Team-Customer-API';

const send = (egress: Egress, request: { url: string; method: 'GET' | 'POST'; headers?: object; body?: string }) =>
  egress.fetch({
    timeout: companyLimits.timeoutMs,
    maxBytes: companyLimits.answerBytes,
    ...request,
    headers: { Accept: 'application/json', ...request.headers, 'User-Agent': userAgent },
  });

/**
 * Code that handles a parsed value may call itself for each level of nesting, so the text is measured before it is
 * parsed.
 */
const isTooDeep = (body: Buffer): boolean => sizeOfJson(body.toString()).depth > companyLimits.answerDepth;

/** Statuses whose answers have no body. */
const withoutBody = new Set([101, 204, 205, 304]);

/**
 * Keeps only the header that openid-client needs, because its time to parse `WWW-Authenticate` grows with the square of
 * the length.
 */
const asResponse = ({ code, headers, body }: WholeAnswer): Response => {
  const type = [headers['content-type']].flat()[0];
  return new Response(withoutBody.has(code) ? null : Uint8Array.from(body), {
    status: code,
    headers: type === undefined ? {} : { 'Content-Type': type },
  });
};

const throughEgress =
  (egress: Egress): CustomFetch =>
  async (url, { method, headers, body }) => {
    if (method !== 'GET' && method !== 'POST') throw new Error(`openid-client sent a ${method} request`);
    const text = body instanceof URLSearchParams || typeof body === 'string' ? String(body) : undefined;
    const answer = await send(egress, { url, method, headers, ...(text !== undefined && { body: text }) });
    if (isTooDeep(answer.body)) throw new Error('the provider’s answer is nested too deeply');
    return asResponse(answer);
  };

const refuse = (detail: Message): never => fail('validation_error', { field: 'issuer', detail });

/**
 * The browser is sent to the authorization endpoint, so this and the other addresses must be plain web addresses. They
 * may be without TLS only where the guard allows this for the provider itself.
 */
const webAddress = (issuer: string) =>
  boundedText(companyLimits.urlCharacters).pipe(
    z
      .url({ protocol: issuer.startsWith('http:') ? /^https?$/ : /^https$/, abort: true })
      .refine((text) => !/[\s<>"'\\]/.test(text)),
  );

/** The members of a discovery document that this file and openid-client read. Others are left out. */
const Metadata = (issuer: string) =>
  z.object({
    issuer: z.string(),
    authorization_endpoint: webAddress(issuer),
    token_endpoint: webAddress(issuer),
    jwks_uri: webAddress(issuer),
    userinfo_endpoint: z.exactOptional(webAddress(issuer)),
    response_types_supported: z.exactOptional(z.array(z.string())),
    code_challenge_methods_supported: z.exactOptional(z.array(z.string())),
    token_endpoint_auth_methods_supported: z.exactOptional(z.array(z.string())),
    id_token_signing_alg_values_supported: z.exactOptional(z.array(z.string())),
    userinfo_signing_alg_values_supported: z.exactOptional(z.array(z.string())),
    /** If true, an answer without `iss` is not the provider's. */
    authorization_response_iss_parameter_supported: z.exactOptional(z.boolean()),
  });

const parseJson = (body: Buffer): unknown => {
  if (isTooDeep(body)) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

/**
 * How the client shows its secret; undefined if the provider accepts neither `client_secret_basic` nor
 * `client_secret_post`. Without a list of methods, the standard's default is `client_secret_basic`.
 */
const authenticationOf = ({
  token_endpoint_auth_methods_supported: methods = ['client_secret_basic'],
}: Pick<ServerMetadata, 'token_endpoint_auth_methods_supported'>): ((secret: string) => ClientAuth) | undefined => {
  if (methods.includes('client_secret_basic')) return ClientSecretBasic;
  return methods.includes('client_secret_post') ? ClientSecretPost : undefined;
};

/** Reads the discovery document of a provider. If it is wrong, throws a problem that names its flaw in plain words. */
export const discover = async (egress: Egress, issuer: string): Promise<ServerMetadata> => {
  const verdict = await egress.vet(issuer);
  if (!verdict.allowed) return refuse(verdict.reason);
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await send(egress, { url: address, method: 'GET' }).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    return refuse(error instanceof Forbidden ? error.told : companyMessages.noAnswer(error.told));
  });
  if (answer.code !== 200) return refuse(companyMessages.discoveryStatus(address, answer.code));
  const document = z.looseObject({}).safeParse(parseJson(answer.body));
  if (!document.success) return refuse(companyMessages.discoveryNotJson(address));
  const read = Metadata(issuer).safeParse(document.data);
  if (!read.success) {
    return refuse(companyMessages.discoveryIncomplete(String(read.error.issues[0]?.path[0] ?? 'issuer')));
  }
  const { data } = read;
  if (data.issuer !== issuer) return refuse(companyMessages.otherIssuer(data.issuer.slice(0, 300)));
  if (data.response_types_supported?.includes('code') === false) return refuse(companyMessages.noCodeFlow);
  if (!authenticationOf(data)) return refuse(companyMessages.noClientSecret);
  if (data.code_challenge_methods_supported?.includes('S256') === false) return refuse(companyMessages.noPkce);
  return data;
};

export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const configure = async (
  egress: Egress,
  { issuer, clientId, clientSecret }: ProviderClient,
): Promise<Configuration> => {
  const metadata = await discover(egress, issuer);
  const authentication = authenticationOf(metadata)?.(clientSecret);
  const configuration = new Configuration(metadata, clientId, undefined, authentication);
  configuration[customFetch] = throughEgress(egress);
  // The guard decides where plain HTTP is allowed: only to this machine, in tests and in the sandbox.
  if (issuer.startsWith('http:')) allowInsecureRequests(configuration);
  // Otherwise the signature of an ID token that came over TLS would not be checked.
  enableNonRepudiationChecks(configuration);
  return configuration;
};

/** The values that were sent to the provider, or made for this sign-in. The provider's answer must fit them. */
export interface ExpectedAnswer {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

interface SignInStart {
  redirectUri: string;
  email: string;
  /** Whether the provider must ask the person to sign in again and report the time of that (`max_age`). */
  isProof: boolean;
}

/** Begins a sign-in: returns the provider's page for the browser, and the values that its answer must fit. */
export const beginAt = async (
  egress: Egress,
  client: ProviderClient,
  { redirectUri, email, isProof }: SignInStart,
): Promise<{ url: string; expected: ExpectedAnswer }> => {
  const configuration = await configure(egress, client);
  const expected = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: expected.state,
    nonce: expected.nonce,
    code_challenge: await calculatePKCECodeChallenge(expected.verifier),
    code_challenge_method: 'S256',
    login_hint: email,
    ...(isProof && { prompt: 'login', max_age: '0' }),
  });
  return { url: url.href, expected };
};

/** A person as the provider describes them. */
export interface Identity {
  readonly subject: string;
  readonly email: string | undefined;
  readonly isVerified: boolean;
  readonly name: string | undefined;
  /** When the provider last saw the person's password or another proof, if it says so. */
  readonly authenticatedAt: Date | undefined;
}

/** The text of a claim. If it is too long, it counts as absent, before any other rule reads it. */
const textOf = (value: unknown, maxCharacters: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxCharacters * 2 ? value : undefined;

/** The longest `sub` of OpenID Connect. It has ASCII characters only. */
const maxSubject = 255;

const subjectOf = (sub: string): string => {
  const isValid = sub.length <= maxSubject && /^[\x20-\x7e]+$/.test(sub);
  return isValid ? sub : fail('conflict', { detail: companyMessages.invalidSubject(maxSubject) });
};

/** The person, or the reason why the provider has refused them. */
type ProviderAnswer = { readonly identity: Identity } | { readonly refusal: string };

/**
 * Checks the provider's answer (`iss` and `state`), exchanges its code, and checks the ID token: signature, issuer,
 * audience, expiry and nonce.
 */
export const identityOf = async (
  egress: Egress,
  client: ProviderClient,
  { answer, expected }: { answer: URL; expected: ExpectedAnswer },
): Promise<ProviderAnswer> => {
  const configuration = await configure(egress, client);
  const tokens = await authorizationCodeGrant(configuration, answer, {
    expectedState: expected.state,
    expectedNonce: expected.nonce,
    pkceCodeVerifier: expected.verifier,
    idTokenExpected: true,
  }).catch((error: unknown) => {
    if (error instanceof AuthorizationResponseError) return error;
    throw error;
  });
  if (tokens instanceof AuthorizationResponseError) return { refusal: tokens.error_description ?? tokens.error };
  const idToken = tokens.claims();
  if (!idToken) throw new Error('openid-client accepted an answer without an ID token');
  const subject = subjectOf(idToken.sub);
  let claims: Readonly<Record<string, unknown>> = idToken;
  // Some providers send the address only from this endpoint. The library checks that the answer is about the same
  // subject.
  if (idToken['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined) {
    claims = await fetchUserInfo(configuration, tokens.access_token, idToken.sub);
  }
  const { auth_time: authTime } = idToken;
  const identity = {
    subject,
    email: textOf(claims['email'], limits.emailCharacters),
    // Many providers leave `email_verified` out; some send it as a text.
    isVerified: [undefined, true, 'true'].some((value) => claims['email_verified'] === value),
    name: textOf(claims['name'], limits.nameCharacters),
    authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1000) : undefined,
  };
  return { identity };
};
