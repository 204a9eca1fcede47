import { z } from 'zod';
import { saying } from '../../core/language.ts';
import { catalogMessages } from '../../core/messages/trainings.ts';
import { boundedText, lineOf } from '../../platform/values.ts';

export const dimensions = ['situation', 'personality', 'industry', 'role', 'methodology'] as const;
export type Dimension = (typeof dimensions)[number];

/** The dimensions that rules can restrict for a situation. */
export const ruledDimensions = ['personality', 'industry', 'role'] as const;
export type RuledDimension = (typeof ruledDimensions)[number];

/** An item's name in one language. */
export const Name = lineOf(120).meta({ minLength: 1, maxLength: 120 });

export const Icon = boundedText(60).refine(
  (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
  saying(catalogMessages.noIcon),
);

export const ItemPosition = z.int().min(0).max(1_000_000);

// GET /catalog

const CatalogEntry = z
  .object({
    id: z.string().meta({ description: 'The item’s id, as assignments and trainings name it.' }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'The name, in the language of `Accept-Language` or else the other one.' }),
    icon: z.string().nullable().meta({ description: 'The name of a Tabler icon.' }),
  })
  .meta({ id: 'CatalogEntry', description: 'An item of the catalog.' });
export type CatalogEntry = z.output<typeof CatalogEntry>;

export const Catalog = z
  .object({
    situation: z.array(CatalogEntry).meta({ description: 'The kinds of conversations to practise.' }),
    personality: z.array(CatalogEntry).meta({ description: 'The characters of the person on the other side.' }),
    industry: z.array(CatalogEntry).meta({ description: 'Where the other side works.' }),
    role: z.array(CatalogEntry).meta({ description: 'The jobs of the person on the other side.' }),
    methodology: z.array(CatalogEntry).meta({ description: 'The sales methods by which a conversation is evaluated.' }),
  })
  .meta({ id: 'Catalog', description: 'The items with which the team can practise, by dimension.' });
export type Catalog = z.output<typeof Catalog>;

// The app

const id = z.string();

/** Ids of items: at most far more than anybody selects by hand. */
const Ids = z.array(id).max(1_000);

const Names = z.object({ de: z.string().nullable(), en: z.string().nullable() });

export const ManagedItem = z.object({
  id,
  dimension: z.enum(dimensions),
  key: z.string(),
  name: Names,
  icon: z.string().nullable(),
  /** Whether it is the team's own item. A team can change only its own items. */
  own: z.boolean(),
  published: z.boolean(),
  position: z.int(),
  /** Whether the team's policy blocks it. */
  blocked: z.boolean(),
});
export type ManagedItem = z.output<typeof ManagedItem>;

export const ManagedItems = z.object({ items: z.array(ManagedItem) });

export const NewItem = z.strictObject({
  dimension: z.enum(dimensions),
  name: z
    .strictObject({ de: Name.nullish(), en: Name.nullish() })
    .refine(({ de, en }) => typeof (de ?? en) === 'string', saying(catalogMessages.nameNeeded)),
  icon: Icon.nullish(),
  published: z.boolean().default(true),
  position: ItemPosition.default(0),
});
export type NewItem = z.output<typeof NewItem>;

export const ItemChange = z.strictObject({
  item_id: id,
  name: z.strictObject({ de: Name.nullish(), en: Name.nullish() }).optional(),
  icon: Icon.nullish(),
  published: z.boolean().optional(),
  position: ItemPosition.optional(),
});
export type ItemChange = z.output<typeof ItemChange>;

const RuleIds = z.object({ only: z.array(id), never: z.array(id) });
export type RuleIds = z.output<typeof RuleIds>;

export const SituationPath = z.strictObject({ situation_id: id });

/** The rules of a situation: global ones, and those that the team added. */
export const SituationRules = z.object({ situation_id: id, global: RuleIds, own: RuleIds });
export type SituationRules = z.output<typeof SituationRules>;

export const NewSituationRules = z.strictObject({ situation_id: id, only: Ids, never: Ids });
export type NewSituationRules = z.output<typeof NewSituationRules>;

export const PolicyChange = z.strictObject({ block: Ids.default([]), release: Ids.default([]) });
export type PolicyChange = z.output<typeof PolicyChange>;

export const MemberPath = z.strictObject({ member_id: id });
export const MemberPolicyChange = PolicyChange.extend(MemberPath.shape);

export const Policy = z.object({ blocked: z.array(id) });
export type Policy = z.output<typeof Policy>;

export const ChoicesQuery = z.strictObject({
  member_id: id.nullish().meta({ description: 'By default oneself. Null: what the team’s policy allows.' }),
});

/**
 * The items that a picker offers in one dimension for a situation: those of `only` (all items, if it is null) without
 * those of `never`. Without a rule, all items can be combined.
 */
const ChoiceRule = z.object({
  situation_id: id,
  dimension: z.enum(ruledDimensions),
  only: z.array(id).nullable(),
  never: z.array(id),
});

export const Choices = Catalog.extend({ rules: z.array(ChoiceRule) }).meta({ id: 'CatalogChoices' });
export type Choices = z.output<typeof Choices>;

/** More items than a page of trainings or assignments usually refers to. */
export const NamesQuery = z.strictObject({ ids: z.array(id).max(200) });

const NamedItem = CatalogEntry.extend({ dimension: z.enum(dimensions) });
export type NamedItem = z.output<typeof NamedItem>;
const itemName = z.string().nullable().meta({ description: 'In the reader’s language; null if there is none.' });
/** The names of the items of a training or an assignment in a list. */
export const itemNames = { situation: itemName, personality: itemName, industry: itemName } as const;
export const NameList = z.object({ names: z.array(NamedItem) });
