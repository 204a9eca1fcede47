import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  exportGlobalCatalog,
  exportTeamCatalog,
  importGlobalCatalog,
  importTeamCatalog,
  importStarterCatalog,
  readDocument,
} from '../../src/modules/catalog/document.ts';
import { aTeam } from '../support/team.ts';
import { inAnyOrder } from './catalog-file.ts';
import { read, useEmptyCatalog } from './importing.ts';

const anEmptyCatalog = await useEmptyCatalog();

describe('the starter catalog', () => {
  it('has items for every sales team, named in both languages', async () => {
    const { platform, database } = await anEmptyCatalog();
    await database.transaction((tx) => importStarterCatalog(tx, platform));
    const { items, rules } = await exportGlobalCatalog(platform);
    expect(items.situation.length).toBeGreaterThanOrEqual(12);
    expect(items.personality.length).toBeGreaterThanOrEqual(8);
    expect(items.industry.length).toBeGreaterThanOrEqual(10);
    expect(items.role.length).toBeGreaterThanOrEqual(6);
    expect(items.methodology.length).toBeGreaterThanOrEqual(5);
    for (const list of Object.values(items)) {
      for (const item of list) {
        expect(item).toMatchObject({
          name: { de: expect.any(String), en: expect.any(String) },
          icon: expect.any(String),
        });
      }
      for (const language of ['de', 'en'] as const) {
        expect(new Set(list.map(({ name }) => name[language])).size).toBe(list.length);
      }
      expect(new Set(list.map(({ position }) => position)).size).toBe(list.length);
    }
    expect(rules.some(({ only }) => Object.keys(only).length > 0)).toBe(true);
    expect(rules.some(({ never }) => Object.keys(never).length > 0)).toBe(true);
  });

  it('leaves a choice in every dimension for every situation', async () => {
    const { items, rules } = readDocument(
      await readFile(new URL('../../src/modules/catalog/starter-catalog.json', import.meta.url)),
    );
    for (const { only, never } of rules) {
      for (const dimension of ['personality', 'industry', 'role'] as const) {
        const left = items[dimension]
          .map(({ key }) => key)
          .filter((key) => only[dimension]?.includes(key) ?? true)
          .filter((key) => !never[dimension]?.includes(key));
        expect(left).not.toEqual([]);
      }
    }
  });

  it('is imported once, even by several processes at once, and keeps an operator’s changes', async () => {
    const { platform, database } = await anEmptyCatalog();
    const provide = () => database.transaction((tx) => importStarterCatalog(tx, platform));
    await Promise.all([provide(), provide(), provide()]);
    const whole = await exportGlobalCatalog(platform);
    const renamed = { key: 'cold_call', name: { de: 'Erstanruf' }, position: 1 };
    await importGlobalCatalog(platform, read({ items: { situation: [renamed] }, rules: [{ situation: 'cold_call' }] }));
    await database.prisma.catalogRule.deleteMany({ where: { item: { key: 'gap' } } });
    await database.prisma.catalogItem.deleteMany({ where: { key: 'gap' } });
    await provide();
    const now = await exportGlobalCatalog(platform);
    expect(now.items.situation[0]).toEqual({ ...renamed, published: true });
    expect(now.rules.map(({ situation }) => situation)).not.toContain('cold_call');
    expect(now.rules).toHaveLength(whole.rules.length - 1);
    expect(now.items.methodology.map(({ key }) => key)).toEqual(whole.items.methodology.map(({ key }) => key));
  });
});

describe('docs/catalog.md', () => {
  it('shows a file that can be imported for a team', async () => {
    const { platform, ...own } = await anEmptyCatalog();
    await own.database.transaction((tx) => importStarterCatalog(tx, platform));
    const page = await readFile(new URL('../../docs/catalog.md', import.meta.url), 'utf8');
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const team = await aTeam({ platform, ...own });
    const document = readDocument(Buffer.from(example));
    const { itemsCreated, rulesCreated } = await importTeamCatalog(await team.acting(), document);
    expect(itemsCreated).toBe(Object.values(document.items).flat().length);
    expect(rulesCreated).toBeGreaterThan(1);
    expect(inAnyOrder(await exportTeamCatalog(await team.acting()))).toEqual(inAnyOrder(document));
  });
});
