import { z } from 'zod';
import { flawsOf } from '../../core/flaws.ts';
import { fail } from '../../core/problem.ts';
import type { Flaw } from '../../core/problem.ts';
import { Icon, ItemPosition, Name, ruledDimensions } from './schema.ts';

// The file that `catalog import` reads and `catalog export` writes. docs/catalog.md tells how it works.

const key = /^[a-z0-9]+([_-][a-z0-9]+)*$/;

const Key = z.string().regex(key, 'It is small letters, digits, _ and -, like cold_call').max(100);

/** What a team's file puts before the key of a global item. */
const globalMark = 'global:';

const Reference = z
  .string()
  .refine(
    (text) => key.test(text.startsWith(globalMark) ? text.slice(globalMark.length) : text),
    'It is the key of an item, in a team’s file also global:key',
  )
  .max(100 + globalMark.length);

export const splitReference = (reference: string): { global: boolean; key: string } => {
  const global = reference.startsWith(globalMark);
  return { global, key: global ? reference.slice(globalMark.length) : reference };
};

export const writeReference = (global: boolean, name: string): string => `${global ? globalMark : ''}${name}`;

/** A list in which no two entries have the same name. */
const unique = <Entry extends z.ZodType>(entry: Entry, most: number, nameOf: (value: z.output<Entry>) => string) =>
  z
    .array(entry)
    .max(most)
    .superRefine((values, context) => {
      const seen = new Set<string>();
      for (const [index, value] of values.entries()) {
        const name = nameOf(value);
        if (seen.has(name)) context.addIssue({ code: 'custom', path: [index], message: `${name} stands here twice` });
        seen.add(name);
      }
    });

const Item = z.strictObject({
  key: Key,
  name: z
    .strictObject({ de: Name.optional(), en: Name.optional() })
    .refine(({ de, en }) => (de ?? en) !== undefined, 'One of the two names is needed'),
  icon: Icon.optional(),
  published: z.boolean().default(true),
  position: ItemPosition.default(0),
});

const Items = unique(Item, 1_000, (item) => item.key).default([]);

const References = unique(Reference, 1_000, (reference) => reference).min(1, 'It names no item: leave it out');
const ByDimension = z.strictObject({
  personality: References.optional(),
  industry: References.optional(),
  role: References.optional(),
});

const Rule = z
  .strictObject({ situation: Reference, only: ByDimension.default({}), never: ByDimension.default({}) })
  .superRefine(({ only, never }, context) => {
    for (const dimension of ruledDimensions) {
      for (const [index, reference] of (never[dimension] ?? []).entries()) {
        if (!only[dimension]?.includes(reference)) continue;
        const message = `${reference} can't be both in only and in never`;
        context.addIssue({ code: 'custom', path: ['never', dimension, index], message });
      }
    }
  });

const NoItems = { situation: [], personality: [], industry: [], role: [], methodology: [] };

/** Far more than a catalog needs that people still find their way in. */
const mostRules = 5_000;

const countOf = ({ only, never }: z.output<typeof Rule>): number =>
  [only, never].flatMap((lists) => ruledDimensions.flatMap((dimension) => lists[dimension] ?? [])).length;

export const CatalogDocument = z.strictObject({
  items: z
    .strictObject({ situation: Items, personality: Items, industry: Items, role: Items, methodology: Items })
    .default(NoItems),
  rules: unique(Rule, 1_000, (rule) => rule.situation)
    .refine(
      (rules) => rules.reduce((sum, rule) => sum + countOf(rule), 0) <= mostRules,
      `It holds more than ${mostRules} rules`,
    )
    .default([]),
});
export type CatalogDocument = z.output<typeof CatalogDocument>;

const place = (path: Flaw['path']): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

/** Ends an import with everything that is wrong with its file. */
export const refuse = (flaws: Flaw[]): never =>
  fail('validation_error', {
    errors: flaws,
    detail: flaws.map(({ path, message }) => `\n  ${place(path) || 'the file'}: ${message}`).join(''),
  });

const refuseFile = (message: string): never => refuse([{ path: [], code: 'invalid_json', message }]);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuseFile(`It is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const decode = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuseFile('It is not UTF-8');
  }
};

/** A catalog out of a file's bytes; what is wrong with it is told all at once. */
export const readDocument = (bytes: Buffer): CatalogDocument => {
  const read = CatalogDocument.safeParse(parse(decode(bytes)));
  return read.success ? read.data : refuse(flawsOf(read.error));
};
