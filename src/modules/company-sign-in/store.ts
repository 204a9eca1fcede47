import type { Database, Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `company_sign_in` and `company_domain`.

type NewProvider = Omit<Prisma.CompanySignInUncheckedCreateInput, 'tenantId' | 'createdAt'>;

export const providers = {
  get: (tx: Tx, tenantId: string) => tx.companySignIn.findFirst({ where: { tenantId } }),

  put: (tx: Tx, tenantId: string, { now, ...row }: NewProvider & { now: Date }) =>
    tx.companySignIn.upsert({ where: { tenantId }, create: { tenantId, createdAt: now, ...row }, update: row }),

  enable: (tx: Tx, tenantId: string, enabled: boolean) =>
    tx.companySignIn.update({ where: { tenantId }, data: { enabled } }),

  noteTested: (tx: Tx, tenantId: string, testedAt: Date) =>
    tx.companySignIn.updateMany({ where: { tenantId, testedAt: null }, data: { testedAt } }),

  remove: (tx: Tx, tenantId: string) => tx.companySignIn.deleteMany({ where: { tenantId } }),
};

export const domains = {
  list: (tx: Tx, tenantId: string) => tx.companyDomain.findMany({ where: { tenantId }, orderBy: { domain: 'asc' } }),

  /** Adds a domain, or marks it as proven. */
  put: (tx: Tx, { tenantId, domain, now, proven }: { tenantId: string; domain: string; now: Date; proven: boolean }) =>
    tx.companyDomain.upsert({
      where: { tenantId_domain: { tenantId, domain } },
      create: { tenantId, domain, createdAt: now, provenAt: proven ? now : null },
      update: proven ? { provenAt: now } : {},
    }),

  remove: (tx: Tx, tenantId: string, domain?: string) =>
    tx.companyDomain.deleteMany({ where: { tenantId, ...(domain !== undefined && { domain }) } }),

  isProven: async (tx: Tx, tenantId: string, domain: string) =>
    (await tx.companyDomain.count({ where: { tenantId, domain, provenAt: { not: null } } })) > 0,

  /** The active teams that have proven a domain and whose provider is switched on. */
  teamsOf: async (tx: Tx, domain: string) => {
    const rows = await tx.companyDomain.findMany({
      where: {
        domain,
        provenAt: { not: null },
        team: { status: 'active', deletionStartedAt: null, companySignIn: { enabled: true } },
      },
      select: { tenantId: true, team: { select: { name: true } } },
      orderBy: { tenantId: 'asc' },
    });
    return rows.map(({ tenantId, team }) => ({ tenantId, name: team.name }));
  },
};

/** The encrypted client secrets of all teams. */
export const clientSecrets = {
  all: ({ prisma }: Database) => prisma.companySignIn.findMany({ select: { tenantId: true, clientSecret: true } }),

  replace: ({ prisma }: Database, former: Prisma.CompanySignInWhereInput, clientSecret: Uint8Array<ArrayBuffer>) =>
    prisma.companySignIn.updateMany({ where: former, data: { clientSecret } }),
};

/** The company account in the team's export. */
export const providerData = teamTable({
  table: 'company_sign_in',
  file: 'company_sign_in.json',
  key: { tenantId: 'uuid' },
  values: ['enabled', 'issuer', 'clientId', 'role'],
  times: ['testedAt', 'createdAt', 'updatedAt'],
  leftOut: { clientSecret: 'The service signs in to the provider with it.' },
});

export const domainData = teamTable({
  table: 'company_domain',
  key: { domain: 'text' },
  values: ['domain'],
  times: ['provenAt', 'createdAt'],
});
