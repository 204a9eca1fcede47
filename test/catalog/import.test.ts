import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogLimits } from '../../src/core/limits.ts';
import { checkCombination } from '../../src/modules/catalog/service.ts';
import {
  exportGlobalCatalog,
  exportTeamCatalog,
  importGlobalCatalog,
  importTeamCatalog,
} from '../../src/modules/catalog/document.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { aTeam } from '../support/team.ts';
import { CatalogFile, inAnyOrder } from './catalog-file.ts';
import { useEmptyCatalog, none, read, refusalOf } from './importing.ts';

const anEmptyCatalog = await useEmptyCatalog();
const service = await anEmptyCatalog();

describe('importing', () => {
  it('creates, changes, keeps, and counts', async () => {
    const { platform } = await anEmptyCatalog();
    const role = (key: string, de: string) => ({ key, name: { de } });
    const situation = { key: 'fair', name: { de: 'Messe' } };
    const first = {
      items: { situation: [situation], role: [role('a', 'A'), role('b', 'B'), role('c', 'C')] },
      rules: [{ situation: 'fair', only: { role: ['a'] }, never: { role: ['b'] } }],
    };
    expect(await importGlobalCatalog(platform, read(first))).toEqual({ ...none, itemsCreated: 4, rulesCreated: 2 });
    expect(await importGlobalCatalog(platform, read(first))).toEqual({ ...none, itemsUnchanged: 4 });
    // Items that the file does not name stay; the rules of a situation that it names are replaced.
    const second = {
      items: { role: [role('a', 'Anders'), role('b', 'B')] },
      rules: [{ situation: 'fair', never: { role: ['a', 'c'] } }],
    };
    expect(await importGlobalCatalog(platform, read(second))).toEqual({
      itemsCreated: 0,
      itemsChanged: 1,
      itemsUnchanged: 1,
      rulesCreated: 2,
      rulesRemoved: 2,
    });
    const now = await exportGlobalCatalog(platform);
    expect(now.items.role.map(({ key, name }) => [key, name.de])).toEqual([
      ['a', 'Anders'],
      ['b', 'B'],
      ['c', 'C'],
    ]);
    expect(now.rules).toEqual([{ situation: 'fair', only: {}, never: { role: ['a', 'c'] } }]);
    expect(await importGlobalCatalog(platform, read({ rules: [{ situation: 'fair' }] }))).toEqual({
      ...none,
      rulesRemoved: 2,
    });
    expect(await importGlobalCatalog(platform, read({}))).toEqual(none);
  });

  it('replaces an item completely: fields that the file leaves out are cleared', async () => {
    const { platform } = await anEmptyCatalog();
    const full = { key: 'a', name: { de: 'A', en: 'B' }, icon: 'phone', position: 5, published: false };
    await importGlobalCatalog(platform, read({ items: { role: [full] } }));
    await importGlobalCatalog(platform, read({ items: { role: [{ key: 'a', name: { en: 'B' } }] } }));
    expect((await exportGlobalCatalog(platform)).items.role).toEqual([
      { key: 'a', name: { en: 'B' }, published: true, position: 0 },
    ]);
  });

  it('keeps ids, so that references to an item stay valid, and the order of the file', async () => {
    const { platform, database } = await anEmptyCatalog();
    const roles = Array.from({ length: 30 }, (_, index) => ({ key: `r${(index * 7) % 30}`, name: { de: 'Rolle' } }));
    await importGlobalCatalog(platform, read({ items: { role: roles } }));
    const ids = async () =>
      (await database.prisma.catalogItem.findMany({ orderBy: { id: 'asc' } })).map(({ id, key }) => [id, key]);
    const before = await ids();
    expect(before.map(([, key]) => key)).toEqual(roles.map(({ key }) => key));
    await importGlobalCatalog(platform, read({ items: { role: roles.map((role) => ({ ...role, icon: 'user' })) } }));
    expect(await ids()).toEqual(before);
  });

  it('of a team’s own catalog changes nothing else, may refer to global items, and is audited', async () => {
    const everybodys = {
      items: {
        situation: [{ key: 'shared', name: { de: 'Gemeinsam' } }],
        role: [{ key: 'boss', name: { de: 'Chefin' } }],
      },
    };
    await importGlobalCatalog(service.platform, read(everybodys));
    const before = await exportGlobalCatalog(service.platform);
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const document = {
      items: { role: [{ key: 'boss', name: { de: 'Eigene Chefin' } }] },
      rules: [{ situation: 'global:shared', only: { role: ['boss'] }, never: { role: ['global:boss'] } }],
    };
    const imported = await importTeamCatalog(await team.acting(), read(document));
    expect(imported).toEqual({ ...none, itemsCreated: 1, rulesCreated: 2 });
    expect(await exportGlobalCatalog(service.platform)).toEqual(before);
    expect((await exportTeamCatalog(await other.acting())).items.role).toEqual([]);
    expect(inAnyOrder(await exportTeamCatalog(await team.acting()))).toEqual(inAnyOrder(read(document)));

    const idOf = async (tenantId: string | null, key: string) =>
      (await service.database.prisma.catalogItem.findFirstOrThrow({ where: { tenantId, key } })).id;
    const [own, shared, boss] = [await idOf(team.id, 'boss'), await idOf(null, 'shared'), await idOf(null, 'boss')];
    expect(await auditEntriesOn(service, team, own)).toMatchObject([
      { action: 'catalog.item_created', actor: ['operator', null], data: { dimension: 'role', key: 'boss' } },
    ]);
    expect(await auditEntriesOn(service, team, shared)).toMatchObject([{ action: 'catalog.rules_changed' }]);
    await importTeamCatalog(await team.acting(), read({ items: { role: [{ key: 'boss', name: { de: 'Neu' } }] } }));
    expect((await auditEntriesOn(service, team, own)).at(-1)).toMatchObject({
      action: 'catalog.item_changed',
      data: { before: { name_de: 'Eigene Chefin' }, after: { name_de: 'Neu' } },
    });

    const check = async (roleId: string) =>
      service.database.transaction(async (tx) =>
        checkCombination(tx, await team.acting(), team.owner.member_id, { situationId: shared, roleId }),
      );
    await check(own);
    expect(await refusalOf(() => check(boss))).toMatchObject({
      code: 'kombination_ungueltig',
      members: { dimension: 'role' },
    });
  });

  it('refuses more than 1,000 own items of a team', async () => {
    const team = await aTeam(service);
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: `k${index}`, name: { de: 'Eintrag' } }));
    const half = catalogLimits.ownItems / 2;
    const items = (roles: number) => read({ items: { personality: list(half), role: list(roles) } });
    expect(await importTeamCatalog(await team.acting(), items(half))).toMatchObject({ itemsCreated: 1_000 });
    expect(await importTeamCatalog(await team.acting(), items(half))).toMatchObject({ itemsUnchanged: 1_000 });
    const { members } = await refusalOf(async () => importTeamCatalog(await team.acting(), items(half + 1)));
    expect(members).toMatchObject({ field: 'dimension' });
  });

  it('imports everything once if several processes do it at once', async () => {
    const { platform, database } = await anEmptyCatalog();
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    const list = keys.map((key) => ({ key, name: { de: 'Eintrag' } }));
    const document = read({
      items: { situation: list, role: list },
      rules: keys.map((situation) => ({ situation, never: { role: keys.slice(0, 5) } })),
    });
    const all = await Promise.all([1, 2, 3].map(() => importGlobalCatalog(platform, document)));
    const total = 80;
    expect(all.map((counts) => counts.itemsCreated).sort((a, b) => a - b)).toEqual([0, 0, total]);
    expect(await database.prisma.catalogItem.count()).toBe(total);
    expect(all.filter((counts) => counts.rulesCreated > 0)).toHaveLength(1);
  });
});

describe('export', () => {
  it('returns the imported catalog, and importing it changes nothing, for any file', async () => {
    const { platform, database } = await anEmptyCatalog();
    await fc.assert(
      fc.asyncProperty(CatalogFile, CatalogFile, async (first, second) => {
        await database.prisma.catalogRule.deleteMany();
        await database.prisma.catalogItem.deleteMany();
        await importGlobalCatalog(platform, read(first));
        const exported = await exportGlobalCatalog(platform);
        expect(inAnyOrder(exported)).toEqual(inAnyOrder(read(first)));
        const items = Object.values(exported.items).flat().length;
        expect(await importGlobalCatalog(platform, read(exported))).toEqual({ ...none, itemsUnchanged: items });

        // Any second file is imported after the first one. The export of the result, imported into an empty catalog,
        // gives the same catalog.
        await importGlobalCatalog(platform, read(second));
        const both = await exportGlobalCatalog(platform);
        await database.prisma.catalogRule.deleteMany();
        await database.prisma.catalogItem.deleteMany();
        await importGlobalCatalog(platform, read(both));
        expect(inAnyOrder(await exportGlobalCatalog(platform))).toEqual(inAnyOrder(both));
      }),
      { numRuns: 8 },
    );
  });
});
