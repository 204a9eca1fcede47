import { hash, timingSafeEqual } from 'node:crypto';
import { daysToMs, later, secondsToMs } from '../../core/clock.ts';
import { randomText, sha256 } from '../../core/crypto.ts';
import { isId } from '../../core/ids.ts';
import { mayEnter } from '../../core/sign-in-demand.ts';
import { assistantLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/team.ts';
import { actIn } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { reports } from '../reporting/store.ts';
import { connections, type Connection } from './store.ts';

// The secrets of a connection. Only their hashes are stored. Each secret contains the ids of its team and connection,
// by which the connection is found.
//
//   consent ──▶ code ──exchanged once, within minutes──▶ access token + refresh token ──refreshed──▶ new access token + new refresh token …
//
// If a code or a refresh token is used a second time, this secret or the answer to its first use may have been stolen.
// So the connection ends. Only the latest refresh may be repeated, for some seconds. Its answer is not stored: the new
// tokens follow from the former refresh token and the service's secret, so a repeated request gets the same ones.

type ConnectionKey = Pick<Connection, 'tenantId' | 'id'>;

/** A code, an access token, a refresh token: scanners of leaked secrets find them by their prefixes. */
type Prefix = 'svcc_' | 'svca_' | 'svcr_';

/** A new secret of a connection. */
export const makeSecret = (prefix: Prefix, { tenantId, id }: ConnectionKey): string =>
  `${prefix}${tenantId}.${id}.${randomText(43)}`;

/** The connection whose id is in a secret. This does not prove the secret: the caller compares its hash. */
const connectionNamedIn = async (
  { database }: Platform,
  prefix: Prefix,
  secret: string,
): Promise<Connection | undefined> => {
  if (!secret.startsWith(prefix)) return undefined;
  const [tenantId = '', id = ''] = secret.slice(prefix.length).split('.');
  if (!isId(tenantId) || !isId(id)) return undefined;
  return (await connections.get(database.prisma, { tenantId, id })) ?? undefined;
};

/** The hash of a text, in the type of bytes that Prisma takes. */
export const hashOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(sha256(text));

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

// Tokens are signed: a forged access token is refused without a look-up, and only a refresh token that we made can end
// its connection.

const purposes = { svca_: 'assistant access token', svcr_: 'assistant refresh token' } as const;

const signed = ({ vault }: Platform, prefix: keyof typeof purposes, body: string): string =>
  `${body}.${vault.sign(purposes[prefix], body)}`;

interface TokenPair {
  access: string;
  refresh: string;
}

const makeTokens = (platform: Platform, key: ConnectionKey): TokenPair => ({
  access: signed(platform, 'svca_', makeSecret('svca_', key)),
  refresh: signed(platform, 'svcr_', makeSecret('svcr_', key)),
});

/**
 * The tokens for which a refresh token is exchanged. They are the same each time, and nobody can compute them without
 * the service's secret.
 */
const tokensAfter = (platform: Platform, { tenantId, id }: ConnectionKey, refresh: string): TokenPair => {
  const next = (prefix: keyof typeof purposes) =>
    signed(platform, prefix, `${prefix}${tenantId}.${id}.${platform.vault.sign(`next ${purposes[prefix]}`, refresh)}`);
  return { access: next('svca_'), refresh: next('svcr_') };
};

/** Whether a text is a token that we made. It may no longer be valid. */
const isTokenOf = ({ vault }: Platform, prefix: keyof typeof purposes, text: string): boolean => {
  const at = text.lastIndexOf('.');
  const body = text.slice(0, Math.max(0, at));
  return body.startsWith(prefix) && vault.isSigned(purposes[prefix], body, text.slice(at + 1));
};

/** The connection of a refresh token that we made; undefined for any other text. */
const connectionOfRefresh = async (platform: Platform, token: string): Promise<Connection | undefined> =>
  isTokenOf(platform, 'svcr_', token) ? connectionNamedIn(platform, 'svcr_', token) : undefined;

/** The connection that has this access token now. */
const connectionOfAccess = async (platform: Platform, token: string): Promise<Connection | undefined> => {
  const connection = await connectionNamedIn(platform, 'svca_', token);
  return connection?.accessHash && isSame(connection.accessHash, hashOf(token)) ? connection : undefined;
};

export interface IssuedTokens extends Readonly<TokenPair> {
  readonly expiresInSeconds: number;
}

const { accessMinutes, refreshDays, retrySeconds } = assistantLimits;

const issue = ({ access, refresh }: TokenPair, now: Date) => ({
  issued: { access, refresh, expiresInSeconds: accessMinutes * 60 } satisfies IssuedTokens,
  stored: {
    accessHash: hashOf(access),
    accessExpiresAt: later(now, secondsToMs(accessMinutes * 60)),
    refreshHash: hashOf(refresh),
    refreshedAt: now,
    expiresAt: later(now, daysToMs(refreshDays)),
  },
});

/** Ends a connection. Its tokens are refused from now on. */
export const endConnection = async (
  platform: Platform,
  { tenantId, id, memberId, clientName }: Connection,
  by: { userId: string } | { reason: string },
): Promise<void> => {
  const isByPerson = 'userId' in by;
  const team = await actIn(platform, isByPerson ? { kind: 'person', ...by } : { kind: 'service' }, tenantId);
  await platform.database.transaction(async (tx) => {
    if (!(await connections.remove(tx, { tenantId, id }))) return;
    const data = { assistant: clientName, ...(!isByPerson && by) };
    record(tx, team, { action: 'assistant.disconnected', target: { type: 'member', id: memberId }, data });
  });
};

/**
 * The person's membership in the connection's team. Undefined if it has ended, or if the team demands another way to
 * sign in.
 */
const membershipOf = async (platform: Platform, { personId, tenantId, memberId, way }: Connection) =>
  (await reports.teamsOfPerson(platform, personId)).find(
    (team) => team.tenantId === tenantId && team.memberId === memberId && mayEnter(team, way),
  );

interface CodeGrant {
  code: string;
  clientId: string;
  redirectUri: string;
  /** The text whose hash the request for consent had as `code_challenge` (PKCE). */
  verifier: string;
}

const isChallengeOf = (verifier: string, challenge: string): boolean =>
  isSame(Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge));

