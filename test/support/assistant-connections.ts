import { createHash, randomBytes } from 'node:crypto';
import { makeId } from '../../src/core/ids.ts';
import { clientIdOf } from '../../src/modules/assistants/clients.ts';
import { exchangeCode } from '../../src/modules/assistants/tokens.ts';
import type { BrowserSession } from './browser-session.ts';
import type { TestService } from './service.ts';

interface Wanted {
  memberId: string;
  userId: string;
  clientName?: string;
}

/** Inserts a connection into the database: its code was exchanged, but no client has its tokens. */
export const anAssistantConnection = async (
  { database: { prisma }, clock }: Pick<TestService, 'database' | 'clock'>,
  { id: tenantId }: { id: string },
  { memberId, userId, clientName = 'An assistant' }: Wanted,
): Promise<string> => {
  const { personId } = await prisma.teamUser.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id: userId } } });
  const [id, now] = [makeId(), clock.now()];
  await prisma.assistantConnection.create({
    data: {
      tenantId,
      id,
      memberId,
      personId,
      clientName,
      clientHash: Uint8Array.from(randomBytes(32)),
      redirectUri: 'https://assistant.example/callback',
      codeHash: Uint8Array.from(randomBytes(32)),
      codeChallenge: 'a challenge',
      codeUsedAt: now,
      accessHash: Uint8Array.from(randomBytes(32)),
      refreshHash: Uint8Array.from(randomBytes(32)),
      expiresAt: new Date(now.getTime() + 86_400_000),
      createdAt: now,
    },
  });
  return id;
};

/** A person consents in this session. `answer`: to the app; `exchange`: the assistant exchanges the code for tokens. */
export const consentInSession = async (
  { platform }: Pick<TestService, 'platform'>,
  browser: BrowserSession,
  { id }: { id: string },
) => {
  const redirectUri = 'http://127.0.0.1:45678/callback';
  const verifier = randomBytes(32).toString('base64url');
  const clientId = clientIdOf(platform, { name: 'An assistant', redirectUris: [redirectUri] });
  const answer = await browser.mutate('entrance/assistants.connect', {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    tenant_id: id,
  });
  const exchange = () => {
    const code = new URL(String(answer.data['redirect_to'])).searchParams.get('code') ?? '';
    return exchangeCode(platform, { code, clientId, redirectUri, verifier });
  };
  return { answer, clientId, exchange };
};

/** Connects an assistant in this session. */
export const connectInSession = async (
  service: Pick<TestService, 'platform'>,
  browser: BrowserSession,
  team: { id: string },
) => {
  const { clientId, exchange } = await consentInSession(service, browser, team);
  const { access = '', refresh = '' } = (await exchange()) ?? {};
  return { access, refresh, clientId };
};
