import { daysToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { deliverTasks } from '../../src/deliveries/outbox.ts';
import { rotateKey } from '../../src/modules/keys/service.ts';
import { endpointDeletion } from '../../src/modules/webhooks/cleanup.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { aTeamWithEverything } from './everywhere.ts';
import type { TestService } from './service.ts';
import { anEmail, type TestTeam } from './team.ts';
import { teamTables } from './tenant-in-statements.ts';

/** All tables whose rows have the id of their team. */
export const tablesOfTeams = [...teamTables].filter((table) => table !== 'team').toSorted();

/** The number of a team's rows in each table. */
export const rowsOf = async (service: TestService, teamId: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const table of tablesOfTeams) {
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

/** A team that has rows in every table with rows of teams, and traces in others. */
export const aFullTeam = async (service: TestService): Promise<TestTeam> => {
  const { prisma } = service.database;
  const { team } = await aTeamWithEverything(service);
  const { id: tenantId } = team;
  await team.change({ name: 'A team' });
  await team.client.get('/events');
  const key = await team.aKey();
  await rotateKey(await team.acting(), key.id, { graceSeconds: 60 });
  const at = new Date();
  await prisma.deletion.create({ data: { tenantId, resource: 'cases', id: makeId(), deletedAt: at } });
  const erased = { memberIds: [makeId()], emails: [anEmail('erased')], names: ['Erased'] };
  const placeholders = { placeholderUserId: makeId(), placeholderMemberId: makeId() };
  const beginning = { tenantId, id: makeId(), step: 'assignments', createdAt: at };
  await prisma.erasure.create({ data: { ...beginning, ...erased, ...placeholders } });
  await jobs.add(service.database, endpointDeletion.job({ tenantId, endpointId: makeId() }));
  const { id: endpointId } = await prisma.webhookEndpoint.findFirstOrThrow({ where: { tenantId } });
  const waiting = { key: `deliver:${endpointId}`, inMs: daysToMs(1) };
  await jobs.add(service.database, { task: deliverTasks.usual, payload: { tenantId, endpointId }, ...waiting });
  for (const subject of [`by hand ${tenantId}`, `given up ${tenantId}`]) {
    await prisma.rateWindow.create({ data: { subject, endsAt: at, used: 1 } });
  }
  return team;
};