/** Exchanges a code for tokens; undefined if it is not valid. */
export const exchangeCode = async (
  platform: Platform,
  { code, clientId, redirectUri, verifier }: CodeGrant,
): Promise<IssuedTokens | undefined> => {
  const { prisma } = platform.database;
  const connection = await connectionNamedIn(platform, 'svcc_', code);
  if (!connection || !isSame(connection.codeHash, hashOf(code))) return undefined;
  const { clientHash, codeChallenge, codeUsedAt, expiresAt } = connection;
  if (codeUsedAt !== null) {
    await endConnection(platform, connection, { reason: 'code_used_again' });
    return undefined;
  }
  const isTheirs =
    isSame(clientHash, hashOf(clientId)) &&
    connection.redirectUri === redirectUri &&
    isChallengeOf(verifier, codeChallenge);
  const now = platform.clock.now();
  if (!isTheirs || expiresAt <= now || !(await membershipOf(platform, connection))) return undefined;
  const { issued, stored } = issue(makeTokens(platform, connection), now);
  if (await connections.useCode(prisma, connection, now, stored)) return issued;
  // The code came twice at the same moment, and the other request was faster: this is the second use.
  return exchangeCode(platform, { code, clientId, redirectUri, verifier });
};

/** Exchanges a refresh token for new tokens; undefined if it is not valid. The former access token ends too. */
export const refreshTokens = async (
  platform: Platform,
  { token, clientId }: { token: string; clientId: string },
): Promise<IssuedTokens | undefined> => {
  const connection = await connectionOfRefresh(platform, token);
  if (!connection || !isSame(connection.clientHash, hashOf(clientId))) return undefined;
  const { refreshHash, refreshedAt, accessExpiresAt, expiresAt } = connection;
  const now = platform.clock.now();
  if (expiresAt <= now || refreshHash === null) return undefined;
  const next = tokensAfter(platform, connection, token);
  if (isSame(refreshHash, hashOf(token))) {
    if (!(await membershipOf(platform, connection))) return undefined;
    const { issued, stored } = issue(next, now);
    if (await connections.rotate(platform.database.prisma, connection, stored)) return issued;
    // The same request came twice at the same moment, and the other one was faster.
    return refreshTokens(platform, { token, clientId });
  }

  const isLatest = isSame(refreshHash, hashOf(next.refresh));
  const isRetry = isLatest && refreshedAt !== null && now < later(refreshedAt, secondsToMs(retrySeconds));
  if (!isRetry || accessExpiresAt === null) {
    await endConnection(platform, connection, { reason: 'refresh_token_used_again' });
    return undefined;
  }
  if (!(await membershipOf(platform, connection))) return undefined;
  return { ...next, expiresInSeconds: Math.floor((accessExpiresAt.getTime() - now.getTime()) / 1000) };
};

/** Ends the connection of a token, at the request of its assistant. */
export const revokeToken = async (platform: Platform, token: string): Promise<void> => {
  const connection = isAccessToken(platform, token)
    ? await connectionOfAccess(platform, token)
    : await connectionOfRefresh(platform, token);
  if (connection) await endConnection(platform, connection, { reason: 'revoked_by_assistant' });
};

/** Whether a text is an access token that we made. It may no longer be valid. */
export const isAccessToken = (platform: Platform, text: string): boolean => isTokenOf(platform, 'svca_', text);

/** The connection and membership of an access token; undefined if the token or the membership is not valid any more. */
export const holderOf = async (platform: Platform, token: string) => {
  const { prisma } = platform.database;
  const now = platform.clock.now();
  const connection = await connectionOfAccess(platform, token);
  if (!connection || (connection.accessExpiresAt ?? now) <= now) return undefined;
  const membership = await membershipOf(platform, connection);
  if (!membership) return undefined;
  await connections.noteUse(prisma, connection, now);
  return { personId: connection.personId, membership };
};
