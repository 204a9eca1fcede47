import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { Problem } from '../../src/core/problem.ts';
import { checkCombination, choicesOf, type Combination } from '../../src/modules/catalog/service.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { allowedPairs, Case, expected, type Block, type Item, type Owner, type World } from './world.ts';

// Compares checkCombination, and the choices of a picker, with a simple recomputation, for random small catalogs.
const service = await useTestService({ own: true });
const own = await aTeam(service, { members: 2 });
const team = await own.acting();
const [member = '', colleague = ''] = own.members.map(({ id }) => id);
const other = await aTeam(service, { members: 1 });
const foreign = { id: other.id, member: other.members[0]?.id ?? '' };

const tenantOf = (owner: Owner): string | null => ({ global: null, own: team.id, foreign: foreign.id })[owner];

const write = async ({ items, rules, blocks }: World): Promise<void> => {
  const { prisma } = service.database;
  const createdAt = service.clock.now();
  await prisma.catalogItem.createMany({
    data: items.map(({ owner, ...item }) => ({
      ...item,
      tenantId: tenantOf(owner),
      key: item.id,
      nameDe: 'Ein Eintrag',
      createdAt,
    })),
  });
  await prisma.catalogRule.createMany({
    skipDuplicates: true,
    data: rules.map(({ kind, owner, situation, item }) => ({
      id: makeId(),
      tenantId: tenantOf(owner),
      kind,
      situationId: situation.id,
      itemId: item.id,
      createdAt,
    })),
  });
  const by = (whose: Block['by']) =>
    blocks.filter((block) => block.by === whose).map(({ item }) => ({ itemId: item.id, createdAt }));
  await prisma.teamPolicyBlock.createMany({
    skipDuplicates: true,
    data: [
      ...by('team').map((row) => ({ ...row, tenantId: team.id })),
      ...by('foreign team').map((row) => ({ ...row, tenantId: foreign.id })),
    ],
  });
  await prisma.memberPolicyBlock.createMany({
    skipDuplicates: true,
    data: [
      ...by('member').map((row) => ({ ...row, tenantId: team.id, memberId: member })),
      ...by('colleague').map((row) => ({ ...row, tenantId: team.id, memberId: colleague })),
      ...by('foreign member').map((row) => ({ ...row, tenantId: foreign.id, memberId: foreign.member })),
    ],
  });
};

const verdictOf = async (combination: Combination): Promise<object | undefined> => {
  try {
    await service.database.transaction((tx) => checkCombination(tx, team, member, combination));
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, members: error.members };
    throw error;
  }
};

/** The pairs of a situation and another item that a picker offers to a member. */
const offeredPairs = async (world: World): Promise<string[]> => {
  const choices = await choicesOf(team, member, 'de');
  const ours = new Set(world.items.map(({ id }) => id));
  return choices.situation
    .filter(({ id }) => ours.has(id))
    .flatMap((situation) =>
      (['personality', 'industry', 'role'] as const).flatMap((dimension) => {
        const rule = choices.rules.find((each) => each.situationId === situation.id && each.dimension === dimension);
        return choices[dimension]
          .map(({ id }) => id)
          .filter((id) => ours.has(id))
          .filter((id) => !rule || ((rule.only?.includes(id) ?? true) && !rule.never.includes(id)))
          .map((id) => `${situation.id} ${id}`);
      }),
    )
    .sort();
};

it('allowed combinations, and the choices of a picker, equal a plain evaluation of the rules, for any catalog', async () => {
  const verdicts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(Case, async ({ world, choices }) => {
      // Shrinking writes the same ids again.
      const fresh = new Map(world.items.map((item) => [item.id, { ...item, id: makeId() }]));
      const renewed = (item: Item): Item => fresh.get(item.id) ?? item;
      const now: World = {
        items: [...fresh.values()],
        rules: world.rules.map((rule) => ({
          ...rule,
          situation: renewed(rule.situation),
          item: renewed(rule.item),
        })),
        blocks: world.blocks.map((block) => ({ ...block, item: renewed(block.item) })),
      };
      await write(now);
      for (const choice of choices) {
        const ids = choice.map((id) => (typeof id === 'string' ? (fresh.get(id)?.id ?? id) : id));
        const [situationId, personalityId, industryId, roleId] = ids;
        const combination = Object.fromEntries(
          Object.entries({ situationId, personalityId, industryId, roleId }).filter(([, id]) => id !== undefined),
        );
        const wanted = expected(now, ids);
        expect(await verdictOf(combination)).toEqual(wanted);
        const kind = wanted === undefined ? 'fine' : JSON.stringify(Object.values(wanted)[0]);
        const because = wanted && !JSON.stringify(wanted).includes('"id"') ? `${kind} by rule or policy` : kind;
        verdicts.set(because, (verdicts.get(because) ?? 0) + 1);
      }
      expect(await offeredPairs(now)).toEqual(allowedPairs(now));
    }),
    { numRuns: 80 },
  );
  // With fewer kinds of results the comparison above would prove little.
  expect(verdicts.size).toBe(4);
  for (const count of verdicts.values()) expect(count).toBeGreaterThan(10);
});
