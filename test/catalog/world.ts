import fc from 'fast-check';
import { makeId } from '../../src/core/ids.ts';

// Random small catalogs, and the meaning of their rules and policies in plain code. Nothing is shared with the code
// under test.

const dimensions = ['situation', 'personality', 'industry', 'role', 'methodology'] as const;
const asked = ['situation', 'personality', 'industry', 'role'] as const;
type Dimension = (typeof dimensions)[number];
export type Owner = 'global' | 'own' | 'foreign';

export interface Item {
  id: string;
  dimension: Dimension;
  owner: Owner;
  published: boolean;
}
interface Rule {
  kind: 'only' | 'never';
  owner: Owner;
  situation: Item;
  item: Item;
}
export interface Block {
  by: 'team' | 'member' | 'colleague' | 'foreign team' | 'foreign member';
  item: Item;
}
export interface World {
  items: Item[];
  rules: Rule[];
  blocks: Block[];
}

const seen = ({ owner, published }: Item): boolean => published && owner !== 'foreign';

/** The expected result of a combination, checked item by item. */
export const expected = (world: World, chosen: (string | null | undefined)[]): object | undefined => {
  const items: Item[] = [];
  for (const [index, id] of chosen.entries()) {
    if (id === null || id === undefined) continue;
    const item = world.items.find((candidate) => candidate.id === id);
    if (!item || !seen(item) || item.dimension !== asked[index]) {
      return { code: 'kombination_ungueltig', members: { dimension: asked[index], id } };
    }
    items.push(item);
  }
  for (const item of items) {
    const blocks = world.blocks.filter((block) => block.item === item);
    if (!blocks.some(({ by }) => by === 'team' || by === 'member')) continue;
    const detail = `A policy of the recipient blocks the ${item.dimension}.`;
    return { code: 'vorgabe_gesperrt', members: { detail } };
  }
  const [situation] = items;
  if (situation?.dimension !== 'situation') return undefined;
  const rules = world.rules.filter((rule) => rule.situation === situation && rule.owner !== 'foreign');
  for (const item of items.slice(1)) {
    const { dimension } = item;
    const invited = rules.filter((rule) => rule.kind === 'only' && rule.item.dimension === dimension);
    const excluded =
      rules.some((rule) => rule.kind === 'never' && rule.item === item) ||
      (invited.length > 0 && !invited.some((rule) => rule.item === item));
    if (excluded) return { code: 'kombination_ungueltig', members: { dimension } };
  }
  return undefined;
};

/** The pairs of a situation and another item that a member may use. */
export const allowedPairs = (world: World): string[] => {
  const of = (dimension: Dimension) => world.items.filter((item) => item.dimension === dimension);
  return of('situation')
    .flatMap((situation) => [
      ...of('personality').map(({ id }) => [situation.id, id]),
      ...of('industry').map(({ id }) => [situation.id, undefined, id]),
      ...of('role').map(({ id }) => [situation.id, undefined, undefined, id]),
    ])
    .filter((ids) => expected(world, ids) === undefined)
    .map((ids) => ids.filter((id) => id !== undefined).join(' '))
    .sort();
};

const mayRefer = (owner: Owner, item: Item): boolean => item.owner === 'global' || item.owner === owner;

const Items = fc.array(
  fc.record({
    id: fc.constant('').map(() => makeId()),
    dimension: fc.constantFrom<Dimension>(...dimensions, 'situation', 'personality', 'role'),
    owner: fc.constantFrom<Owner>('global', 'global', 'own', 'foreign'),
    published: fc.constantFrom(true, true, true, true, false),
  }),
  { minLength: 4, maxLength: 14 },
);

const World = Items.chain((items): fc.Arbitrary<World> => {
  const situations = items.filter(({ dimension }) => dimension === 'situation');
  const others = items.filter(({ dimension }) => ['personality', 'industry', 'role'].includes(dimension));
  const noRule = fc.constant<Rule[]>([]);
  const rules =
    situations.length === 0 || others.length === 0
      ? noRule
      : fc.array(
          fc.record({
            kind: fc.constantFrom('only' as const, 'never' as const),
            owner: fc.constantFrom<Owner>('global', 'own', 'foreign'),
            situation: fc.constantFrom(...situations),
            item: fc.constantFrom(...others),
          }),
          { maxLength: 10 },
        );
  const blocks = fc.array(
    fc.record({
      by: fc.constantFrom<Block['by']>('team', 'member', 'colleague', 'foreign team', 'foreign member'),
      item: fc.constantFrom(...items),
    }),
    { maxLength: 3 },
  );
  return fc.record({
    items: fc.constant(items),
    // Only rules that the database accepts: of one owner, one per pair, and only about items that this owner can see.
    rules: rules.map((all) =>
      all
        .filter(({ owner, situation, item }) => mayRefer(owner, situation) && mayRefer(owner, item))
        .filter(
          (rule, index, kept) =>
            kept.findIndex(
              ({ owner, situation, item }) =>
                owner === rule.owner && situation === rule.situation && item === rule.item,
            ) === index,
        ),
    ),
    blocks: blocks.map((all) =>
      all.filter(({ by, item }) => mayRefer(by.startsWith('foreign') ? 'foreign' : 'own', item)),
    ),
  });
});

/** Mostly items of the right dimension, so that the rules are reached. */
const choiceOf = ({ items }: World, dimension: Dimension) => {
  const right = items.filter((item) => item.dimension === dimension && seen(item)).map(({ id }) => id);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(undefined, ...right, ...right, ...right) },
    { weight: 1, arbitrary: fc.constantFrom(...items.map(({ id }) => id)) },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined, '', 'x', '\0', makeId(), makeId().toUpperCase(), '{}') },
  );
};

/** A catalog and combinations to try on it. */
export const Case = World.chain((world) =>
  fc.record({
    world: fc.constant(world),
    choices: fc.array(
      fc.tuple(
        choiceOf(world, 'situation'),
        choiceOf(world, 'personality'),
        choiceOf(world, 'industry'),
        choiceOf(world, 'role'),
      ),
      { minLength: 15, maxLength: 15 },
    ),
  }),
);
