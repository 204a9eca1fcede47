import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';

/** Inserts the set-up of a company account, whose provider does not exist. */
export const aStoredProvider = async (
  { database: { prisma }, platform }: Pick<TestService, 'database' | 'platform'>,
  { id: tenantId }: Pick<TestTeam, 'id'>,
  secret = 'a client secret',
): Promise<void> => {
  const createdAt = new Date();
  const clientSecret = platform.vault.seal('company sign-in', tenantId, secret);
  const provider = { issuer: 'https://issuer.example', clientId: 'a client', clientSecret };
  await prisma.companySignIn.upsert({
    where: { tenantId },
    create: { tenantId, ...provider, createdAt, updatedAt: createdAt },
    update: provider,
  });
  await prisma.companyDomain.createMany({
    data: { tenantId, domain: 'company.example', createdAt },
    skipDuplicates: true,
  });
};
