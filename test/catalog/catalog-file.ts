import fc from 'fast-check';
import { isPlainLine } from '../../src/core/name-text.ts';
import type { CatalogDocument } from '../../src/modules/catalog/document.ts';
import { anyCharacter } from '../support/any-character.ts';

const dimensions = ['situation', 'personality', 'industry', 'role', 'methodology'] as const;
const ruled = ['personality', 'industry', 'role'] as const;

const Key = fc.constantFrom('a', 'b', 'c1', 'd_e', 'f-g_2', '0');
const Character = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }).filter(isPlainLine);
const Text = fc
  .string({ unit: Character, minLength: 1, maxLength: 120 })
  .filter((text) => text.trim() !== '' && isPlainLine(text.trim()) && [...text].length <= 120);
const Name = fc.oneof(fc.record({ de: Text, en: Text }), fc.record({ de: Text }), fc.record({ en: Text }));

const Items = fc.uniqueArray(
  fc.record(
    {
      key: Key,
      name: Name,
      icon: fc.constantFrom('phone', 'phone-call', '24-hours'),
      published: fc.boolean(),
      position: fc.nat({ max: 1_000_000 }),
    },
    { requiredKeys: ['key', 'name'] },
  ),
  { selector: ({ key }) => key, maxLength: 5 },
);

/** A catalog file as an operator may write it: optional parts are sometimes left out. */
export const CatalogFile = fc
  .record({ situation: Items, personality: Items, industry: Items, role: Items, methodology: Items })
  .chain((items) => {
    const listOf = (dimension: (typeof ruled)[number]) => fc.subarray(items[dimension].map(({ key }) => key));
    const Chosen = fc.record({
      personality: fc.tuple(listOf('personality'), listOf('personality')),
      industry: fc.tuple(listOf('industry'), listOf('industry')),
      role: fc.tuple(listOf('role'), listOf('role')),
    });
    const Rule = Chosen.map((chosen) => {
      const only: Partial<Record<(typeof ruled)[number], string[]>> = {};
      const never: Partial<Record<(typeof ruled)[number], string[]>> = {};
      for (const dimension of ruled) {
        const [first, second] = chosen[dimension];
        const rest = second.filter((key) => !first.includes(key));
        if (first.length > 0) only[dimension] = first;
        if (rest.length > 0) never[dimension] = rest;
      }
      return { only, never };
    });
    const rules = fc
      .tuple(...items.situation.map(({ key }) => fc.option(Rule.map((rule) => ({ situation: key, ...rule })))))
      .map((all) => all.filter((rule) => rule !== null));
    return fc.record({ items: fc.constant(items), rules });
  });

const sorted = <T>(values: readonly T[], nameOf: (value: T) => string): T[] =>
  values.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));

/**
 * The catalog in a canonical order. Rules of a situation without any items are left out, because an import ignores
 * them.
 */
export const inAnyOrder = ({ items, rules }: CatalogDocument) => ({
  items: Object.fromEntries(dimensions.map((dimension) => [dimension, sorted(items[dimension], ({ key }) => key)])),
  rules: sorted(
    rules.flatMap(({ situation, only, never }) => {
      const lists = [only, never].flatMap((kind, index) =>
        ruled.flatMap((dimension) =>
          (kind[dimension] ?? []).map((key) => `${['only', 'never'][index]} ${dimension} ${key}`),
        ),
      );
      return lists.length === 0 ? [] : [{ situation, lists: lists.sort() }];
    }),
    ({ situation }) => situation,
  ),
});
