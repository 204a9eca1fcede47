import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { noteFailure } from '../../src/modules/crm/sync.ts';
import { inTransaction, type Team } from '../../src/platform/team.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import type { TestService } from './service.ts';

type Connection = Partial<Omit<Prisma.CrmConnectionUncheckedCreateInput, 'tenantId' | 'id'>>;
type Deal = Partial<Omit<Prisma.CrmDealUncheckedCreateInput, 'tenantId' | 'connectionId' | 'objections'>>;
type Objection = Partial<Omit<Prisma.CrmObjectionUncheckedCreateInput, 'tenantId' | 'connectionId' | 'dealId'>>;

/** A team's connection to a CRM, active unless a test wants another status. */
export const aCrmConnection = async (
  { database, clock }: TestService,
  team: { id: string },
  wanted: Connection = {},
): Promise<string> => {
  const id = makeId();
  await database.prisma.crmConnection.create({
    data: { tenantId: team.id, id, provider: 'hubspot', createdAt: clock.now(), ...wanted },
  });
  return id;
};

/** A deal that a sync of the connection found. */
export const aDeal = async (
  { database, clock }: TestService,
  team: { id: string },
  connectionId: string,
  wanted: Deal = {},
): Promise<string> => {
  const id = wanted.id ?? makeId();
  await database.prisma.crmDeal.create({
    data: {
      tenantId: team.id,
      connectionId,
      externalId: id,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      ...wanted,
      id,
    },
  });
  return id;
};

/** An objection of the deal. */
export const anObjection = async (
  { database, clock }: TestService,
  team: { id: string },
  dealId: string,
  wanted: Objection = {},
): Promise<string> => {
  const id = wanted.id ?? makeId();
  const { connectionId } = await database.prisma.crmDeal.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id: dealId } },
  });
  await database.prisma.crmObjection.create({
    data: {
      tenantId: team.id,
      connectionId,
      dealId,
      externalId: id,
      category: 'price',
      text: 'Zu teuer.',
      lang: 'de',
      createdAt: clock.now(),
      updatedAt: clock.now(),
      ...wanted,
      id,
    },
  });
  return id;
};

/** Records a failed sync of the connection, as a run does that fails. */
export const syncFailed = (
  acting: Team,
  { connectionId, reason }: { connectionId: string; reason: string },
): Promise<void> =>
  inTransaction(acting, async (tx) => {
    const team = await lockTeamShared(tx, acting);
    const where = { tenantId_id: { tenantId: team.id, id: connectionId } };
    const { provider } = await tx.crmConnection.findUniqueOrThrow({ where });
    await noteFailure(tx, team, { connectionId, provider, reason });
  });
