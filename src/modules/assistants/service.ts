import { later, secondsToMs } from '../../core/clock.ts';
import { isId, makeId } from '../../core/ids.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import { scopeTexts, type Scope } from '../../core/scopes.ts';
import type { Camel } from '../../core/spelling.ts';
import type { SignInWay } from '../../core/sign-in-demand.ts';
import { assistantLimits, documentLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import { record, recordAll } from '../audit/service.ts';
import type { TeamOfPerson } from '../reporting/store.ts';
import { sessions } from '../sign-ins/store.ts';
import { spendTry } from '../sign-ins/tries.ts';
import { apiIsOn, type Platform, type Team } from '../../platform/team.ts';
import { actIn } from '../../platform/team-row.ts';
import { clientAt, isDocumentUrl } from './client-documents.ts';
import { clientOf, mayRedirectTo, type AssistantClient } from './clients.ts';
import { assistantScopes, resourcePath, type AuthorizationRequest } from './schema.ts';
import { connections } from './store.ts';
import { endConnection, hashOf, makeSecret } from './tokens.ts';

// Consent: a person lets an assistant act for them in one of their teams, sees which assistants they have connected,
// and disconnects them.

/** A person, with the teams that they are in. */
interface PersonWithTeams {
  personId: string;
  teams: readonly TeamOfPerson[];
}

/** A person who is asked for consent in a browser: the session of that browser, and how the person signed in. */
type PersonInBrowser = PersonWithTeams & { sessionId: string; way: SignInWay };

/** The assistant that has this client id: the one of a document, or one that has registered itself. */
const findClient = async (
  platform: Platform,
  { personId }: PersonWithTeams,
  clientId: string,
): Promise<AssistantClient | undefined> => {
  if (!isDocumentUrl(clientId)) return clientOf(platform, clientId);
  const counted = { what: 'client documents for', whom: personId, ...documentLimits.fetchesPerPerson };
  return clientAt(platform, clientId, () => spendTry(platform.database, counted));
};

/**
 * The assistant of a request, or the wrong parameter. A browser is sent only to an address of the assistant.
 */
const readRequest = async (
  platform: Platform,
  asked: PersonWithTeams,
  request: Camel<AuthorizationRequest>,
): Promise<{ client: AssistantClient } | { wrong: keyof AuthorizationRequest }> => {
  const client = await findClient(platform, asked, request.clientId);
  if (!client) return { wrong: 'client_id' };
  if (!mayRedirectTo(client, request.redirectUri)) return { wrong: 'redirect_uri' };
  if (request.responseType !== 'code') return { wrong: 'response_type' };
  if (request.codeChallengeMethod !== 'S256') return { wrong: 'code_challenge_method' };
  if (!/^[\w-]{43}$/.test(request.codeChallenge)) return { wrong: 'code_challenge' };
  const isForUs = [undefined, `${platform.publicUrl}${resourcePath}`].includes(request.resource);
  return isForUs ? { client } : { wrong: 'resource' };
};

/** The assistant's address with our answer. */
const answerTo = (
  { publicUrl }: Platform,
  { redirectUri: uri, state }: Camel<AuthorizationRequest>,
  answer: { code: string } | { error: string },
): string => {
  const url = new URL(uri);
  for (const [name, value] of Object.entries({ ...answer, ...(state !== undefined && { state }), iss: publicUrl }))
    url.searchParams.set(name, value);
  return url.toString();
};

/** The question that the person answers. Teams that can't use the API are left out. */
export const consentQuestion = async (
  platform: Platform,
  asked: PersonWithTeams,
  request: Camel<AuthorizationRequest>,
  scopesOf: (membership: TeamOfPerson) => ReadonlySet<Scope>,
) => {
  const read = await readRequest(platform, asked, request);
  if ('wrong' in read) return { question: null, wrong: read.wrong };
  const question = {
    clientName: read.client.name,
    documentHost: read.client.documentHost ?? null,
    redirectHost: new URL(request.redirectUri).host,
    declinedTo: answerTo(platform, request, { error: 'access_denied' }),
    teams: asked.teams.filter(apiIsOn).map((team) => ({
      tenantId: team.tenantId,
      name: team.name,
      abilities: assistantScopes
        .filter((scope) => scopesOf(team).has(scope))
        .map((scope) => ({ de: scopeTexts[scope].de, en: scopeTexts[scope].en })),
    })),
  };
  return { question, wrong: null };
};

/** Connects the assistant to one team of the person. Returns where the browser goes, with the code. */
export const connectAssistant = async (
  { platform, address }: { platform: Platform; address: string },
  person: PersonInBrowser,
  { tenantId, ...request }: Camel<AuthorizationRequest> & { tenantId: string },
): Promise<string> => {
  const { personId, teams, sessionId, way } = person;
  const read = await readRequest(platform, person, request);
  if ('wrong' in read) {
    const detail = signInMessages.assistantRequestInvalid(read.wrong);
    return fail('validation_error', { field: read.wrong, detail });
  }
  const { name, documentHost } = read.client;
  const membership = teams.find((team) => team.tenantId === tenantId) ?? fail('not_found');
  if (!apiIsOn(membership)) fail('api_disabled');
  const { database, clock } = platform;
  const { memberId, userId } = membership;
  const id = makeId();
  const code = makeSecret('svcc_', { tenantId, id });
  const now = clock.now();

  const team = { ...(await actIn(platform, { kind: 'person', userId }, tenantId)), address };
  await database.transaction(async (tx) => {
    // Code that ends or downgrades sessions does the same to their connections afterwards. The session is locked, so
    // that such code does not miss this new connection.
    if ((await sessions.lock(tx, sessionId)) !== way) fail('unauthorized');
    await connections.insert(tx, {
      tenantId,
      id,
      memberId,
      personId,
      clientName: name,
      clientHash: hashOf(request.clientId),
      redirectUri: request.redirectUri,
      codeHash: hashOf(code),
      codeChallenge: request.codeChallenge,
      expiresAt: later(now, secondsToMs(assistantLimits.codeSeconds)),
      createdAt: now,
      way,
    });
    const data = { assistant: name, host: new URL(request.redirectUri).host, ...(documentHost && { documentHost }) };
    record(tx, team, { action: 'assistant.connected', target: { type: 'member', id: memberId }, data });
  });
  return answerTo(platform, request, { code });
};

/** The person's connected assistants in the teams that they are in. */
export const listAssistants = async (platform: Platform, { personId, teams }: PersonWithTeams) => {
  const rows = await connections.ofPerson(platform.database.prisma, personId, platform.clock.now());
  return rows.flatMap(({ id, memberId, clientName, createdAt, lastUsedAt }) => {
    const team = teams.find((one) => one.memberId === memberId);
    if (!team) return [];
    return {
      id,
      clientName,
      teamName: team.name,
      createdAt,
      lastUsedAt,
    };
  });
};

export const disconnectAssistant = async (
  platform: Platform,
  { personId, teams }: PersonWithTeams,
  id: string,
): Promise<void> => {
  if (!isId(id)) fail('not_found');
  const rows = await connections.ofPerson(platform.database.prisma, personId, platform.clock.now());
  const connection = rows.find((row) => row.id === id) ?? fail('not_found');
  const { userId } = teams.find(({ memberId }) => memberId === connection.memberId) ?? fail('not_found');
  await endConnection(platform, connection, { userId });
};

/** Ends all connections of a person, because somebody else may have had their password or a browser of theirs. */
export const disconnectAll = async (
  platform: Platform,
  personId: string,
  reason: 'password_changed' | 'signed_out_everywhere',
): Promise<void> => {
  for (const connection of await connections.allOf(platform.database.prisma, personId))
    await endConnection(platform, connection, { reason });
};

/**
 * Ends the connections that people have made with the team's company account. With a domain, only those of people with
 * an address in it.
 */
export const disconnectOfCompany = async (tx: Tx, team: Team, domain?: string): Promise<void> => {
  const ended = await connections.removeOfCompany(tx, team.id, domain);
  recordAll(
    tx,
    team,
    ended.map(({ memberId, clientName }) => ({
      action: 'assistant.disconnected',
      target: { type: 'member', id: memberId },
      data: { assistant: clientName, reason: 'company_account_ended' },
    })),
  );
};

/** A person has turned the second factor off, so their connections no longer count as made with it. */
export const withoutSecondFactor = async (tx: Tx, personId: string): Promise<void> => {
  await connections.deleteSecondFactor(tx, personId);
};

export const deleteExpiredConnections = async ({ database, clock }: Platform): Promise<void> => {
  await connections.removeExpired(database.prisma, clock.now());
};
