import { describe, expect, it } from 'vitest';
import { Catalog, dimensions } from '../../src/modules/catalog/schema.ts';
import { aCatalogItem, block } from '../support/practice.ts';
import type { Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const read = async ({ client }: TestTeam, language?: string): Promise<Answer> => {
  const answer = await client.get(
    '/catalog',
    language === undefined ? {} : { headers: { 'Accept-Language': language } },
  );
  expect(answer.status).toBe(200);
  return answer;
};

const entriesOf = async (team: TestTeam, dimension: (typeof dimensions)[number], language?: string) =>
  Catalog.parse((await read(team, language)).body)[dimension];

const idsIn = async (team: TestTeam, dimension: (typeof dimensions)[number]) =>
  (await entriesOf(team, dimension)).map(({ id }) => id);

describe('GET /catalog', () => {
  it('200: has exactly five lists, empty without items, and no items of other dimensions', async () => {
    const team = await aTeam(service);
    const id = await aCatalogItem(service, { dimension: 'role', tenantId: team.id, nameDe: 'Einkauf', icon: 'bag' });
    const { body } = await read(team);
    expect(Object.keys(body)).toEqual([...dimensions]);
    for (const dimension of dimensions) expect(Array.isArray(body[dimension])).toBe(true);
    expect(body['role']).toContainEqual({ id, name: 'Einkauf', icon: 'bag' });
    for (const dimension of dimensions.filter((name) => name !== 'role')) {
      expect(await idsIn(team, dimension)).not.toContain(id);
    }
  });

  it('200: names are in the reader’s language, or else in the other one', async () => {
    const team = await aTeam(service);
    const own = { dimension: 'situation', tenantId: team.id } as const;
    await aCatalogItem(service, { ...own, nameDe: 'Reklamation', nameEn: 'Complaint', position: 1 });
    await aCatalogItem(service, { ...own, nameDe: 'Nur deutsch', nameEn: null, position: 2 });
    await aCatalogItem(service, { ...own, nameDe: null, nameEn: 'English only', position: 3 });
    const names = async (language?: string) => {
      const all = await entriesOf(team, 'situation', language);
      return all.map(({ name }) => name).filter((name) => name !== 'Ein Eintrag');
    };
    const german = ['Reklamation', 'Nur deutsch', 'English only'];
    const english = ['Complaint', 'Nur deutsch', 'English only'];
    expect(await names('de')).toEqual(german);
    expect(await names('en-GB, de;q=0.5')).toEqual(english);
    expect(await names('fr')).toEqual(german);
    expect(await names()).toEqual(german);
  });

  it('200: is ordered by position, then by id, global and own items mixed', async () => {
    const team = await aTeam(service);
    const at = (position: number, tenantId?: string) =>
      aCatalogItem(service, { dimension: 'industry', position, ...(tenantId !== undefined && { tenantId }) });
    const fourth = await at(40, team.id);
    const [second, third] = [await at(20), await at(20, team.id)].sort();
    const first = await at(10, team.id);
    expect(await idsIn(team, 'industry')).toEqual([first, second, third, fourth]);
  });

  it('200: shows neither unpublished items nor another team’s', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const dimension = 'personality';
    const everybodys = await aCatalogItem(service, { dimension });
    const own = await aCatalogItem(service, { dimension, tenantId: team.id });
    await aCatalogItem(service, { dimension, published: false });
    await aCatalogItem(service, { dimension, tenantId: team.id, published: false });
    const foreign = await aCatalogItem(service, { dimension, tenantId: other.id });
    expect((await idsIn(team, dimension)).sort()).toEqual([everybodys, own].sort());
    expect((await idsIn(other, dimension)).sort()).toEqual([everybodys, foreign].sort());
  });

  it('200: shows items that the team’s own policy allows, whatever other teams’ policies block', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const dimension = 'methodology';
    const everybodys = await aCatalogItem(service, { dimension });
    const own = await aCatalogItem(service, { dimension, tenantId: team.id });
    await block(service, { tenantId: team.id, itemId: everybodys });
    expect(await idsIn(team, dimension)).toEqual([own]);
    expect(await idsIn(other, dimension)).toEqual([everybodys]);
    await block(service, { tenantId: team.id, itemId: own });
    expect(await idsIn(team, dimension)).toEqual([]);
  });
});
