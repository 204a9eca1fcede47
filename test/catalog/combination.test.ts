import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { checkCombination } from '../../src/modules/catalog/service.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { aCatalogItem, aRule, block } from '../support/catalog.ts';
import type { Answer } from '../support/client.ts';
import { expectDescribed } from '../support/document.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// The rules of combinations, tested through POST /assignments.
const service = await useTestService();
const team = await aTeam(service, { members: 2 });
const other = await aTeam(service);
const [member = '', colleague = ''] = team.members.map(({ id }) => id);

const dimensions = ['situation', 'personality', 'industry'] as const;
type Dimension = (typeof dimensions)[number];
type Ids = Record<Dimension, string>;

/** A combination that no rule or policy excludes. */
const allowed = async (): Promise<Ids> => ({
  situation: await aCatalogItem(service, { dimension: 'situation' }),
  personality: await aCatalogItem(service, { dimension: 'personality', tenantId: team.id }),
  industry: await aCatalogItem(service, { dimension: 'industry' }),
});

const operation = operationsOf(publicRouter).find((each) => each.operation.route === 'POST /assignments');

const assign = async ({ situation, personality, industry }: Ids, to = member): Promise<Answer> => {
  const answer = await team.client.post('/assignments', {
    member_id: to,
    title: 'Üben',
    situation_id: situation,
    personality_id: personality,
    industry_id: industry,
  });
  if (!operation) throw new Error('there is no POST /assignments');
  expectDescribed(operation, answer);
  return answer;
};

const isWrong = (dimension: string, id?: string) =>
  ['kombination_ungueltig', { dimension, ...(id !== undefined && { id }) }] as const;

describe('422 kombination_ungueltig with dimension and id', () => {
  type Case = [dimension: Dimension, what: string, idOf: () => Promise<string>];
  const cases = dimensions.flatMap((dimension): Case[] => [
    [dimension, 'is unknown', async () => makeId()],
    [dimension, 'is no id', async () => 'x'],
    [dimension, 'is empty', async () => ''],
    [dimension, 'is written in capitals', async () => (await aCatalogItem(service, { dimension })).toUpperCase()],
    [dimension, 'is of another dimension', () => aCatalogItem(service, { dimension: 'role' })],
    [dimension, 'is another team’s', () => aCatalogItem(service, { dimension, tenantId: other.id })],
    [dimension, 'is unpublished', () => aCatalogItem(service, { dimension, published: false })],
    [
      dimension,
      'is the team’s own and unpublished',
      () => aCatalogItem(service, { dimension, tenantId: team.id, published: false }),
    ],
  ]);
  it.each(cases)('when the %s %s', async (dimension, _what, idOf) => {
    const id = await idOf();
    expect(await assign({ ...(await allowed()), [dimension]: id })).toBeProblem(...isWrong(dimension, id));
  });

  it('names the first of several, in the order situation, personality, industry', async () => {
    const ids = { situation: 'a', personality: 'b', industry: 'c' };
    const fine = await allowed();
    expect(await assign(ids)).toBeProblem(...isWrong('situation', 'a'));
    expect(await assign({ ...ids, situation: fine.situation })).toBeProblem(...isWrong('personality', 'b'));
    expect(await assign({ ...fine, industry: 'c' })).toBeProblem(...isWrong('industry', 'c'));
  });

  it('before blocked items and excluded combinations', async () => {
    const ids = await allowed();
    await block(service, { tenantId: team.id, itemId: ids.situation });
    await aRule(service, { kind: 'never', situation: ids.situation, item: ids.personality, tenantId: team.id });
    expect(await assign({ ...ids, industry: 'c' })).toBeProblem(...isWrong('industry', 'c'));
  });
});

