import { expect, it, vi } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { deleteOldAuditEntries } from '../../src/modules/audit/retention.ts';
import { teamIds } from '../../src/platform/team-row.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const entriesOf = async (team: TestTeam) =>
  (
    await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, targetType: 'old' },
      orderBy: { createdAt: 'asc' },
    })
  ).map(({ targetId }) => targetId);

/** Entries, one for each of these numbers of days ago. */
const aLog = async (team: TestTeam, ages: readonly number[]) => {
  await service.database.prisma.auditEntry.deleteMany({ where: { tenantId: team.id } });
  await service.database.prisma.auditEntry.createMany({
    data: ages.map((age) => ({
      tenantId: team.id,
      id: makeId(),
      actorKind: 'operator' as const,
      action: 'case.created',
      targetType: 'old',
      targetId: String(age),
      createdAt: later(new Date(), -daysToMs(age)),
    })),
  });
};

it('an audit log loses entries beyond its newest ones, but none of the last 30 days; a short one loses nothing', async () => {
  const [long, busy, short] = [await aTeam(service), await aTeam(service), await aTeam(service)];
  await aLog(long, [400, 300, 200, 100, 50, 2, 1]);
  await aLog(busy, [400, 29, 28, 27, 2, 1]);
  await aLog(short, [4_000, 3_000]);
  await deleteOldAuditEntries(service.platform, { until: Infinity, entries: 3 });
  expect(await entriesOf(long)).toEqual(['50', '2', '1']);
  expect(await entriesOf(busy)).toEqual(['29', '28', '27', '2', '1']);
  expect(await entriesOf(short)).toEqual(['4000', '3000']);
});

it('a log with thousands of old entries loses all of them, in batches, as long as there is time', async () => {
  const { id } = await aTeam(service);
  await service.database.prisma.$executeRaw`
    insert into audit_entry (tenant_id, id, actor_kind, action, target_type, target_id, created_at)
    select ${id}::uuid, gen_random_uuid(), 'operator', 'case.created', 'old', n::text, now() - interval '60 days'
      from generate_series(1, 3_500::int) as n`;
  const { auditEntry } = service.database.prisma;
  const left = () => auditEntry.count({ where: { tenantId: id, targetType: 'old' } });
  await deleteOldAuditEntries(service.platform, { until: performance.now(), entries: 3 });
  expect(await left()).toBe(3_500);
  const deleting = vi.spyOn(auditEntry, 'deleteMany');
  const batches = () => deleting.mock.calls.filter(([given]) => given?.where?.tenantId === id).length;
  const now = vi.spyOn(performance, 'now').mockImplementation(batches);
  await deleteOldAuditEntries(service.platform, { until: 1, entries: 3 });
  now.mockRestore();
  expect(await left()).toBe(2_500);
  await deleteOldAuditEntries(service.platform, { until: Infinity, entries: 3 });
  expect(await left()).toBeLessThan(10);
});

it('the teams come in another order each time, so that a lack of time does not always leave out the same ones', async () => {
  for (let made = 0; made < 3; made += 1) await aTeam(service);
  const orders = new Set<string>();
  for (let asked = 0; asked < 20; asked += 1) orders.add((await teamIds(service.database)).join());
  expect(orders.size).toBeGreaterThan(1);
});
