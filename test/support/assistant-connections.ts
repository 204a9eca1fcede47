import { randomBytes } from 'node:crypto';
import { newId } from '../../src/core/ids.ts';
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
  const [id, now] = [newId(), clock.now()];
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
