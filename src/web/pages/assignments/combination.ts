import type { CatalogEntry, Choices } from '../../../modules/catalog/schema.ts';

/** Ids of catalog items; an empty text for a dimension without a choice. */
export interface Combination {
  situation_id: string;
  personality_id: string;
  industry_id: string;
}

export const noCombination: Combination = { situation_id: '', personality_id: '', industry_id: '' };

export const isComplete = (chosen: Combination): boolean => Object.values(chosen).every((id) => id !== '');

/** The items that a form offers. */
export interface Offer {
  situations: CatalogEntry[];
  allowedWith: (situation: string, dimension: 'personality' | 'industry') => CatalogEntry[];
}

/** The items of a dimension that the rules allow with a situation. */
const allowedWith = (choices: Choices, situation: string, dimension: 'personality' | 'industry'): CatalogEntry[] => {
  const rule = choices.rules.find((rule) => rule.situation_id === situation && rule.dimension === dimension);
  if (!rule) return choices[dimension];
  const { only, never } = rule;
  return choices[dimension].filter(({ id }) => (only === null || only.includes(id)) && !never.includes(id));
};

const inAll = ([first = [], ...others]: readonly CatalogEntry[][]): CatalogEntry[] =>
  first.filter(({ id }) => others.every((entries) => entries.some((entry) => entry.id === id)));

/** The items that are offered for all recipients. */
export const offerFor = (choices: readonly Choices[]): Offer => ({
  situations: inAll(choices.map(({ situation }) => situation)),
  allowedWith: (situation, dimension) => inAll(choices.map((choice) => allowedWith(choice, situation, dimension))),
});

/** Removes chosen items that are no longer offered after a change of the recipients or the situation. */
export const stillOffered = (chosen: Combination, { situations, allowedWith: allowed }: Offer): Combination => {
  const among = (entries: readonly CatalogEntry[], id: string) => (entries.some((entry) => entry.id === id) ? id : '');
  const situation_id = among(situations, chosen.situation_id);
  if (situation_id === '') return noCombination;
  return {
    situation_id,
    personality_id: among(allowed(situation_id, 'personality'), chosen.personality_id),
    industry_id: among(allowed(situation_id, 'industry'), chosen.industry_id),
  };
};
