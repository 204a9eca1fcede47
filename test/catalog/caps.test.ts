import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { catalogLimits } from '../../src/core/limits.ts';
import { importTeamCatalog, readDocument } from '../../src/modules/catalog/document.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

type Dimension = 'situation' | 'personality' | 'industry' | 'role';

/** Inserts a team's own items without checking any rule. */
const ownItems = async (team: TestTeam, dimension: Dimension, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => makeId());
  await service.database.prisma.catalogItem.createMany({
    data: ids.map((id) => ({
      id,
      tenantId: team.id,
      dimension,
      key: id,
      nameDe: 'Eintrag',
      createdAt: service.clock.now(),
    })),
  });
  return ids;
};

/** Inserts a team's own rules, for every situation and every item, without checking any rule. */
const ownRules = (team: TestTeam, situations: readonly string[], items: readonly string[]) =>
  service.database.transaction(async (tx) => {
    // Triggers and foreign keys are off, because checking so many valid rows would take long.
    await tx.$executeRaw`set local session_replication_role = replica`;
    await tx.$executeRaw`
    insert into catalog_rule (id, tenant_id, kind, situation_id, item_id, created_at)
    select gen_random_uuid(), ${team.id}::uuid, 'never', situation, item, now()
      from unnest(${situations}::uuid[]) as situation, unnest(${items}::uuid[]) as item`;
  });

const rulesOf = (team: TestTeam) => service.database.prisma.catalogRule.count({ where: { tenantId: team.id } });
const tooMany = { code: 'validation_error', members: { field: 'rules' } };
const mebibyte = 1024 ** 2;

describe('a team’s own rules', () => {
  it('have a limit, in the app and in files; reducing them is always possible, and another team has its own', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { catalog } = await inTheApp(team);
    const situations = await ownItems(team, 'situation', 5);
    const roles = await ownItems(team, 'role', 500);
    await ownRules(team, situations.slice(0, 4), roles.slice(0, catalogLimits.ownRules / 4));
    expect(await rulesOf(team)).toBe(catalogLimits.ownRules);
    const [first = '', , , , last = ''] = situations;
    const [role = ''] = roles;
    await expectRefusal(catalog.setRules({ situation_id: last, only: [role], never: [] }), tooMany);
    const file = (situation: string, never: string[]) =>
      readDocument(Buffer.from(JSON.stringify({ rules: [{ situation, never: { role: never } }] })));
    await expect(importTeamCatalog(await team.acting(), file(last, [role]))).rejects.toMatchObject({
      ...tooMany,
      message: expect.stringContaining(`at most ${catalogLimits.ownRules} rules`),
    });
    expect(await rulesOf(team)).toBe(catalogLimits.ownRules);

    await catalog.setRules({ situation_id: first, only: [], never: [role] });
    await catalog.setRules({ situation_id: last, only: [role], never: [] });
    await importTeamCatalog(await team.acting(), file(last, roles.slice(0, 400)));

    const [theirs = ''] = await ownItems(other, 'situation', 1);
    const [their = ''] = await ownItems(other, 'role', 1);
    await (await inTheApp(other)).catalog.setRules({ situation_id: theirs, only: [their], never: [] });
  });
});

describe('answers about the catalog', () => {
  it('stay below 1 MiB with everything that a team can have', async () => {
    const team = await aTeam(service);
    const { catalog } = await inTheApp(team);
    const situations = await ownItems(team, 'situation', 500);
    const roles = await ownItems(team, 'role', 500);
    await service.database.prisma.catalogItem.updateMany({
      where: { tenantId: team.id },
      data: { nameDe: '🐎'.repeat(120), icon: 'a'.repeat(60) },
    });
    await ownRules(team, situations.slice(0, 4), roles);
    const sizes = [await catalog.choices({}), (await team.client.get('/catalog')).body].map((answer) =>
      Buffer.byteLength(JSON.stringify(answer)),
    );
    for (const size of sizes) expect(size).toBeLessThan(mebibyte);
  });
});