describe('403 vorgabe_gesperrt', () => {
  it.each(dimensions)('when the team’s policy blocks the %s', async (dimension) => {
    const ids = await allowed();
    await block(service, { tenantId: team.id, itemId: ids[dimension] });
    expect(await assign(ids)).toBeProblem('vorgabe_gesperrt');
  });

  it.each(dimensions)(
    'when the recipient’s own policy blocks the %s; other members’ policies do not matter',
    async (dimension) => {
      const ids = await allowed();
      await block(service, { tenantId: team.id, itemId: ids[dimension], memberId: member });
      expect(await assign(ids)).toBeProblem('vorgabe_gesperrt');
      expect((await assign(ids, colleague)).status).toBe(201);
    },
  );

  it('before excluded combinations', async () => {
    const ids = await allowed();
    await aRule(service, { kind: 'never', situation: ids.situation, item: ids.personality, tenantId: team.id });
    await block(service, { tenantId: team.id, itemId: ids.industry });
    expect(await assign(ids)).toBeProblem('vorgabe_gesperrt');
  });

  it('not for blocks of another team’s policy', async () => {
    const ids = await allowed();
    await block(service, { tenantId: other.id, itemId: ids.situation });
    expect((await assign(ids)).status).toBe(201);
  });
});

describe('422 kombination_ungueltig with only the dimension', () => {
  const another = (dimension: Dimension, published = true) => aCatalogItem(service, { dimension, published });

  it.each(['personality', 'industry'] as const)('when a rule excludes the situation with the %s', async (dimension) => {
    const ids = await allowed();
    await aRule(service, { kind: 'never', situation: ids.situation, item: ids[dimension], tenantId: team.id });
    expect(await assign(ids)).toBeProblem(...isWrong(dimension));
    expect((await assign({ ...ids, [dimension]: await another(dimension) })).status).toBe(201);
  });

  it.each(['personality', 'industry'] as const)('when the situation allows only another %s', async (dimension) => {
    const ids = await allowed();
    const item = await another(dimension);
    await aRule(service, { kind: 'only', situation: ids.situation, item });
    expect(await assign(ids)).toBeProblem(...isWrong(dimension));
    expect((await assign({ ...ids, [dimension]: item })).status).toBe(201);
  });

  it('even if that other one is not visible any more', async () => {
    const ids = await allowed();
    await aRule(service, { kind: 'only', situation: ids.situation, item: await another('industry', false) });
    expect(await assign(ids)).toBeProblem(...isWrong('industry'));
  });

  it('not if the team adds its own item to a global `only`; but always for a `never`', async () => {
    const ids = await allowed();
    await aRule(service, { kind: 'only', situation: ids.situation, item: await another('industry') });
    expect(await assign(ids)).toBeProblem(...isWrong('industry'));
    await aRule(service, { kind: 'only', situation: ids.situation, item: ids.industry, tenantId: team.id });
    expect((await assign(ids)).status).toBe(201);
    await aRule(service, { kind: 'never', situation: ids.situation, item: ids.industry });
    expect(await assign(ids)).toBeProblem(...isWrong('industry'));
  });

  it('not for another team’s rules, another situation’s, or other dimensions’', async () => {
    const ids = await allowed();
    const elsewhere = await another('situation');
    await aRule(service, { kind: 'never', situation: ids.situation, item: ids.industry, tenantId: other.id });
    await aRule(service, { kind: 'never', situation: elsewhere, item: ids.industry });
    await aRule(service, { kind: 'only', situation: elsewhere, item: await another('industry') });
    const role = await aCatalogItem(service, { dimension: 'role' });
    await aRule(service, { kind: 'only', situation: ids.situation, item: role });
    expect((await assign(ids)).status).toBe(201);
  });

  it('for a role too, which only the app assigns', async () => {
    const { situation: situationId } = await allowed();
    const [fits, never] = [
      await aCatalogItem(service, { dimension: 'role' }),
      await aCatalogItem(service, { dimension: 'role' }),
    ];
    await aRule(service, { kind: 'never', situation: situationId, item: never });
    const acting = await team.acting();
    const check = (roleId: string) =>
      service.database.transaction((tx) => checkCombination(tx, acting, member, { situationId, roleId }));
    await check(fits);
    await expect(check(never)).rejects.toMatchObject({ code: 'kombination_ungueltig', members: { dimension: 'role' } });
    await expect(check('x')).rejects.toMatchObject({ members: { dimension: 'role', id: 'x' } });
  });
});
