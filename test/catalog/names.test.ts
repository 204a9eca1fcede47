import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { dimensions } from '../../src/modules/catalog/schema.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { aCatalogItem, block } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

describe('catalog.names', () => {
  it('names items of every dimension in the reader’s language, else in the other one', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const made: { id: string; dimension: (typeof dimensions)[number] }[] = [];
    for (const dimension of dimensions) {
      const both = { nameDe: `${dimension} de`, nameEn: `${dimension} en`, icon: 'phone' };
      made.push({ id: await aCatalogItem(service, { dimension, ...both }), dimension });
    }
    const onlyGerman = await aCatalogItem(service, { dimension: 'role', nameDe: 'Einkauf' });
    const onlyEnglish = await aCatalogItem(service, { dimension: 'role', nameDe: null, nameEn: 'Buyer' });
    const ids = [...made.map(({ id }) => id), onlyGerman, onlyEnglish];
    for (const language of ['de', 'en'] as const) {
      const { names } = await (await inTheApp(team, person, language)).catalog.names({ ids });
      expect(new Set(names)).toEqual(
        new Set([
          ...made.map((item) => ({ ...item, name: `${item.dimension} ${language}`, icon: 'phone' })),
          { id: onlyGerman, dimension: 'role', name: 'Einkauf', icon: null },
          { id: onlyEnglish, dimension: 'role', name: 'Buyer', icon: null },
        ]),
      );
    }
  });

  it('names items that can no longer be practised', async () => {
    const team = await aTeam(service);
    const person = await aColleague(team);
    const withdrawn = await aCatalogItem(service, { dimension: 'situation', published: false });
    const own = await aCatalogItem(service, { dimension: 'industry', tenantId: team.id, published: false });
    const blocked = await aCatalogItem(service, { dimension: 'personality' });
    await block(service, { tenantId: team.id, itemId: blocked });
    const barred = await aCatalogItem(service, { dimension: 'role' });
    await block(service, { tenantId: team.id, itemId: barred, memberId: person.memberId });
    const ids = [withdrawn, own, blocked, barred];
    const { names } = await (await inTheApp(team, person)).catalog.names({ ids });
    expect(new Set(names.map(({ id }) => id))).toEqual(new Set(ids));
  });

  it('leaves out another team’s items and unknown ids, and returns each once', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const foreign = await aCatalogItem(service, { dimension: 'situation', tenantId: other.id });
    const own = await aCatalogItem(service, { dimension: 'situation', tenantId: team.id });
    const { catalog } = await inTheApp(team);
    const { names } = await catalog.names({ ids: [foreign, own, makeId(), 'x', "'; --", own] });
    expect(names.map(({ id }) => id)).toEqual([own]);
    expect(await catalog.names({ ids: [] })).toEqual({ names: [] });
  });

  it('accepts up to 200 ids', async () => {
    const { catalog } = await inTheApp(await aTeam(service));
    const many = (count: number) => Array.from({ length: count }, makeId);
    expect(await catalog.names({ ids: many(200) })).toEqual({ names: [] });
    await expectRefusal(catalog.names({ ids: many(201) }), 'BAD_REQUEST');
  });
});
