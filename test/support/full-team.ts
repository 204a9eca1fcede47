import { makeId } from '../../src/core/ids.ts';
import { rotateKey } from '../../src/modules/keys/service.ts';
import { endpointDeletion } from '../../src/modules/webhooks/cleanup.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { anAssistantConnection } from './assistant-connections.ts';
import { aCatalogItem, aRule } from './catalog.ts';
import { aStoredProvider } from './company-rows.ts';
import { aDeal, anObjection } from './crm.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent } from './webhooks.ts';
import { liveThrough } from './every-event.ts';
import { aPerson } from './people.ts';
import type { TestService } from './service.ts';
import { anEmail, aTeam, type TestTeam } from './team.ts';

/** All tables with rows of teams, read from the database's catalogue. */
export const tablesOfTeams = async ({ database }: TestService): Promise<string[]> => {
  const rows = await database.prisma.$queryRaw<{ name: string }[]>`
    select t.relname::text as name
      from pg_attribute a join pg_class t on t.oid = a.attrelid
     where a.attname = 'tenant_id' and not a.attisdropped and t.relkind = 'r'
       and t.relnamespace = 'public'::regnamespace
     order by 1`;
  return rows.map(({ name }) => name);
};

/** The number of a team's rows in each table. */
export const rowsOf = async (service: TestService, teamId: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const table of await tablesOfTeams(service)) {
    const [row] = await service.database.prisma.$queryRawUnsafe<{ count: number }[]>(
      `select count(*)::int as count from "${table}" where tenant_id = $1::uuid`,
      teamId,
    );
    counts[table] = row?.count ?? 0;
  }
  return counts;
};

/** Everything left of a team: its rows by table, and texts with its id in tables without a tenant id. */
export const tracesOf = async (service: TestService, id: string): Promise<Record<string, number>> => {
  const { prisma } = service.database;
  const [others] = await prisma.$queryRaw<Record<string, number>[]>`
    select (select count(*)::int from team where id = ${id}::uuid) as team,
           (select count(*)::int from request_budget where subject = ${id}::uuid) as budgets,
           (select count(*)::int from rate_window where subject like '%' || ${id}) as windows,
           (select count(*)::int from graphile_worker._private_jobs
             where payload::text like '%' || ${id} || '%' and locked_at is null) as jobs,
           (select count(*)::int from graphile_worker._private_jobs j
             where payload ->> 'mailId' is not null
               and not exists (select from mail m where m.id::text = j.payload ->> 'mailId')) as mail_jobs`;
  const found = { ...(await rowsOf(service, id)), ...others };
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0));
};

/** A team that has rows in every table that can have rows of a team. */
export const aFullTeam = async (service: TestService): Promise<TestTeam> => {
  const { prisma } = service.database;
  const team = await aTeam(service, { admins: 1, members: 2 });
  const tenantId = team.id;
  const { connectionId } = await liveThrough(service, team);
  const endpointId = await anEndpoint(service, team);
  const deliveryId = await aDelivery(service, team, { endpointId, eventId: await anEvent(service, team) });
  await team.client.get('/events');
  await anAttempt(service, team, { deliveryId });
  const day = new Date('2026-11-20');
  await prisma.webhookTeamDay.create({ data: { tenantId, day } });
  await prisma.webhookEndpointDay.create({ data: { tenantId, endpointId, day } });
  await prisma.webhookQuarterHour.create({
    data: { tenantId, endpointId, start: day, delivered: true, duration: 1, attempts: 1 },
  });
  await prisma.webhookCheck.create({ data: { tenantId, id: makeId(), endpointId, createdAt: day } });
  await anObjection(service, team, await aDeal(service, team, connectionId));
  await prisma.crmRun.create({ data: { tenantId, id: makeId(), connectionId, kind: 'full', startedAt: new Date() } });

  const situation = await aCatalogItem(service, { dimension: 'situation', tenantId });
  const item = await aCatalogItem(service, { dimension: 'industry', tenantId });
  await aRule(service, { kind: 'only', situation, item, tenantId });
  await prisma.teamPolicyBlock.create({ data: { tenantId, itemId: item, createdAt: new Date() } });
  const [member] = team.members;
  const memberId = member?.id ?? '';
  await prisma.memberPolicyBlock.create({ data: { tenantId, memberId, itemId: item, createdAt: new Date() } });
  const userId = member?.user_id ?? '';
  await prisma.training.create({
    data: {
      tenantId,
      id: makeId(),
      userId,
      source: 'app',
      situationId: situation,
      createdAt: new Date(),
      updatedAt: new Date(),
    },
  });

  await team.client.post('/cases', { user_id: userId }, { headers: { 'Idempotency-Key': 'once' } });
  await team.anInvitedMember();
  await aPerson(team, { email: anEmail('signs-in') });
  const waiting = { email: anEmail('waits'), role: 'member', dueAt: day, createdAt: day } as const;
  await prisma.waitingInvitation.create({ data: { tenantId, id: makeId(), invitedBy: userId, ...waiting } });
  const key = await team.aKey();
  await rotateKey(await team.acting(), key.id, { graceSeconds: 60 });
  await service.requestLog.write();

  await prisma.versionNotice.create({ data: { tenantId, userId, version: 'v1', sentAt: new Date() } });
  await jobs.add(service.database, endpointDeletion.job({ tenantId, endpointId: makeId() }));
  await anAssistantConnection(service, team, { memberId, userId });
  await aStoredProvider(service, team);
  const erased = { memberIds: [makeId()], emails: [anEmail('erased')], names: ['Erased'] };
  const placeholders = { placeholderUserId: makeId(), placeholderMemberId: makeId() };
  const beginning = { tenantId, id: makeId(), step: 'assignments', createdAt: new Date() };
  await prisma.erasure.create({ data: { ...beginning, ...erased, ...placeholders } });
  for (const subject of [`by hand ${tenantId}`, `given up ${tenantId}`]) {
    await prisma.rateWindow.create({ data: { subject, endsAt: new Date(), used: 1 } });
  }
  return team;
};
