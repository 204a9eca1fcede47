import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { aCatalogItem, block } from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';

const service = await useTestService({ own: true });

const notFound = { code: 'not_found' };
const invalid = (field: string) => ({ code: 'validation_error', members: { field } });
const itemsOf = async (team: TestTeam) => (await (await inTheApp(team)).catalog.items({})).items;

describe('catalog.items', () => {
  it('lists the published global items and all of the team’s own, in both languages', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const dimension = 'role';
    const own = { dimension, tenantId: team.id } as const;
    const second = await aCatalogItem(service, {
      dimension,
      key: 'buyer',
      nameDe: 'Einkauf',
      position: 2,
      icon: 'bag',
    });
    const first = await aCatalogItem(service, { ...own, nameDe: null, nameEn: 'Buyer', position: 1, published: false });
    await aCatalogItem(service, { dimension, published: false });
    await aCatalogItem(service, { dimension, tenantId: other.id });
    await block(service, { tenantId: team.id, itemId: second });
    await block(service, { tenantId: other.id, itemId: first }).catch(() => undefined);
    expect((await itemsOf(team)).filter((item) => item.dimension === dimension)).toEqual([
      {
        id: first,
        dimension,
        key: first,
        name: { de: null, en: 'Buyer' },
        icon: null,
        own: true,
        published: false,
        position: 1,
        blocked: false,
      },
      {
        id: second,
        dimension,
        key: 'buyer',
        name: { de: 'Einkauf', en: null },
        icon: 'bag',
        own: false,
        published: true,
        position: 2,
        blocked: true,
      },
    ]);
  });
});

describe('catalog.createItem', () => {
  it('adds an item that the API shows at once, and audits it', async () => {
    const team = await aTeam(service);
    const app = await inTheApp(team);
    const item = await app.catalog.createItem({
      dimension: 'industry',
      name: { de: ' Windkraft ', en: null },
      icon: 'windmill',
      position: 7,
    });
    expect(item).toMatchObject({
      dimension: 'industry',
      name: { de: 'Windkraft', en: null },
      icon: 'windmill',
      own: true,
      published: true,
      position: 7,
      blocked: false,
    });
    expect((await team.client.get('/catalog')).body['industry']).toContainEqual({
      id: item.id,
      name: 'Windkraft',
      icon: 'windmill',
    });
    expect(await auditEntriesOn(service, team, item.id)).toEqual([
      {
        action: 'catalog.item_created',
        actor: ['person', team.owner.user_id],
        data: expect.objectContaining({ dimension: 'industry', name_de: 'Windkraft', published: true }),
        requestId: null,
      },
    ]);
  });

  it('accepts a name of 120 characters, counted as people see them', async () => {
    const app = await inTheApp(await aTeam(service));
    const name = { de: '🎯'.repeat(120), en: 'x'.repeat(120) };
    expect((await app.catalog.createItem({ dimension: 'role', name })).name).toEqual(name);
  });

  // What a name may be, in files too, is in bad-files.test.ts.
  it.each([
    ['no name', { name: { de: null, en: null } }],
    ['a third language', { name: { de: 'Ja', fr: 'Oui' } }],
    ['an icon that is markup', { icon: '<svg>' }],
    ['an icon without end', { icon: 'a'.repeat(61) }],
    ['a negative position', { position: -1 }],
    ['a position past PostgreSQL’s integers', { position: 2 ** 31 }],
    ['half a position', { position: 1.5 }],
    ['an unknown field', { tenant_id: makeId() }],
  ])('refuses %s', async (_what, more) => {
    const app = await inTheApp(await aTeam(service));
    await expectRefusal(app.catalog.createItem({ dimension: 'role', name: { de: 'X' }, ...more }), 'BAD_REQUEST');
  });

  it('has a limit of 1,000 items of all dimensions together, even if many are added at once', async () => {
    const team = await aTeam(service);
    await service.database.prisma.catalogItem.createMany({
      data: Array.from({ length: 998 }, (_, index) => ({
        id: makeId(),
        tenantId: team.id,
        dimension: index % 2 === 0 ? ('role' as const) : ('situation' as const),
        key: makeId(),
        nameDe: 'Rolle',
        createdAt: service.clock.now(),
      })),
    });
    const { catalog } = await inTheApp(team);
    const add = () => catalog.createItem({ dimension: 'role', name: { de: 'Noch eine' } });
    const ended = await Promise.allSettled([add(), add(), add(), add()]);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expectRefusal(add(), invalid('dimension'));
  });
});

describe('catalog.changeItem', () => {
  it('changes only the given fields, and audits the changes', async () => {
    const team = await aTeam(service);
    const app = await inTheApp(team);
    const created = await app.catalog.createItem({
      dimension: 'situation',
      name: { de: 'Alt', en: 'Old' },
      icon: 'phone',
      position: 3,
    });
    const change = (changes: object) => app.catalog.changeItem({ item_id: created.id, ...changes });
    expect(await change({ name: { de: 'Neu' } })).toEqual({ ...created, name: { de: 'Neu', en: 'Old' } });
    expect(await change({ name: { en: null }, icon: null })).toEqual({
      ...created,
      name: { de: 'Neu', en: null },
      icon: null,
    });
    expect(await change({ published: false, position: 9 })).toMatchObject({ published: false, position: 9 });
    expect(await change({})).toMatchObject({ published: false, position: 9, name: { de: 'Neu', en: null } });
    expect(await change({ published: false, name: { de: 'Neu' } })).toMatchObject({ published: false });
    expect((await auditEntriesOn(service, team, created.id)).slice(1)).toMatchObject([
      { action: 'catalog.item_changed', data: { before: { name_de: 'Alt' }, after: { name_de: 'Neu' } } },
      {
        action: 'catalog.item_changed',
        data: { before: { name_en: 'Old', icon: 'phone' }, after: { name_en: null, icon: null } },
      },
      {
        action: 'catalog.item_changed',
        data: { before: { published: true, position: 3 }, after: { published: false, position: 9 } },
      },
    ]);
    expect((await team.client.get('/catalog')).text).not.toContain(created.id);
  });

  it('refuses to remove all names of an item', async () => {
    const team = await aTeam(service);
    const app = await inTheApp(team);
    const { id } = await app.catalog.createItem({ dimension: 'role', name: { de: 'Nur deutsch' } });
    await expectRefusal(app.catalog.changeItem({ item_id: id, name: { de: null } }), invalid('name'));
    expect(await app.catalog.changeItem({ item_id: id, name: { de: null, en: 'Now English' } })).toMatchObject({
      name: { de: null, en: 'Now English' },
    });
  });

  it('finds no global item, and changes nothing there', async () => {
    const app = await inTheApp(await aTeam(service));
    const foreign = [
      await aCatalogItem(service, { dimension: 'role' }),
      await aCatalogItem(service, { dimension: 'role', published: false }),
    ];
    for (const id of foreign) {
      await expectRefusal(app.catalog.changeItem({ item_id: id, name: { de: 'Meins' } }), notFound);
    }
    const rows = await service.database.prisma.catalogItem.findMany({ where: { id: { in: foreign } } });
    expect(rows.map(({ nameDe }) => nameDe)).toEqual(['Ein Eintrag', 'Ein Eintrag']);
  });
});
